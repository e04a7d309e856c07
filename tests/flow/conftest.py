"""The stand-in project of the flows, made once and copied."""

from __future__ import annotations

from pathlib import Path

import pytest
from standin import make_standin, make_template


@pytest.fixture(scope="session")
def standin_template(tmp_path_factory):
    where: Path = tmp_path_factory.mktemp("standin")
    return where, make_template(where)


@pytest.fixture(params=["folder", "pull-request", "hand-off"])
def stand(request, standin_template, tmp_path, capsys, monkeypatch):
    template, ids = standin_template
    yield from make_standin(request.param, template, ids, tmp_path, capsys, monkeypatch)


@pytest.fixture
def make_stand(standin_template, tmp_path, capsys, monkeypatch):
    """Return a function that makes a stand-in project with settings of its own."""
    running = []

    def make(kind, **settings):
        template, ids = standin_template
        maker = make_standin(kind, template, ids, tmp_path, capsys, monkeypatch, **settings)
        running.append(maker)
        return next(maker)

    yield make
    for maker in running:
        next(maker, None)
