# One profile (release) serves everything, so that RocksDB is compiled once, and its build directory is kept outside the
# checkout: set CARGO_TARGET_DIR to choose another place.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/holdfast-target
DATA ?= holdfast-data
LISTEN ?= 127.0.0.1:5433
CHECKED = --config profile.release.package.holdfast.debug-assertions=true

.PHONY: run build test setup lint bench

setup:
	@scripts/setup.sh

build: setup
	cargo build --release --bin holdfast

run: build
	$(CARGO_TARGET_DIR)/release/holdfast serve --data $(DATA) --listen $(LISTEN)

lint: setup
	cargo fmt --check
	cargo clippy --release --all-targets $(CHECKED) -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --no-deps --document-private-items $(CHECKED)

test: lint
	cargo test --release $(CHECKED) -- --test-threads=4

bench: setup
	cargo bench
