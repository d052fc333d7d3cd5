# `make` alone lists what there is to do. Everything works on a fresh clone: what a target needs it installs or builds.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# What make fetched or built itself comes first: Node 24 where the system's is older, and the command `modelstats`.
export PATH := $(CURDIR)/.tools/bin:$(PATH)
# Scripts of package.json without npm, whose configuration could say anything.
RUN := node --run
INSTALLED := node_modules/.installed
# The sample days of `make demo`: a folder with a sub-folder per day.
DEMO_SOURCE ?= fixtures/days

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: install
install: $(INSTALLED) ## Install the dependencies, where package-lock.json is newer than what is there

.PHONY: node
node:
	@scripts/node.sh

$(INSTALLED): package-lock.json | node
	@echo 'Installing dependencies …'
	@scripts/npm.sh ci
	@touch $@

.PHONY: build
build: $(INSTALLED) ## Compile into dist/, and link the command as .tools/bin/modelstats
	@$(RUN) build
	@mkdir -p .tools/bin
	@ln -sf ../../dist/bin/modelstats.js .tools/bin/modelstats

.PHONY: demo
demo: build ## Publish the sample days into ./data, issue a key per plan and say what to try
	@exec node scripts/demo.mjs $(DEMO_SOURCE)

.PHONY: test
test: build ## Run all tests that need no service
	@$(RUN) test

.PHONY: quick
quick: build ## Check format, lint, types, the tests beside what changed and the documents, in under a minute (SINCE: a revision)
	@scripts/quick.sh $(SINCE)

.PHONY: test-long
test-long: build ## Run the tests that take long by nature: recorded days, kills, races, benchmarks' smoke run
	@$(RUN) test:long

.PHONY: check
check: build ## Check format, lint and types, then run the tests
	@$(RUN) check:format
	@$(RUN) check:lint
	@$(RUN) check:types
	@$(RUN) test

.PHONY: format
format: $(INSTALLED) ## Format the code and apply safe fixes
	@$(RUN) format

.PHONY: golden
golden: $(INSTALLED) ## Rewrite what is generated: golden files, tables of documents, the client's types; review the difference
	@node --import tsx scripts/client-types.mjs "$$(scripts/clients.sh types)" --write
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
test-services: build ## Run the tests that need PostgreSQL, Redis and promtool; as root it installs Debian's where they are missing
	@scripts/services.sh >/dev/null
	@$(RUN) test:services

.PHONY: test-fuzz
test-fuzz: build ## Send the served API what Schemathesis makes of its OpenAPI document, and use clients made of it and LiteLLM (needs Python)
	@scripts/fuzz.sh >/dev/null
	@scripts/clients.sh >/dev/null
	@scripts/litellm.sh >/dev/null
	@$(RUN) test:fuzz

.PHONY: test-nodes
test-nodes: build ## Run the demo, nights and the server on every supported Node, and see an older one refused
	@scripts/nodes.sh >/dev/null
	@$(RUN) test:nodes

.PHONY: test-browser
test-browser: build ## Use the console in Chromium; as root it installs Debian's where it is missing
	@scripts/chromium.sh >/dev/null
	@$(RUN) test:browser

.PHONY: soak
soak: build ## Kill nights, server, dispatcher and syncs 1,000 times (SOAK_KILLS) on one store, and compare what is counted
	@node_modules/.bin/tsx test/soak/soak.ts

.PHONY: mcp-conformance
mcp-conformance: build ## Run the protocol's own conformance suite against MCP
	@node scripts/mcp-conformance/run.mjs

.PHONY: screenshots
screenshots: build ## Take the pictures of docs/images anew, from a year of real days where they lie beside this folder
	@scripts/chromium.sh >/dev/null
	@node scripts/screenshots/screenshots.mjs

.PHONY: clean
clean: ## Remove what was built, installed dependencies and data excepted
	@rm -rf dist coverage reports
