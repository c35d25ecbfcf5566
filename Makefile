# The commands of this project. Each one first makes sure that the machine has what it needs (scripts/setup).
# JOBS=N limits parallel work, e.g. `make test JOBS=1`.
.PHONY: help run test check build image deploy bench conformance conformance-cluster upgrade-test nightly lint lint-changed format fuzz clean setup
.DEFAULT_GOAL := help

# Not more than fit into the memory: a batch of sources takes up to 2.2 GB to compile.
JOBS ?= $(shell awk -v cores=$$(nproc) '/^MemTotal:/ { fit = int($$2 / 2400000); \
    print fit < 1 ? 1 : fit < cores ? fit : cores }' /proc/meminfo)
export JOBS

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## build muster and run an example to its end
	@cmake --preset release >/dev/null
	@cmake --build --preset release --parallel $(JOBS) --target muster
	@scripts/run

test: setup ## build and run all tests: release, then AddressSanitizer + UBSan, then ThreadSanitizer
	@scripts/test

check: ## what CI does before the tests: format, clang, clang-tidy over changes since the last release, a minute of fuzzing
	@scripts/setup lint fuzz
	@scripts/check

build: setup ## build everything, optimised, into build/
	@cmake --preset release >/dev/null
	@cmake --build --preset release --parallel $(JOBS)

image: build ## write the container image of muster controllers as an OCI archive, build/muster-controllers.oci.tar
	@scripts/setup image
	@scripts/image

deploy: build ## write deploy/ from what the binary prints
	@scripts/deploy

bench: build ## measure the binary beside its references: prints a table, writes bench/results.json
	@scripts/setup bench
	@scripts/bench

conformance: build ## run the clients of other languages and parts of Kubernetes against the binary; says what it skips
	@conformance/run build/muster

conformance-cluster: build ## run the controllers on Kubernetes' own control plane and judge what happened; needs Go
	@conformance/cluster/run build/muster

upgrade-test: build ## build the earlier releases and upgrade them to build/muster while pods run; says what it skips
	@scripts/upgrade-test

nightly: build ## what takes too long for CI: all of lint, fuzz, conformance, upgrade-test, seeds, soak, flat, bench
	@scripts/nightly

lint: ## check the format, compile with clang, and run clang-tidy over all sources
	@scripts/setup lint fuzz
	@scripts/lint

lint-changed: ## the same, clang-tidy only over what differs from LINT_BASE, the last release by default
	@scripts/setup lint fuzz
	@scripts/lint format compile tidy-changed

format: ## rewrite all C++ files in the project's format
	@scripts/setup lint
	@git ls-files -z -- '*.h' '*.cc' | xargs -0 clang-format-14 -i

fuzz: ## fuzz every target for FUZZ_SECONDS (60) each
	@scripts/setup fuzz
	@scripts/fuzz

setup: ## install the Debian packages that a build needs
	@scripts/setup build

clean: ## remove all that was built
	@rm -rf build
