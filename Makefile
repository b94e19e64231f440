# Needs Python 3.11 or newer and nothing else; `make PYTHON=python3.12 …` chooses one.
PYTHON = python3
BIN = .venv/bin
SETUP = .venv/ready
JOBS = 2

demo: setup          ## make a server from the petstore, start it on its mock, call a tool
	@$(BIN)/python scripts/demo.py specs/petstore.yaml
test: setup .venv-clients/ready .venv-real/ready   ## every test
	$(BIN)/pytest -n $(JOBS)
check: setup         ## formatting, types, import rules, drift of the examples
	$(BIN)/black --check --quiet generator scripts tests
	$(BIN)/mypy
	$(BIN)/pytest -q tests/test_rules.py tests/test_generated_examples.py -k "not own_tests and not mypy"
update: setup        ## rewrite expected outputs and examples; read the diff
	$(BIN)/pytest -q tests/test_cases.py tests/test_generated_examples.py --update
examples: setup      ## rewrite generated_examples/
	$(BIN)/pytest -q tests/test_generated_examples.py --update
cases: setup         ## judge requests on the wire against ../shared/cases, where that folder is there
	@if [ -d ../shared/cases ]; then for revision in 2025-11-25 2026-07-28; do \
	  PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python ../shared/tools/check_cases.py ../shared/cases --protocol $$revision \
	    --jobs $(JOBS) --python $(CURDIR)/$(BIN)/python || exit 1; \
	done; else echo "skipped: there is no ../shared/cases"; fi
conformance: setup   ## judge the protocol by the official suite, where ../shared/conformance is there
	@if [ -d ../shared/conformance ]; then cd generated_examples/everything-mcp && $(CURDIR)/$(BIN)/python \
	  $(CURDIR)/../shared/conformance/run.py --strict --serve \
	  "$(CURDIR)/$(BIN)/python -m everything_mcp --transport http --port {port}" "http://127.0.0.1:{port}/mcp"; \
	else echo "skipped: there is no ../shared/conformance"; fi
corpus: setup        ## generate, start and check every document of ../shared/corpus, where that folder is there
	$(BIN)/python scripts/corpus.py ../shared/corpus --jobs $(JOBS)
bench: setup .venv-bench/ready   ## measure what is promised, beside the peers; PARTS="start calls load generation curve"
	$(BIN)/python bench/bench.py $(PARTS)
dist: setup          ## build the wheel and the source archive
	$(BIN)/python -m build
setup: $(SETUP)
$(SETUP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@
.venv-clients/ready: Makefile   ## the official SDKs as clients: old ones of Python, each with its revision, and TypeScript
	for version in 1.6.0 1.9.4 1.22.0 1.30.0; do \
	  case $$version in 1.6.0|1.9.4) with="pydantic==2.11.10 pydantic-settings==2.9.1";; *) with=;; esac; \
	  test -x .venv-clients/$$version/bin/python || $(PYTHON) -m venv .venv-clients/$$version; \
	  .venv-clients/$$version/bin/python -m pip install --quiet --disable-pip-version-check mcp==$$version $$with || exit 1; \
	done
	if command -v npm >/dev/null; then \
	  npm install --prefix .venv-clients/typescript --no-audit --no-fund --loglevel=error @modelcontextprotocol/client@2.4.0; \
	else echo "there is no npm: the tests with the TypeScript SDK will be skipped"; fi
	@touch $@
.venv-bench/ready: Makefile   ## the peers of `make bench`
	for peer in fastmcp:fastmcp==4.2.3 sdk:mcp==2.3.0; do \
	  test -x .venv-bench/$${peer%%:*}/bin/python || $(PYTHON) -m venv .venv-bench/$${peer%%:*}; \
	  .venv-bench/$${peer%%:*}/bin/python -m pip install --quiet --disable-pip-version-check $${peer#*:} || exit 1; \
	done
	if command -v npm >/dev/null; then \
	  npm install --prefix .venv-bench/npm --no-audit --no-fund --loglevel=error openapi-mcp-generator@4.0.1; fi
	@touch $@
.venv-real/ready: pyproject.toml   ## real APIs for the tests to wrap
	test -x .venv-real/bin/python || $(PYTHON) -m venv .venv-real
	.venv-real/bin/python -m pip install --quiet --disable-pip-version-check -e '.[real]'
	@touch $@

.PHONY: demo test check update examples cases conformance corpus bench dist setup
