# The two commands: `make up` starts hq, `make test` proves it. Everything is installed into .venv from hashed locks.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# uv trusts what this machine trusts, as pip does: the system's certificates, or the file that SSL_CERT_FILE or pip's settings name.
export UV_SYSTEM_CERTS ?= 1
CERT    = $(or $(SSL_CERT_FILE),$(PIP_CERT),$(shell $(BIN)/python -m pip config get global.cert 2>/dev/null))
UV      = env $(if $(CERT),SSL_CERT_FILE="$(CERT)") $(BIN)/uv pip
STEP    = scripts/step
LOCKED  = $(UV) install --quiet --python $(BIN)/python --compile-bytecode --require-hashes

# Minutes after which a run ends by itself and says where it hangs.
LIMIT  ?= 60
# More than there are cores: half of a test's time is waiting, for processes, for the database, for a clock.
WORKERS ?= 4
SPREAD := -n $(WORKERS) --dist worksteal
PYTEST := $(BIN)/python scripts/time_limit.py $(LIMIT) $(BIN)/python -m pytest $(SPREAD)
# What `make check` runs of the tests.
QUICK  := tests/unit tests/door tests/graph tests/engine tests/minds tests/docs

.PHONY: up down test suite check quick long coverage style outside bench docs lock clean

up: $(VENV)/.installed ## start hq and print its address
	@$(BIN)/hq up

down: ## stop hq
	@$(BIN)/hq down

test: $(VENV)/.tested outside ## everything but what is long by nature, on real servers, and style beside it; what CI runs
	@$(MAKE) --no-print-directory -j 2 style suite

suite: $(VENV)/.tested
	$(PYTEST) -m "not long" --durations=30

check: $(VENV)/.tested ## what to run before every commit: under two minutes; style and tests side by side
	@$(MAKE) --no-print-directory -j 2 style quick

quick: $(VENV)/.tested
	$(PYTEST) -m "not slow and not long" $(QUICK)

long: $(VENV)/.tested outside ## what is long by nature: every crash, a simulated month, big data, the whole conformance suite
	$(PYTEST) -m long

coverage: $(VENV)/.tested outside ## lines that `make test` runs, per room: at least 90 %
	@$(BIN)/coverage erase
	$(BIN)/python scripts/time_limit.py $(LIMIT) $(BIN)/coverage run -m pytest $(SPREAD) -m "not long"
	@$(BIN)/coverage combine --quiet
	@$(BIN)/python scripts/room_coverage.py 90

style: $(VENV)/.tested
	$(BIN)/ruff check src tests bench scripts
	$(BIN)/ruff format --check src tests bench scripts
	$(BIN)/lint-imports
	$(BIN)/pyright

# Programs beside Python that some tests run.
outside: $(VENV)/.tested
	@scripts/system-packages
	@scripts/conformance-suite $(BIN)/python || echo "the MCP conformance suite could not be installed; its tests will say so" >&2
	@scripts/codex $(BIN)/python || echo "Codex could not be installed; its tests will say so" >&2

bench: $(VENV)/.tested ## make bench ARGS="door --json"
	@$(BIN)/python -m bench $(ARGS)

docs: $(VENV)/.tested ## write the generated reference and the command line's manifest anew
	$(BIN)/python scripts/sql_views.py
	$(BIN)/python -m hq.cli.manifest
	$(BIN)/python -m scripts.reference

lock: ## resolve the dependencies anew
	$(UV) compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra coding -o requirements.txt
	$(UV) compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra coding --group dev -o requirements-dev.txt
	echo "uv" | $(UV) compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header - -o requirements-uv.txt

clean:
	rm -rf $(VENV) .coverage* .pytest_cache .ruff_cache .import_linter_cache

$(BIN)/uv: requirements-uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hq needs Python 3.11 or newer; set PYTHON=python3.12 or so" >&2; exit 1; }
	@$(STEP) "Making a Python environment in $(VENV)" $(PYTHON) -m venv $(VENV) || { echo "python3 cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@$(STEP) "Fetching the installer" $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.txt
	@touch $@

$(VENV)/.installed: $(BIN)/uv requirements.txt pyproject.toml
	@echo "hq comes with its own database and sandbox: about 900 MB in $(VENV), fetched once."
	@$(STEP) "Installing $$(grep -c '^[a-z].*==' requirements.txt) packages" $(LOCKED) -r requirements.txt
	@$(STEP) "Installing hq" $(UV) install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.tested: $(VENV)/.installed requirements-dev.txt
	@$(STEP) "Installing what the tests need" $(LOCKED) -r requirements-dev.txt
	@touch $@
