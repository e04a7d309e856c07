# Needs Python 3.11 or newer, git and make. Each target makes .venv first, as far as it needs it: `demo` and `bench` the
# package alone, `test` and `lint` their tools too.
PYTHON ?= $(shell for each in python3 python3.13 python3.12 python3.11; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$each; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test workflows lint bench docs site dist clean

demo: $(VENV)/.package
	$(BIN)/syncbot demo

# Bytecode is kept, also of pytest's plugins, which are read before a conftest could say so.
test: $(VENV)/.stamp
	PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(CURDIR)/.pytest_cache/bytecode $(BIN)/python -m pytest -n auto --dist worksteal -q

# The workflows of .github/, run on this machine by act.
workflows: $(VENV)/.stamp
	$(BIN)/python -m pytest -n auto --dist worksteal -q -m workflows

lint: $(VENV)/.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/zizmor --offline --persona pedantic --quiet .github action.yml
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/actionlint .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml tests/workflows/actions/*/action.yml \
		tests/workflows/actions/*/*/action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml \
		.github/ISSUE_TEMPLATE/wrong-answer.yml
	$(BIN)/shellcheck .ci/run .ci/dist

bench: $(VENV)/.package
	$(BIN)/python benchmarks/run.py

# What is made of the program in docs/: the command reference, the picture, and the gallery. SYNCBOT_CLONES adds the page
# of the real manifests.
docs: $(VENV)/.package
	$(BIN)/python docs/make_commands.py
	$(BIN)/python docs/make_picture.py
	$(BIN)/python docs/gallery/make.py

# The pages as a site, in build/site; any link or anchor that leads nowhere is an error.
site: $(VENV)/.docs
	$(BIN)/sphinx-build -c docs -b html --fail-on-warning --keep-going --nitpicky --fresh-env --quiet . build/site

# Wheel and sdist, in dist.
dist: $(VENV)/.dist
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*

# Without compiling ahead of time the first demo is there sooner.
$(VENV)/.package: pyproject.toml
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer was found; name one: make PYTHON=/path/to/python3" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --no-compile --editable .
	touch $@

# pip reads dependency groups from 25.1 on.
$(VENV)/.stamp: $(VENV)/.package
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --group test --group lint
	touch $@

$(VENV)/.docs $(VENV)/.dist: $(VENV)/.%: $(VENV)/.package
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --group $*
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache build dist
