# The two commands: `make up` starts hq, `make test` proves it. Everything is installed into .venv from hashed locks.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes

.PHONY: up down test check bench docs lock clean

up: $(VENV)/.installed ## start hq and print its address
	@$(BIN)/hq up

down: ## stop hq
	@$(BIN)/hq down

test: $(VENV)/.tested ## everything, on real servers
	@scripts/system-packages
	@scripts/conformance-suite $(BIN)/python || echo "the MCP conformance suite could not be installed; its tests will say so" >&2
	@scripts/codex $(BIN)/python || echo "Codex could not be installed; its tests will say so" >&2
	$(BIN)/ruff check src tests bench scripts
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 --dist worksteal --reruns 1 --max-suite-reruns 20 --rerun-show-tracebacks

check: $(VENV)/.tested ## what to run before every commit: under two minutes
	$(BIN)/ruff check src tests bench scripts
	$(BIN)/ruff format --check src tests bench scripts
	$(BIN)/lint-imports
	$(BIN)/pyright
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

bench: $(VENV)/.tested ## make bench ARGS="door --json"
	@$(BIN)/python -m bench $(ARGS)

docs: $(VENV)/.tested ## write the generated reference and the command line's manifest anew
	$(BIN)/python scripts/sql_views.py
	$(BIN)/python -m hq.cli.manifest
	$(BIN)/python -m scripts.reference

lock: ## resolve the dependencies anew
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra coding -o requirements.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra coding --group dev -o requirements-dev.txt
	echo "uv" | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header - -o requirements-uv.txt

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .import_linter_cache

$(BIN)/uv: requirements-uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hq needs Python 3.11 or newer; set PYTHON=python3.12 or so" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "python3 cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.txt
	@touch $@

$(VENV)/.installed: $(BIN)/uv requirements.txt pyproject.toml
	@$(UV) -r requirements.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.tested: $(VENV)/.installed requirements-dev.txt
	@$(UV) -r requirements-dev.txt
	@touch $@
