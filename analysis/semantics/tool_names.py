"""Meaning of tools' names and of methods of `McpResult` in a program.

A program's own definition wins: an enum that is called like a module, a record whose field is a function called like a method.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from analysis.data_classes import dataclass, field
from analysis.semantics.declarations import TypeFact
from analysis.semantics.spelling import closest
from analysis.semantics.tools.call_syntax import METHOD
from analysis.semantics.tools.modules import METHODS, OWN, RESULT, TOOL_FIELDS, Method, ToolFact, ToolModule

TOOL_TYPES: Final = (
    TypeFact(RESULT, False, (), exported=False, broken=False),
    TypeFact("McpTool", False, TOOL_FIELDS, exported=False, broken=False),
)
"""The records that programs with tools know without a declaration."""
_SHOWN: Final = 20
"""Names that a message lists."""


class Meant(StrEnum):
    """Possible meanings of a name."""

    TOOL = "tool"
    METHOD = "method"
    UNSEEN = "tool of a server that nobody has seen yet"
    NO_SERVER = "unknown server"
    NO_IMPORT = "server that is not imported"
    NO_TOOL = "unknown tool"


class Tool(NamedTuple):
    """Meaning of a name. `server` is the module before it, `near` the name that was probably meant, `listed` the existing
    names."""

    meant: Meant
    name: str
    server: str = ""
    fact: ToolFact | None = None
    method: Method | None = None
    near: str | None = None
    listed: tuple[str, ...] = ()

    @property
    def is_call(self) -> bool:
        """True if a program that uses the name compiles."""
        return self.meant in (Meant.TOOL, Meant.UNSEEN)


@dataclass(frozen=True, slots=True)
class Tools:
    """The modules that a program names by identifier, None for one that is no server; which of them have short names.

    `servers` are the original names of all servers by identifier, None where they are unknown. `by_name` holds answers for the
    names of a block, instead of all that.
    """

    is_used: bool = False
    modules: Mapping[str, ToolModule | None] = field(default_factory=dict)
    imported: frozenset[str] = frozenset()
    servers: Mapping[str, str] | None = None
    by_name: Mapping[str, Tool | None] | None = None

    def __bool__(self) -> bool:
        return self.is_used

    def find(self, name: str, types: Mapping[str, TypeFact], fields: Mapping[str, tuple[TypeFact, ...]]) -> Tool | None:
        """Meaning of a name; None for a name unrelated to tools."""
        if self.by_name is not None:
            return self.by_name.get(name)
        if name.startswith(METHOD):
            method = METHODS[name.removeprefix(METHOD)]
            return None if _has_function(fields.get(method.name, ()), method.name) else Tool(Meant.METHOD, name, method=method)
        head, *rest = name.split("::")
        if head in types or not self.is_used:
            return None
        if head != "mcp":
            return self._of_module(head, rest[0]) if head in self.imported else self._not_imported(head, name)
        if len(rest) == 2:
            return self._of_module(*rest)
        if rest[0] in OWN:
            return Tool(Meant.TOOL, name, "mcp", OWN[rest[0]])
        return Tool(Meant.NO_TOOL, rest[0], "mcp", near=closest(rest[0], OWN), listed=tuple(OWN))

    def _of_module(self, head: str, name: str) -> Tool:
        module = self.modules.get(head)
        if module is None:
            servers = tuple(self.servers or ())
            return Tool(Meant.NO_SERVER, head, head, near=closest(head, servers), listed=servers[:_SHOWN])
        if not module.is_seen:
            return Tool(Meant.UNSEEN, name, module.name)
        fact = module.functions.get(name)
        if fact is not None:
            return Tool(Meant.TOOL, name, head, fact)
        names = tuple(module.functions)
        return Tool(Meant.NO_TOOL, name, head, near=closest(name, names), listed=names[:_SHOWN])

    def _not_imported(self, head: str, name: str) -> Tool | None:
        if self.servers is not None and head in self.servers:
            return Tool(Meant.NO_IMPORT, name, head)
        return None


NO_TOOLS: Final = Tools()


def no_tool(name: str) -> Tool | None:
    """Lookup for a program without tools: None for every name."""
    return None


def _has_function(owners: tuple[TypeFact, ...], name: str) -> bool:
    """True if a record has a field of this name that holds a function."""
    return any((fact.member(name) or "").startswith("Fn") for fact in owners)
