"""Makes a test of every program in the Markdown pages of this folder; README.md here says how a page is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import (
    CheckSettings,
    FileId,
    Libraries,
    ServerTools,
    ToolSchema,
    ToolServers,
    libraries,
    server_tools,
    settings,
    source,
    tool_servers,
)
from analysis.text.source import Source
from boruna_ls.data import libraries_folder
from boruna_ls.workspace.settings import parse_settings
from tests.support import expectations
from tests.support.markdown import Block, Section, sections

WORKSPACE = "/workspace"
_BUILT_IN = re.compile(r'^import "std-', re.MULTILINE)
_LIBRARY = re.compile(r"libs/([^/]+)/src/core\.ax")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix == ".md" and file_path.name != "README.md":
        page: Page = Page.from_parent(parent, path=file_path)
        return page
    return None


class Page(pytest.File):
    """A page; its programs are the tests."""

    def collect(self) -> Iterable[Program]:
        found = sections(self.path.read_text(encoding="utf-8"))
        chosen: dict[tuple[str, ...], CheckSettings] = {}
        for section in found:
            given = [block for block in section.blocks if block.language == "toml"]
            if given:
                chosen[section.path] = _settings(given)
            yield from self._programs(section, _inherited(chosen, section.path))

    def _programs(self, section: Section, given: CheckSettings) -> Iterator[Program]:
        programs = [block for block in section.blocks if block.language == "ax"]
        shared = {match[1]: block for block in programs if (match := _LIBRARY.fullmatch(block.title))}
        for number, block in enumerate(programs, 1):
            name = " / ".join(section.path[1:] or section.path)
            suffix = f" [{block.title or number}]" if len(programs) > 1 else ""
            tools = {block.title: block for block in section.blocks if block.language == "json"}
            yield Program.from_parent(self, name=name + suffix, block=block, shared=shared, given=given, tools=tools)


class Program(pytest.Item):
    """One program, checked beside the libraries of its section."""

    def __init__(
        self, *, block: Block, shared: dict[str, Block], given: CheckSettings, tools: dict[str, Block], **rest: Any
    ) -> None:
        super().__init__(**rest)
        self.funcargs: dict[str, object] = {}  # pytest-lsp takes every test for one with fixtures
        self._block, self._shared, self._given, self._tools = block, shared, given, tools

    def runtest(self) -> None:
        db = Database()
        known = {name: _library(name) for name in sorted(self._shared)}
        for shared, block in self._shared.items():
            source.set(db, known[shared], Source.from_text(block.text))
        if not known and _BUILT_IN.search(self._block.text):
            for path in libraries_folder().glob("*/src/core.ax"):
                known[path.parent.parent.name] = file = _library(path.parent.parent.name)
                source.set(db, file, Source.from_text(path.read_text(encoding="utf-8")))
        libraries.set(db, WORKSPACE, "", Libraries(tuple(known.items())))
        settings.set(db, WORKSPACE, self._given)
        for name, block in self._tools.items():
            server_tools.set(db, WORKSPACE, name, _tools(block.text))
        tool_servers.set(db, WORKSPACE, ToolServers(tuple(self._tools), bool(self._tools)))
        library = _LIBRARY.fullmatch(self._block.title)
        file = known[library[1]] if library else FileId(WORKSPACE, "disk", f"{WORKSPACE}/{self._block.title or 'main.ax'}")
        text = Source.from_text(self._block.text)
        source.set(db, file, text)
        found = [expectations.located(text, start, made) for start, made in check_file(db, file).placed(text)]
        told = expectations.differences(expectations.expectations(self._block.text), found)
        if told:
            raise Differences(expectations.report(self._block.text, told))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, (Differences, ValueError)):
            return f"{self.path}:{self._block.line}\n{excinfo.value}\n\n- expected, not found   + found, not expected"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self._block.line - 1, self.name


class Differences(Exception):
    """The diagnostics of a program are not those that its comments expect."""


def _library(name: str) -> FileId:
    return FileId(WORKSPACE, "library", f"{WORKSPACE}/libs/{name}/src/core.ax")


def _tools(text: str) -> ServerTools:
    """The tools of a server, by name their input schemas; `"age"` beside them says how old they are."""
    read = json.loads(text)
    age = read.pop("age", "")
    return ServerTools(True, tuple([ToolSchema(name, "", json.dumps(schema)) for name, schema in read.items()]), age)


def _settings(blocks: list[Block]) -> CheckSettings:
    made, _, problems = parse_settings("".join(block.text for block in blocks))
    if problems:
        raise ValueError("; ".join(problems))
    return made


def _inherited(chosen: dict[tuple[str, ...], CheckSettings], path: tuple[str, ...]) -> CheckSettings:
    """The settings of the innermost heading around a section that has some."""
    found = [chosen[path[:length]] for length in range(len(path), 0, -1) if path[:length] in chosen]
    return found[0] if found else CheckSettings()
