"""Whatever stands in the files, it becomes a problem in words, never another error."""

import datetime
import tomllib

import pytest
import tomlkit

from syncbot.config import check_project

FILES = ("syncbot.toml", "patches/guard/patch.toml")
INTRUDERS = (
    "",
    "\x00",
    "a" * 500,
    -1,
    float("nan"),
    True,
    datetime.date(2026, 1, 1),
    [[]],
    [7, "x", {}],
    {},
    {"a": {"b": [1]}},
)


def keys_of(data, key=()):
    for name, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*key, name)
        if isinstance(value, dict | list):
            yield from keys_of(value, (*key, name))


def put(data, key, value):
    for part in key[:-1]:
        data = data[part]
    data[key[-1]] = value


@pytest.mark.parametrize("file", FILES)
def test_any_value_in_any_place_is_answered(file, project):
    path = project / file
    text = path.read_text(encoding="utf-8")
    accepted = []
    for key in keys_of(tomllib.loads(text)):
        for value in INTRUDERS:
            data = tomllib.loads(text)
            put(data, key, value)
            path.write_text(tomlkit.dumps(data), encoding="utf-8")
            problems = check_project(project)
            if not problems:
                accepted.append((key, value))
            assert all("\n" not in str(each) and "\x00" not in str(each) for each in problems)
    assert [each for each in accepted if isinstance(each[1], str) and each[1] in ("", "\x00")] == []


def test_a_folder_without_a_configuration_says_how_to_make_one(tmp_path):
    (problem,) = check_project(tmp_path)
    assert str(problem) == "syncbot.toml: found no such file; expected a TOML file; run `syncbot init` to make one"


def test_a_folder_in_place_of_the_file(tmp_path):
    (tmp_path / "syncbot.toml").mkdir()
    (problem,) = check_project(tmp_path)
    assert "cannot be read" in str(problem)


def test_a_file_too_large_to_be_written_by_a_person(project):
    (project / "syncbot.toml").write_text("# " + "x" * (1 << 20), encoding="utf-8")
    assert "more than 1 MiB" in str(check_project(project)[0])


def test_deep_nesting(project):
    (project / "syncbot.toml").write_text("a = " + "[" * 5000 + "]" * 5000, encoding="utf-8")
    assert check_project(project)


def test_secrets_are_never_shown(project):
    path = project / "syncbot.toml"
    token = "ghp_" + "a1B2" * 9
    for old in ('"WORK_TOKEN"', '"up/lib"', '"main"', '"docker/Dockerfile"', '"hand-off"'):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(old, f'"{token}"', 1), encoding="utf-8")
    problems = check_project(project)
    assert problems
    assert not any(token in str(each) for each in problems)
