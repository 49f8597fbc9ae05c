//! Links inside stores are refused, and temporary files are created exclusively.
