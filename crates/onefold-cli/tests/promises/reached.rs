//! `reached` follows from the error of the stored model on the training rows, in the units of the data.
