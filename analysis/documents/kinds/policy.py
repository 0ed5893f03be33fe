"""Policy documents (spec chapter 11, sections 5 to 7): what a run may do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.bytecode.module import CAPABILITIES, CAPABILITY_BY_SOURCE_NAME
from analysis.config.schema import Field, Flag, ListOf, MapOf, Table, Text, Whole
from analysis.database import Database
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.documents.kind import DocumentKind
from analysis.documents.opened import opened
from analysis.documents.table_check import replacing, table_diagnostics
from analysis.ide import glossary
from analysis.inputs import FileId
from analysis.semantics.spelling import closest
from analysis.semantics.tools.modules import CAPABILITY, are_patterns
from analysis.syntax.escaping import quoted

_MOST: Final = 2**64 - 1
_NAMES: Final = {kind.name: f"{glossary.CAPABILITIES.get(kind.name, '')}".capitalize() for kind in CAPABILITIES}
_NULLABLE: Final = ("schema_version", "net_policy", "fs_policy", "db_policy")


def _host_defect(text: str) -> str:
    return "is no host name, so it allows nothing" if not text or set(text) & set("/:@ \t") else ""


RULE: Final = Table(
    {
        "allow": Field(Flag(), "Whether the capability may be called.", is_required=True),
        "budget": Field(Whole(0, _MOST), "How often it may be called in a run; 0 means unlimited.", is_required=True),
    }
)
TABLE: Final = Table(
    {
        "schema_version": Field(Whole(1, 1), "The version of this format: 1."),
        "default_allow": Field(Flag(), "The rule for capabilities without their own.", False),
        "rules": Field(MapOf(RULE, _NAMES), "Rules for single capabilities.", {}),
        "net_policy": Field(
            Table(
                {
                    "allowed_domains": Field(
                        ListOf(Text(defect_of=_host_defect)), "Hosts of live requests; an empty list means any."
                    ),
                    "allowed_methods": Field(
                        ListOf(Text(choices=dict.fromkeys(("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"), ""))),
                        "Methods of live requests; an empty list means any.",
                    ),
                    "max_response_bytes": Field(Whole(1, _MOST), "Most bytes of an answer that are read.", 10_485_760),
                    "timeout_ms": Field(Whole(1, _MOST), "Timeout of a request in milliseconds.", 30_000),
                    "allow_redirects": Field(Flag(), "Whether redirects of a request are followed.", True),
                }
            ),
            "Bounds of live `net.fetch`.",
        ),
        "fs_policy": Field(
            Table(
                {
                    "allowed_roots": Field(ListOf(Text()), "Folders that live `fs.read` and `fs.write` stay below."),
                    "max_bytes": Field(Whole(0, _MOST), "Most bytes of a file that are read or written.", 10_485_760),
                }
            ),
            "Bounds of live `fs.read` and `fs.write`.",
        ),
        "db_policy": Field(
            Table(
                {
                    "path": Field(Text(), "The one SQLite file of live `db.query`."),
                    "read_only": Field(Flag(), "Whether it may only be read.", True),
                }
            ),
            "Bounds of live `db.query`.",
        ),
        "mcp_policy": Field(
            MapOf(ListOf(Text())), "The tools that may be called, as patterns by MCP server; `*` stands for anything."
        ),
    }
)


def check(db: Database, file: FileId) -> Iterator[Diagnostic]:
    """All that is wrong with a policy."""
    document = opened(db, file)
    data = document.parsed.data
    if isinstance(data, dict):
        if data and not any(name in TABLE.fields for name in data):
            # A document of another program that uses the same file name.
            return
        data = {name: value for name, value in data.items() if value is not None or name not in _NULLABLE}
        rules = data.get("rules")
        if isinstance(rules, dict) and are_patterns(rules.get(CAPABILITY)) and "mcp_policy" not in data:
            # This rule says which tools may be called, not that all may.
            data["rules"] = {name: rule for name, rule in rules.items() if name != CAPABILITY}
    yield from table_diagnostics(document, TABLE, unknown=Severity.ERROR, data=data)
    for name in document.parsed.table(("rules",)):
        if name not in _NAMES:
            meant = CAPABILITY_BY_SOURCE_NAME.get(name)
            near = meant.name if meant is not None else closest(name, _NAMES) or ""
            span = document.parsed.span(("rules", name), on_key=True)
            fixes = (replacing(document.text, span, near, "unknown_capability"),) if near else ()
            advice = f"did you mean `{near}`?" if near else f"there are {', '.join(_NAMES)}"
            message = f"unknown capability {quoted(name[:60])}"
            yield Diagnostic("unknown_capability", Severity.ERROR, message, span, advice, name=name[:60], fixes=fixes)


KIND: Final = DocumentKind("policy", "Policy", ("policy.json", "*.policy.json", "*-policy.json"), "json", TABLE, check)
