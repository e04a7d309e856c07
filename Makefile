# Each target makes .venv when it is missing or older than pyproject.toml. Nothing else is needed but Python 3.11+, git and make.
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.stamp

.PHONY: demo test lint bench clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)/bin/python -m pip install --quiet --editable . --group test --group lint
	touch $(STAMP)

demo: $(STAMP)
	$(VENV)/bin/syncbot demo

test: $(STAMP)
	$(VENV)/bin/python -m pytest -n auto --dist worksteal -q

lint: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

bench: $(STAMP)
	$(VENV)/bin/python benchmarks/run.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache build dist
