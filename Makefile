# make run: measure, draw and judge the first experiment.   make check: in minutes.   make test: before each change.
# make thorough: the tests that make test leaves out, which show at length what others show as well.
# make venv: only the environment.   make site: the documentation as a site, build/site/index.html.
# make fuzz: parsers, long programs and tests with random examples for some hours; FUZZ="csv properties" for some.
# make stream: a stream of half an hour with kills, its results checked one by one; STREAM="--minutes 5" for less.
# make mutate: small mistakes that the tests should notice; MUTATE="judgement in_order" for some modules.
# make publish: a run's rows to results/published, FROM=FOLDER for rows elsewhere, and then make pages: what is
# published, at laptop and at the papers' sizes, drawn and judged anew from its rows, with the README's tables.
# make audit: which of the pinned packages are known to be vulnerable; it asks PyPI.
# make jre: a Java for Spark, on a machine that has none.   make peers: the libraries that experiment=peers compares.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?= experiment=fiba_ooo

# A file at a time, in the order of tests/conftest.py; at the end the ten slowest tests and the time of all.
RUN_TESTS := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder --durations=10

.PHONY: run check test thorough lint venv jre connect peers fuzz stream mutate publish pages audit lock clean

run: venv
	@echo "== python run.py $(ARGS)"
	@$(BIN)/python run.py $(ARGS)

# Kernels as plain Python, but in what is about compiling: after an edit of algorithms/ everything is compiled anew.
check: venv lint
	@echo "== some tests of every part"
	@NUMBA_DISABLE_JIT=1 $(RUN_TESTS) -m smoke

test: venv lint $(VENV)/site-installed
	@echo "== tests"
	@$(RUN_TESTS) -m "not thorough"

thorough: venv
	@echo "== the longest tests"
	@$(RUN_TESTS) -m thorough

lint: venv
	@echo "== style, the direction of imports, types"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/mypy

.PHONY: site
site: $(VENV)/site-installed
	@$(BIN)/python -m docs.site

# Sphinx and what it needs; a test makes the site as well.
$(VENV)/site-installed: requirements-site.txt $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock -r requirements-site.txt
	@touch $@

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

# The libraries that are compared with ours; what is installed already stays as it is.
peers: venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock -r requirements-peers.txt

# Atheris, which guides the search for input that parsers do not read as they should.
fuzz: venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-fuzz.txt
	@$(BIN)/python -m tests.fuzz $(FUZZ)

stream: venv
	@$(BIN)/python -m tests.streaming.long_stream $(STREAM)

# All modules of tests/mutation/targets.yaml, or those that are named; more than an hour for all.
mutate: venv
	@$(BIN)/python -m tests.mutation $(MUTATE)

FROM ?= results/data
PUBLISHED := results/published
PAPER_SIZES := results/paper_sizes
publish: venv
	@$(BIN)/python -m results.publishing $(FROM) $(PUBLISHED) --profile laptop
	@$(MAKE) --no-print-directory pages

# Of the packages that experiment=peers compares, the versions belong to the code that is named on the page.
pages: peers
	@$(BIN)/python run.py experiment=all action=draw results=$(PUBLISHED) figure_folder=$(PUBLISHED)
	@$(BIN)/python run.py experiment=all action=draw results=$(PAPER_SIZES) figure_folder=$(PAPER_SIZES) profile=paper
	@$(BIN)/python run.py action=report figure_folder=$(PUBLISHED) 'runs=[$(PAPER_SIZES)]'
	@$(BIN)/python run.py action=report figure_folder=$(PAPER_SIZES)
	@$(BIN)/python run.py action=compare 'runs=[$(PUBLISHED),$(PAPER_SIZES)]' figure_folder=$(PAPER_SIZES)
	@$(BIN)/python -m plots.readme $(PUBLISHED)

# A package that PyPI tells nothing about is an error, so that no answer is not taken for a good one.
audit: venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-audit.txt
	@$(BIN)/python -m pip_audit --strict --disable-pip --no-deps --requirement requirements.lock

# Pin anew: the newest versions that go together.
lock:
	@rm -rf $(VENV)-lock && $(PYTHON) -m venv $(VENV)-lock
	@$(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.in
	@$(VENV)-lock/bin/python -m pip freeze > requirements.lock
	@rm -rf $(VENV)-lock

clean:
	rm -rf $(VENV) build outputs multirun
