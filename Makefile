# make test    everything that must pass, installing nothing but crates
# make doc     the library's documentation, formulas rendered
# make check   what continuous integration runs

.PHONY: test doc check format clippy

# The second line compares optimised builds with the bits that the first line's builds produced.
test:
	cargo test --workspace
	cargo test --release -p onefold --test determinism

format:
	cargo fmt --all --check

clippy:
	cargo clippy --workspace --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings --html-in-header $(CURDIR)/crates/onefold/katex-header.html" \
		cargo doc --workspace --no-deps --document-private-items

check: format clippy doc test
