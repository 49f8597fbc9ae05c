//! Every read has a limit, and `--time` and Ctrl-C end any command within a second.
