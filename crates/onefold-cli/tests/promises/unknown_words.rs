//! A word that training did not have is encoded as the average, and its row is marked.
