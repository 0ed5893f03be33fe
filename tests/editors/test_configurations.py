"""The files for Helix, Zed, Sublime Text and JetBrains: keys that the editors know, names that agree, a command that serves.

The editors themselves do not run here. The keys are those of their manuals (Helix 25.07, Zed's page on language extensions,
LSP for Sublime Text 4), so that a key of an older version or a slip of the pen is found.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import boruna_ls
from boruna_ls.rendezvous import places
from tests.support.commands import command
from tests.support.daemon import stopped
from tests.support.lsp import RawClient

ROOT = Path(__file__).resolve().parents[2]
EDITORS = ROOT / "editors"
SCRIPTS = set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"])
HELIX_LANGUAGE = set(
    "name language-id scope injection-regex file-types shebangs roots auto-format diagnostic-severity comment-token "
    "comment-tokens block-comment-tokens indent language-servers grammar formatter soft-wrap text-width rulers path-completion "
    "workspace-lsp-roots persistent-diagnostic-sources".split()
)
HELIX_SERVER = {"command", "args", "config", "timeout", "environment", "required-root-patterns"}
HELIX_SCOPES = set(
    "attribute comment.line constant.builtin constant.builtin.boolean constant.character.escape constant.numeric.float "
    "constant.numeric.integer constructor function function.builtin function.method keyword.control keyword.control.conditional "
    "keyword.control.import keyword.control.repeat keyword.control.return keyword.directive keyword.function keyword.operator "
    "keyword.storage.modifier keyword.storage.type label namespace operator punctuation.bracket punctuation.delimiter string "
    "type type.builtin type.enum.variant variable variable.builtin variable.other.member variable.parameter".split()
)
HELIX_CAPTURES = {
    "highlights": HELIX_SCOPES,
    "indents": {"indent", "outdent"},
    "injections": {"injection.content"},
    "locals": {
        "local.scope",
        "local.reference",
        "local.definition.variable",
        "local.definition.variable.parameter",
    },
    "textobjects": {
        f"{what}.{how}" for what in ("function", "class", "parameter", "comment", "entry") for how in ("inside", "around")
    },
}
ZED_CAPTURES = {
    "brackets": {"open", "close"},
    "indents": {"indent", "end"},
    "injections": {"injection.content"},
    "outline": {"name", "item", "context", "annotation"},
    "overrides": {"comment.inclusive", "string"},
    "runnables": {"run"},
    "textobjects": {f"{what}.{how}" for what in ("function", "class", "comment") for how in ("inside", "around")},
}
ZED_LANGUAGE = set(
    "name grammar path_suffixes line_comments block_comment tab_size hard_tabs first_line_pattern debuggers brackets "
    "autoclose_before word_characters".split()
)
ZED_BRACKET = {"start", "end", "close", "newline", "surround", "not_in"}
ZED_EXTENSION = set("id name description version schema_version authors repository language_servers grammars".split())
SUBLIME_CLIENT = set("enabled command selector priority_selector initialization_options settings env schemes".split())


def toml(*path: str) -> dict[str, Any]:
    return tomllib.loads(EDITORS.joinpath(*path).read_text("utf-8"))


def test_helix() -> None:
    table = toml("helix", "languages.toml")
    assert set(table) == {"language-server", "language"}
    (language,) = table["language"]
    assert set(language) <= HELIX_LANGUAGE
    assert language["file-types"] == ["ax"]
    assert "boruna.toml" in language["roots"]
    assert set(language["language-servers"]) == set(table["language-server"])
    assert set(language["indent"]) == {"tab-width", "unit"}
    for server in table["language-server"].values():
        assert set(server) <= HELIX_SERVER
        serves([server["command"], *server.get("args", [])])


@pytest.mark.parametrize(
    ("folder", "known"),
    [("helix/queries", HELIX_CAPTURES), ("zed/languages/boruna", ZED_CAPTURES)],
    ids=["Helix", "Zed"],
)
def test_queries_name_what_the_editor_knows(folder: str, known: dict[str, set[str]]) -> None:
    """That they fit the grammar is tested with the grammar, in `test_tree_sitter.py`."""
    files = {path.stem: path.read_text("utf-8") for path in (EDITORS / folder).glob("*.scm")}
    assert set(files) == set(known)
    for name, text in files.items():
        captures = set(re.findall(r"@([a-z.]+)", re.sub(r"(?m);.*$", "", text)))
        assert captures <= known[name], name


def test_zed() -> None:
    extension, language = toml("zed", "extension.toml"), toml("zed", "languages", "boruna", "config.toml")
    assert set(extension) <= ZED_EXTENSION
    assert set(language) <= ZED_LANGUAGE
    assert all(set(bracket) <= ZED_BRACKET for bracket in language["brackets"])
    assert language["path_suffixes"] == ["ax"]
    # `setup zed` adds the grammar's place.
    assert language["grammar"] == "boruna"
    (task,) = json.loads((EDITORS / "zed" / "languages" / "boruna" / "tasks.json").read_text("utf-8"))
    assert task["command"] in SCRIPTS
    assert f"(#set! tag {task['tags'][0]})" in (EDITORS / "zed" / "languages" / "boruna" / "runnables.scm").read_text("utf-8")
    assert [server["languages"] for server in extension["language_servers"].values()] == [[language["name"]]]
    package = toml("zed", "Cargo.toml")["package"]
    assert extension["version"] == package["version"] == boruna_ls.__version__
    started = re.findall(r'which\("([a-z-]+)"\)', (EDITORS / "zed" / "src" / "lib.rs").read_text("utf-8"))
    assert started == ["boruna-lsp"]
    serves(started)


def test_sublime() -> None:
    clients = json.loads((EDITORS / "sublime" / "LSP.sublime-settings").read_text("utf-8"))["clients"]
    syntax = (EDITORS / "sublime" / "Boruna.sublime-syntax").read_text("utf-8")
    scope = re.findall(r"^scope: (\S+)", syntax, re.MULTILINE)
    assert re.search(r"^file_extensions:\s*(\[ax\]|\n\s*- ax$)", syntax, re.MULTILINE)
    for client in clients.values():
        assert set(client) <= SUBLIME_CLIENT
        assert client["enabled"] is True
        assert [client["selector"]] == scope
        serves(client["command"])


def test_jetbrains() -> None:
    """The keys of the templates that LSP4IJ ships."""
    template = json.loads((EDITORS / "jetbrains" / "template.json").read_text("utf-8"))
    assert set(template) == {"id", "name", "programArgs", "fileTypeMappings"}
    (mapping,) = template["fileTypeMappings"]
    assert mapping == {"fileType": {"name": "Boruna", "patterns": ["*.ax"]}, "languageId": "boruna"}
    serves([template["programArgs"]["default"]])


@pytest.fixture(autouse=True, scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A daemon for these tests alone."""
    folder = tmp_path_factory.mktemp("configurations") / "d"
    with pytest.MonkeyPatch.context() as fix:
        fix.setenv(places.VARIABLE, str(folder))
        yield
        stopped(folder)


def serves(line: list[str]) -> None:
    """Assert that a command is installed with the package, takes its arguments, and speaks the protocol."""
    assert line[0] in SCRIPTS
    with RawClient(None, [command(line[0]), *line[1:]]) as client:
        assert client.initialize()["serverInfo"]["name"] == "boruna-ls"
        client.call("shutdown")
        client.notify("exit")
        assert client.process.wait(60) == 0
