"""The VS Code extension: what its manifest promises is there, its snippets are programs, its grammar knows the language.

Compiling and packaging need what `make vscode` installs; without it those tests are counted as skipped.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

import boruna_ls
from analysis.formatting.formatter import Formatted, format_source
from analysis.syntax.lexer import KEYWORDS
from boruna_ls.workspace.settings import parse_settings
from tests.support.accepted import accepted

FOLDER = Path(__file__).resolve().parents[2] / "editors" / "vscode"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "package.json").read_text("utf-8"))
CONTRIBUTES: dict[str, Any] = MANIFEST["contributes"]
GRAMMAR: dict[str, Any] = json.loads((FOLDER / "syntaxes" / "boruna.tmLanguage.json").read_text("utf-8"))
SOURCE = "".join(file.read_text("utf-8") for file in sorted((FOLDER / "src").rglob("*.ts")))
SNIPPETS: dict[str, Any] = json.loads((FOLDER / "snippets" / "boruna.json").read_text("utf-8"))
DECLARATIONS = ("main", "function", "function with capabilities", "function with contracts", "record", "enum", "import")
BUNDLE = ("--bundle", "--platform=node", "--format=cjs", "--target=node18", "--external:vscode")
needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (FOLDER / "node_modules").is_dir(), reason="no Node packages: run `make vscode`"
)


def texts(value: Any, key: str) -> Iterator[str]:
    """Every text under `key`, however deep."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name == key and isinstance(part, str):
                yield part
            yield from texts(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part, key)


def test_files_named_in_the_manifest_exist() -> None:
    named = [*texts(CONTRIBUTES, "path"), *texts(CONTRIBUTES, "markdown"), CONTRIBUTES["languages"][0]["configuration"]]
    assert len(named) >= 8
    assert [name for name in named if not (FOLDER / name).is_file()] == []


def test_every_named_file_is_packaged() -> None:
    """The list of what goes into the package starts from nothing."""
    kept = [line[1:] for line in (FOLDER / ".vscodeignore").read_text("utf-8").splitlines() if line.startswith("!")]
    named = [*texts(CONTRIBUTES, "path"), *texts(CONTRIBUTES, "markdown"), MANIFEST["main"]]
    assert [name for name in named if not any(Path(name).match(pattern) for pattern in kept)] == []


def test_version() -> None:
    assert MANIFEST["version"] == boruna_ls.__version__
    assert json.loads((FOLDER / "package-lock.json").read_text("utf-8"))["version"] == boruna_ls.__version__


def test_commands_are_registered() -> None:
    declared = {command["command"] for command in CONTRIBUTES["commands"]}
    # The language client registers the server's own commands.
    declared -= {"boruna.preview"}
    assert declared == set(re.findall(r'(?:registerCommand\(|^    )"(boruna\.[A-Za-z.]+)"[,:] ', SOURCE, re.MULTILINE))
    used = {entry["command"] for entries in CONTRIBUTES["menus"].values() for entry in entries}
    assert used <= declared | {"boruna.preview"}
    steps = json.dumps(CONTRIBUTES["walkthroughs"])
    assert set(re.findall(r"(?:command:|onCommand:)(boruna\.[A-Za-z]+)", steps)) <= declared


def test_steps_of_the_walkthrough_are_ticked_by_events_that_the_editor_knows() -> None:
    """That they tick is tested in the browser; an unknown event is only noted in a log."""
    steps = CONTRIBUTES["walkthroughs"][0]["steps"]
    events = {event for step in steps for event in step["completionEvents"]}
    assert {event.partition(":")[0] for event in events} <= {"onCommand", "onView", "onContext", "onSettingChanged", "onLink"}
    contexts = {event.removeprefix("onContext:boruna.ticked.") for event in events if event.startswith("onContext:")}
    source = (FOLDER / "src" / "walkthrough.ts").read_text("utf-8")
    assert contexts == set(re.findall(r'tick\("(\w+)"\)', source))


def test_settings_are_read() -> None:
    declared = set(CONTRIBUTES["configuration"]["properties"])
    read = {f"boruna.{name}" for name in re.findall(r'(?:settings|\("boruna"\))\.get(?:<[^>]+>)?\("([A-Za-z.]+)"', SOURCE)}
    # The language client itself reads how much it shall trace.
    assert declared == read | {"boruna.trace.server"}
    assert set(MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]) <= declared


def test_grammar_includes_resolve() -> None:
    includes = set(texts(GRAMMAR, "include"))
    assert includes - {f"#{name}" for name in GRAMMAR["repository"]} == set()
    assert {f"#{name}" for name in GRAMMAR["repository"]} == includes


