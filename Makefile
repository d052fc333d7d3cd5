# `make` alone lists what there is to do. Everything works on a fresh clone: what a target needs it installs or builds.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

RUN := npm run --silent
# One stamp per binary interface of Node: native modules compiled for one major version don't load in another.
INSTALLED := node_modules/.installed-$(shell node -p process.versions.modules 2>/dev/null)
# The sample days of `make demo`: a folder with a sub-folder per day.
DEMO_SOURCE ?= fixtures/days

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: install
install: $(INSTALLED) ## Install the dependencies, where package-lock.json is newer than what is there

.PHONY: require-node
require-node:
	@sh scripts/require-node.sh

$(INSTALLED): package-lock.json | require-node
	@echo 'Installing dependencies (a minute longer where better-sqlite3 has to be compiled) …'
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: build
build: $(INSTALLED) ## Compile into dist/
	@rm -rf dist
	@$(RUN) build

.PHONY: demo
demo: build ## Publish the sample days into ./data, issue a key per plan and say what to try
	@scripts/demo.sh $(DEMO_SOURCE)

.PHONY: test
test: build ## Run all tests that need no service
	@$(RUN) test --ignore-scripts

.PHONY: check
check: build ## Check format, lint and types, then run the tests
	@$(RUN) check:format
	@$(RUN) check:lint
	@$(RUN) check:types
	@$(RUN) test --ignore-scripts

.PHONY: format
format: $(INSTALLED) ## Format the code and apply safe fixes
	@$(RUN) format

.PHONY: golden
golden: build ## Rewrite what the golden tests expect; review the difference
	@$(RUN) golden

.PHONY: coverage
coverage: build ## Run the tests and measure their coverage
	@$(RUN) coverage

.PHONY: bench
bench: build ## Run the benchmarks
	@$(RUN) bench

.PHONY: minio
minio: ## Run an S3 server on loopback with a throw-away folder, until Ctrl-C; builds it into .tools/ (needs Go)
	@scripts/minio.sh start

.PHONY: test-s3
test-s3: build ## Run the tests that need an S3 server
	@scripts/minio.sh get >/dev/null
	@$(RUN) test:s3

.PHONY: test-services
test-services: build ## Run the tests that need PostgreSQL and Redis; as root it installs Debian's where they are missing
	@scripts/services.sh >/dev/null
	@$(RUN) test:services

.PHONY: test-fuzz
test-fuzz: build ## Send the served API what Schemathesis makes of its OpenAPI document (needs Python)
	@scripts/fuzz.sh >/dev/null
	@$(RUN) test:fuzz

.PHONY: clean
clean: ## Remove what was built, installed dependencies and data excepted
	@rm -rf dist coverage reports
