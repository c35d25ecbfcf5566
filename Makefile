# The commands of this project. Each one first makes sure that the machine has what it needs (scripts/setup).
# JOBS=N limits parallel work, e.g. `make test JOBS=1`.
.PHONY: help run test build bench conformance upgrade-test lint lint-changed format fuzz clean setup
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
export JOBS

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## build muster and run an example to its end
	@cmake --preset release >/dev/null
	@cmake --build --preset release --parallel $(JOBS) --target muster
	@scripts/run

test: setup ## build and run all tests: release, then AddressSanitizer + UBSan, then ThreadSanitizer
	@scripts/test

build: setup ## build everything, optimised, into build/
	@cmake --preset release >/dev/null
	@cmake --build --preset release --parallel $(JOBS)

bench: build ## measure the binary beside its references: prints a table, writes bench/results.json
	@scripts/setup bench
	@scripts/bench

conformance: build ## run the clients of other languages and kube-scheduler against the binary; says what it skips
	@conformance/run build/muster

upgrade-test: build ## build the last release and upgrade it to build/muster while its pods run; says what it skips
	@scripts/upgrade-test

lint: ## check format and run clang-tidy over all sources
	@scripts/setup lint
	@scripts/lint all

lint-changed: ## the same, clang-tidy only over what differs from main
	@scripts/setup lint
	@scripts/lint changed

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
