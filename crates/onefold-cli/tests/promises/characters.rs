//! Control characters and formulas from files do not reach the terminal, LaTeX or spreadsheets.
