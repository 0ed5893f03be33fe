"""Manifests: `template.json` of a template (spec chapter 14), `package.ax.json` of a library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.bytecode.module import CAPABILITIES
from analysis.config.schema import Anything, Field, Flag, ListOf, MapOf, Table, Text
from analysis.database import Database
from analysis.diagnostics.diagnostic import Diagnostic, Severity, Tag
from analysis.documents.completions import Link
from analysis.documents.files import file_named, named_files
from analysis.documents.json_reader import json_document
from analysis.documents.kind import DocumentKind
from analysis.documents.opened import Opened, opened
from analysis.documents.table_check import missing_files, table_diagnostics
from analysis.inputs import FileId, source

_TEMPLATE: Final = "app.ax.template"
_PLACEHOLDER: Final = re.compile(r"\{\{([A-Za-z_][A-Za-z0-9_]{0,199})\}\}")
_MODULE: Final = re.compile(r"[A-Za-z0-9_-]+")
_CAPABILITIES: Final = ListOf(Text(choices={kind.name: "" for kind in CAPABILITIES}))
_HEAD: Final = {
    "name": Field(Text(), "The name, as lists show it.", is_required=True),
    "version": Field(Text(), "The version.", is_required=True),
    "description": Field(Text(), "What it is for, in one sentence.", is_required=True),
}
ARGUMENT: Final = Table(
    {
        "type": Field(Text(), "What the value is, for people: all values are texts.", is_required=True),
        "required": Field(Flag(), "Whether a template without this argument is refused.", is_required=True),
        "description": Field(Text(), "What the argument is for.", is_required=True),
        "default": Field(Anything(), "The value where the argument is not given."),
    }
)
TEMPLATE: Final = Table(
    {
        **_HEAD,
        "dependencies": Field(ListOf(Text()), "Libraries that the application imports.", is_required=True),
        "capabilities": Field(_CAPABILITIES, "Capabilities that the application uses.", is_required=True),
        "args": Field(MapOf(ARGUMENT), "The arguments, `{{name}}` in the template.", is_required=True),
    }
)
PACKAGE: Final = Table(
    {
        **_HEAD,
        "dependencies": Field(MapOf(Text()), "Libraries that this one imports, with their versions.", {}),
        "required_capabilities": Field(_CAPABILITIES, "Capabilities that its functions use.", []),
        "exposed_modules": Field(ListOf(Text()), "Modules of `src/` that programs get.", ["core"]),
    }
)


def _check_template(db: Database, file: FileId) -> Iterator[Diagnostic]:
    document = opened(db, file)
    yield from table_diagnostics(document, TEMPLATE)
    reasons = {named.path: named.reason for named in named_files(db, file) if named.file is None}
    yield from missing_files(document, [(_TEMPLATE, ())], reasons)
    named = file_named(db, file, _TEMPLATE)
    if named is None or named.file is None or document.parsed.defect is not None:
        return
    used = dict.fromkeys(_PLACEHOLDER.findall(source(db, named.file).text))
    arguments = document.parsed.table(("args",))
    place = document.parsed.span(("args",), on_key=True)
    for name in used:
        if name not in arguments:
            message = f"`{_TEMPLATE}` has `{{{{{name}}}}}`, which is no argument"
            yield Diagnostic("missing_argument", Severity.WARNING, message, place, "it stays as it is written", name=name)
    for name in arguments:
        if name not in used:
            span = document.parsed.span(("args", name), on_key=True)
            message = f"`{_TEMPLATE}` does not use the argument `{name}`"
            yield Diagnostic("unused_argument", Severity.HINT, message, span, tags=(Tag.UNNECESSARY,), name=name)


def _check_package(db: Database, file: FileId) -> Iterator[Diagnostic]:
    document = opened(db, file)
    yield from table_diagnostics(document, PACKAGE)
    reasons = {named.path: named.reason for named in named_files(db, file) if named.file is None}
    modules = ((f"src/{name}.ax", ("exposed_modules", number)) for number, name in _modules(document))
    yield from missing_files(document, modules, reasons)


def _modules(document: Opened) -> Iterator[tuple[int, str]]:
    given = document.parsed.get(("exposed_modules",))
    for number, name in enumerate(given if isinstance(given, list) else ()):
        if isinstance(name, str) and _MODULE.fullmatch(name):
            yield number, name


def _files_of_package(db: Database, text: str) -> Iterator[str]:
    given = json_document(db, text).get(("exposed_modules",))
    for name in given if isinstance(given, list) else ():
        if isinstance(name, str) and _MODULE.fullmatch(name):
            yield f"src/{name}.ax"


def _links_of_package(document: Opened) -> Iterator[Link]:
    for number, name in _modules(document):
        named = file_named(document.db, document.file, f"src/{name}.ax")
        if named is not None and named.file is not None:
            yield Link(document.parsed.span(("exposed_modules", number)), named.file)


KIND_OF_TEMPLATE: Final = DocumentKind(
    "template",
    "Manifest of a template",
    ("templates/*/template.json",),
    "json",
    TEMPLATE,
    _check_template,
    named=lambda db, text: (_TEMPLATE,),
)
KIND_OF_PACKAGE: Final = DocumentKind(
    "package",
    "Manifest of a library",
    ("package.ax.json",),
    "json",
    PACKAGE,
    _check_package,
    named=_files_of_package,
    links=_links_of_package,
)