def test_grammar_knows_every_keyword() -> None:
    patterns = [*texts(GRAMMAR["repository"]["keyword"], "match"), *texts(GRAMMAR["repository"]["constant"], "match")]
    known = {word for pattern in patterns for word in re.findall(r"[A-Za-z]{2,}", pattern.replace(r"\b", ""))}
    assert known == KEYWORDS


def test_grammar_expressions_compile() -> None:
    expressions = [text for key in ("match", "begin", "end") for text in texts(GRAMMAR, key)]
    assert len(expressions) > 30
    for expression in expressions:
        re.compile(expression)


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_are_programs(name: str) -> None:
    body = "\n".join(SNIPPETS[name]["body"])
    body = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", body)
    body = re.sub(r"\$\d+", "", body)
    assert "$" not in body
    assert accepted(body if name in DECLARATIONS else f"fn main() -> Int {{\n{body}\n}}\n")


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_stay_as_they_are_formatted(name: str) -> None:
    body = re.sub(r"\$\{\d+:([^}]*)\}|\$\d+", r"\1", "\n".join(SNIPPETS[name]["body"]))
    lines = body if name in DECLARATIONS else "fn main() -> Int {\n" + indent(body, "    ") + "\n}"
    made = format_source(None, f"{lines}\n")
    assert isinstance(made, Formatted)
    assert made.text == f"{lines}\n"


def test_prefixes_are_different() -> None:
    prefixes = [snippet["prefix"] for snippet in SNIPPETS.values()]
    assert len(prefixes) == len(set(prefixes))
    page = (FOLDER / "walkthrough" / "write.md").read_text("utf-8")
    listed = page[page.index("Other prefixes") :]
    assert set(re.findall(r"`([a-z]+)`", listed)) <= set(prefixes)


TOGGLED = [
    ("", "[check]\nportable = true\n", True),
    ("[check]\nportable = true\n", "[check]\nportable = false\n", False),
    ("[check]\r\n  portable=false # why\r\n", "[check]\r\n  portable=true # why\r\n", True),
    ('[check]\nignore = ["W5"]\n[check.severity]\n', '[check]\nportable = true\nignore = ["W5"]\n[check.severity]\n', True),
    ("[workspace]\nexclude = []", "[workspace]\nexclude = []\n\n[check]\nportable = true\n", True),
    ("[check.severity]\nportable = 1\n", "[check.severity]\nportable = 1\n\n[check]\nportable = true\n", True),
]


@needs_node
def test_portability_hints_are_turned_on_and_off(tmp_path: Path) -> None:
    line = ["npx", "--no-install", "esbuild", "src/portable.ts", "--format=cjs", f"--outfile={tmp_path / 'portable.cjs'}"]
    subprocess.run(line, cwd=FOLDER, check=True, capture_output=True, timeout=60)
    script = "const { toggled } = require(process.argv[1]); console.log(JSON.stringify(JSON.parse(process.argv[2]).map(toggled)))"
    texts = json.dumps([before for before, _, _ in TOGGLED])
    done = subprocess.run(
        ["node", "-e", script, str(tmp_path / "portable.cjs"), texts], capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert [(one["text"], one["on"]) for one in json.loads(done.stdout)] == [(after, on) for _, after, on in TOGGLED]
    for _, after, on in TOGGLED:
        settings = parse_settings(after)
        assert tomllib.loads(after)["check"]["portable"] is on
        assert settings.check.portable is on


@needs_node
def test_the_extension_compiles_and_is_packaged(tmp_path: Path) -> None:
    def node(*line: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(["npx", "--no-install", *line], cwd=FOLDER, capture_output=True, encoding="utf-8", timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    node("tsc", "--noEmit")
    node("esbuild", "src/extension.ts", *BUNDLE, "--minify", "--outfile=dist/extension.js")
    (FOLDER / "LICENSE").write_bytes((FOLDER.parents[1] / "LICENSE").read_bytes())
    done = node("vsce", "package", "--no-dependencies", "--out", str(tmp_path / "a.vsix"))
    assert "WARN" not in done.stdout + done.stderr
    names = set(zipfile.ZipFile(tmp_path / "a.vsix").namelist())
    assert {"extension/package.json", "extension/dist/extension.js", "extension/LICENSE.txt", "extension/changelog.md"} <= names
    assert {"extension/images/icon.png", "extension/images/file-dark.svg", "extension/snippets/boruna.json"} <= names
    assert not any("node_modules" in name or name.endswith(".ts") for name in names)
