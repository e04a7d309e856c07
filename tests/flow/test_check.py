"""``check``, ``schema`` and ``init`` as a person calls them."""

import json
import shutil
import tomllib
from pathlib import Path

import jsonschema
import pytest

from syncbot.cli.main import run
from syncbot.config import load_project

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus" / "config"


@pytest.fixture
def project(tmp_path):
    return Path(shutil.copytree(CORPUS / "_base", tmp_path / "project"))


def test_the_repository_itself_is_right(capsys):
    assert run(["check", str(ROOT)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "valid"


def test_check_says_what_it_found(project, capsys):
    assert run(["check", str(project)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2 upstreams: lib, tool",
        "1 downstream: app",
        "2 pins (1 gating): image, tool",
        "1 workaround: guard",
        "valid",
    ]


def test_check_prints_every_problem_and_leaves_with_2(project, capsys):
    shutil.copytree(CORPUS / "manifest-unknown-keys", project, dirs_exist_ok=True)
    assert run(["check", str(project)]) == 2
    told = capsys.readouterr()
    assert told.out == (CORPUS / "manifest-unknown-keys" / "expected.txt").read_text(encoding="utf-8")
    assert told.err == "4 problems in 1 file\n"


def test_check_answers_in_json(project, capsys):
    assert run(["check", "--json", str(project / "syncbot.toml")]) == 0
    right = json.loads(capsys.readouterr().out)
    assert right["schema"] == "syncbot.check/1"
    assert (right["valid"], right["problems"], right["workarounds"]) == (True, [], ["guard"])

    shutil.copytree(CORPUS / "config-unknown-key", project, dirs_exist_ok=True)
    assert run(["check", "--json", str(project)]) == 2
    wrong = json.loads(capsys.readouterr().out)
    assert wrong["valid"] is False
    assert wrong["problems"][0] | {"expected": ""} == {
        "file": "syncbot.toml",
        "line": 9,
        "key": "upstreams.lib.tag_patern",
        "found": "an unknown key",
        "expected": "",
        "todo": 'did you mean "tag_pattern"?',
    }


@pytest.mark.parametrize("file", ["config", "manifest"])
def test_committed_schema_is_up_to_date(file, capsys):
    assert run(["schema", "--file", file]) == 0
    printed = capsys.readouterr().out
    committed = (ROOT / "docs" / "schema" / f"{file}.json").read_text(encoding="utf-8")
    assert printed == committed, f"run: syncbot schema --file {file} > docs/schema/{file}.json"


def test_schema_of_both_files(capsys):
    assert run(["schema"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert set(both) == {"config", "manifest"}
    for schema in both.values():
        jsonschema.Draft202012Validator.check_schema(schema)


def as_json(path):
    """What an editor's checker sees: TOML's dates as text."""
    return json.loads(json.dumps(tomllib.loads(path.read_text(encoding="utf-8")), default=str))


@pytest.mark.parametrize(
    "path", [ROOT / "syncbot.toml", *sorted(ROOT.glob("patches/*/patch.toml"))], ids=lambda path: path.parent.name
)
def test_schema_takes_what_check_takes(path):
    kind = "config" if path.name == "syncbot.toml" else "manifest"
    schema = json.loads((ROOT / "docs" / "schema" / f"{kind}.json").read_text(encoding="utf-8"))
    jsonschema.validate(as_json(path), schema, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("case", "file"), [("config-unknown-key", "syncbot.toml"), ("manifest-cures-misspelt", "patches/guard/patch.toml")]
)
def test_schema_refuses_what_check_refuses(case, file):
    kind = "config" if file == "syncbot.toml" else "manifest"
    schema = json.loads((ROOT / "docs" / "schema" / f"{kind}.json").read_text(encoding="utf-8"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(as_json(CORPUS / case / file), schema, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("upstream", "downstream", "label"),
    [
        ("ROCm/aiter", "vllm-project/vllm", "ROCm/aiter"),
        ("https://github.com/ROCm/aiter.git", "git@host.example:down/app.git", "ROCm/aiter"),
        ("ssh://git@git.example.com:2222/lib", "/srv/git/app", "ssh://git@git.example.com:2222/lib"),
    ],
)
def test_init_writes_what_check_takes(tmp_path, capsys, upstream, downstream, label):
    folder = tmp_path / "new"
    assert (
        run(["init", str(folder), "--starter", "--upstream", upstream, "--downstream", downstream, "--id", "guard"])
        == 0
    )
    assert run(["check", str(folder)]) == 0
    project = load_project(folder)
    assert [each.repo.label for each in project.upstreams.values()] == [label]
    assert [each.id for each in project.workarounds] == ["guard"]
    assert sorted(path.name for path in folder.rglob("*")) == ["guard", "patch.toml", "patches", "syncbot.toml"]


@pytest.mark.parametrize("there", ["syncbot.toml", "patches/example/patch.toml"])
def test_init_writes_over_nothing(tmp_path, capsys, there):
    (tmp_path / there).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / there).write_text("mine", encoding="utf-8")
    assert run(["init", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert (tmp_path / there).read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.rglob("*.toml")) == [tmp_path / there]


@pytest.mark.parametrize(
    "options", [("--id", "../../out"), ("--upstream", "ext::sh -c true"), ("--downstream", 'x"\n[evil]')]
)
def test_init_with_wrong_options_writes_nothing(tmp_path, capsys, options):
    folder = tmp_path / "new"
    assert run(["init", str(folder), "--starter", *options]) == 2
    assert not folder.exists()
    assert "expected" in capsys.readouterr().err


def test_init_takes_back_the_first_file_when_the_second_cannot_be_written(tmp_path, capsys, monkeypatch):
    from syncbot.cli import init

    write = init._write_new

    def fail(target, text):
        if target.name == "syncbot.toml":
            raise OSError(28, "No space left on device")
        write(target, text)

    monkeypatch.setattr(init, "_write_new", fail)
    assert run(["init", str(tmp_path)]) == 1
    assert "No space left" in capsys.readouterr().err
    assert list(tmp_path.rglob("*.toml")) == []
