# make run: measure, draw and judge the first experiment.   make test: every check.   make venv: only the environment.
# make jre: a Java for Spark, on a machine that has none.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?= experiment=fiba_ooo

.PHONY: run test lint venv jre connect lock clean

run: venv
	@echo "== python run.py $(ARGS)"
	@$(BIN)/python run.py $(ARGS)

test: venv lint
	@echo "== tests"
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

lint: venv
	@echo "== style and the direction of imports"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/lint-imports --no-logo

venv: $(VENV)/installed

$(VENV)/installed: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12"; exit 1; }
	@echo "== making the virtual environment $(VENV) (once; some minutes)"
	@$(PYTHON) -m venv $(VENV) || { echo "the venv module of $(PYTHON) is missing; on Debian: apt install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@

# A Java for Spark inside the environment; the packages for a Spark Connect server.
jre connect: venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-$@.txt

# Pin anew: the newest versions that go together.
lock:
	@rm -rf $(VENV)-lock && $(PYTHON) -m venv $(VENV)-lock
	@$(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.in
	@$(VENV)-lock/bin/python -m pip freeze > requirements.lock
	@rm -rf $(VENV)-lock

clean:
	rm -rf $(VENV) outputs multirun
