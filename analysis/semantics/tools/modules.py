"""A module made from the schemas of a server: a function for each tool, with parameters in a fixed order and types.

Names and types depend on the schemas alone, never on the order in which a server lists its tools, so that no server can give
a name of a program another meaning by listing its tools anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from analysis.data_classes import dataclass, field
from analysis.inputs import ServerTools, ToolSchema
from analysis.semantics.tools.parameters import Parameter, are_texts, parameters_of
from analysis.syntax.lexer import KEYWORDS

CAPABILITY: Final = "mcp.call"
RESULT: Final = "McpResult"
_NO_LETTER: Final = re.compile(r"[^A-Za-z0-9_]")
_LONGEST: Final = 200
"""Characters of the name of a function; longer names of tools are cut."""
MOST_SHOWN: Final = 20
"""Parameters and choices of one that messages and hover list."""
_LONGEST_SHOWN: Final = 60
"""Characters of a choice that they show."""


def are_patterns(value: Any) -> bool:
    """True if a rule of a policy lists the callable tools by server, instead of allowing all or none (spec chapter 24)."""
    return isinstance(value, dict) and bool(value) and all(are_texts(texts) for texts in value.values())


@dataclass(frozen=True, slots=True)
class ToolFact:
    """A tool as a function. `path` is how a program writes it after shortening, `server` and `tool` are the original names.

    `result` is its type; `server` is "" for the functions of `mcp` itself.
    """

    path: str
    server: str
    tool: str
    parameters: tuple[Parameter, ...]
    result: str = RESULT
    description: str = ""
    schema: str = field(default="", repr=False)
    without_place: int = 0
    """Required parameters beyond those that a call can hold: the tool cannot be called."""
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Facts are parts of the keys of answers: hashed once.
        object.__setattr__(self, "_hash", hash((self.path, self.server, self.tool, self.parameters)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def least(self) -> int:
        """Arguments that a call must have."""
        return sum(parameter.is_required for parameter in self.parameters)

    @property
    def signature(self) -> str:
        """The function on one line; optional parameters are marked as the language marks nothing: with a question mark."""
        shown = [
            f"{shown_name(parameter.name)}{'' if parameter.is_required else '?'}: {parameter.type}"
            for parameter in self.parameters
        ]
        return f"fn {self.path}({', '.join(shown)}) -> {self.result} !{{{CAPABILITY}}}"

    @property
    def wire(self) -> str:
        """Text that a call carries beside its values: the names of the parameters in order, "json" for those that are JSON
        text."""
        return json.dumps(
            {parameter.name: "json" if parameter.is_json else "" for parameter in self.parameters}, separators=(",", ":")
        )


class Functions(Mapping[str, ToolFact]):
    """The functions of a module by identifier, each made when it is asked for: of a server's thousand tools a program uses five.

    The value follows from the server's name, the module's and the tools: two are equal if these are.
    """

    __slots__ = ("_functions", "_module", "_schemas", "_server", "_tools")

    def __init__(self, server: str, module: str, tools: tuple[ToolSchema, ...]) -> None:
        self._server, self._module, self._tools = server, module, tools
        by_name = {tool.name: tool for tool in reversed(tools)}
        self._schemas = {name: by_name[original] for name, original in identifiers(by_name).items()}
        self._functions: dict[str, ToolFact] = {}

    def __getitem__(self, name: str) -> ToolFact:
        function = self._functions.get(name)
        if function is None:
            path = f"{self._module}::{name}"
            function = self._functions[name] = function_of(path, self._server, self._schemas[name])
        return function

    def __contains__(self, name: object) -> bool:
        return name in self._schemas

    def __iter__(self) -> Iterator[str]:
        return iter(self._schemas)

    def __len__(self) -> int:
        return len(self._schemas)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Functions):
            return NotImplemented
        return (self._server, self._module, self._tools) == (other._server, other._module, other._tools)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class ToolModule:
    """The functions of a server by identifier; `is_seen` False: its tools were never listed. `name` is the server's own."""

    name: str
    identifier: str
    functions: Mapping[str, ToolFact]
    is_seen: bool
    age: str


def identifier(name: str) -> str:
    """A name as an identifier of the language."""
    word = _NO_LETTER.sub("_", name[:_LONGEST]) or "_"
    if word[0].isdigit():
        word = f"_{word}"
    return f"{word}_" if word in KEYWORDS else word


def module_path(imported: str) -> str:
    """The name of a module as `import mcp.NAME` writes it, which may have dashes, with that of the module."""
    return f"mcp.{identifier(imported.removeprefix('mcp.'))}"


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """An identifier for each name: the name itself where it is one; of names that clash the later ones get `_2`, `_3`, …"""
    ordered = sorted(dict.fromkeys(names), key=lambda name: (identifier(name) != name, name))
    taken: dict[str, str] = {}
    for name in ordered:
        base = candidate = identifier(name)
        number = 1
        while candidate in taken:
            number += 1
            candidate = f"{base}_{number}"
        taken[candidate] = name
    return taken


def shown_name(name: str) -> str:
    """A parameter's name for signatures: letters, digits and underscores as they are, others as `_`."""
    return identifier(name)


def cut(choice: str) -> str:
    """A choice as messages and hover show it, not quoted yet."""
    return choice if len(choice) <= _LONGEST_SHOWN else f"{choice[: _LONGEST_SHOWN - 1]}…"


def module_of(name: str, module: str, server_tools: ServerTools) -> ToolModule:
    """The module of a server, which programs call `module`."""
    return ToolModule(name, module, Functions(name, module, server_tools.tools), server_tools.is_seen, server_tools.age)


def function_of(path: str, server: str, tool: ToolSchema) -> ToolFact:
    """A tool as a function with a path in the language."""
    parameters, without_place = parameters_of(tool.parameters)
    return ToolFact(path, server, tool.name, parameters, RESULT, tool.description, tool.parameters, without_place)


# ---- the functions of `mcp` itself ----------------------------------------------------------------------------------

_NAME: Final = (Parameter("name", "String", True),)
_OWN: Final = (
    ("connect", _NAME, "Result<String, String>", "connects to a server; its name and version"),
    ("list_servers", (), "List<String>", "the servers that the workspace configures"),
    ("list_tools", _NAME, "List<McpTool>", "the tools that a server offers"),
)
OWN: Final[Mapping[str, ToolFact]] = {
    name: ToolFact(f"mcp::{name}", "", name, parameters, result, described) for name, parameters, result, described in _OWN
}


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method of `McpResult`: the opcode that it is, and its result's type. There is one object of each."""

    name: str
    opcode: str
    result: str
    documentation: str

    @property
    def signature(self) -> str:
        return f"fn {self.name}() -> {self.result}"


METHODS: Final[Mapping[str, Method]] = {
    method.name: method
    for method in (
        Method("text", "McpText", "Option<String>", "the first text of the answer"),
        Method("all_text", "McpAllText", "String", "all texts of the answer, a newline between them"),
        Method("json", "McpJson", "Result<String, String>", "the structured content as JSON, else the first text if it is JSON"),
        Method("structured", "McpStructured", "Option<String>", "the structured content as JSON, images and other parts with it"),
        Method("is_error", "McpIsError", "Bool", "whether the tool failed, or could not be called"),
        Method("content_types", "McpContentTypes", "List<String>", "the types of the answer's parts"),
    )
}
TOOL_FIELDS: Final = (("name", "String"), ("description", "String"), ("schema", "String"))
"""The fields of the record `McpTool`."""
