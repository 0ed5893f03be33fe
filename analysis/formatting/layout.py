"""The canonical layout (spec chapter 03, sections 2 to 4): a tree as the lines of its text, comments left out.

Nothing is recursive, since trees are thousands of levels high: a step writes a text, breaks the line, or is a node that
is replaced by its own steps. Each line remembers where its first token stands in the source, so that `comments.py` can
tell which line a comment belongs to.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from analysis.data_classes import dataclass, field
from analysis.database import checkpoint, paced
from analysis.syntax import tree as t
from analysis.syntax.lexer import Tokens
from analysis.syntax.numbers import float_text, integer_text
from analysis.syntax.parser import BINARY_LEVELS

INDENT: Final = "    "
_OFTEN: Final = 500
"""Steps between two checkpoints."""


@dataclass(slots=True)
class Line:
    """One line of the output; a string in it can hold line feeds. `first` is the source offset of its first token."""

    first: int
    indent: int
    blank_before: bool = False
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The line as it is written, without its end."""
        return INDENT * self.indent + "".join(self.parts)

    @property
    def closes(self) -> bool:
        """True if the line begins with a brace that was opened on another line."""
        return self.parts[0] == "}"


Break = tuple[int, int]
"""Begins a line: source offset of its first token, change of the indentation."""
Step = str | Break | t.Node


def lines_of(items: Iterable[t.Item], tokens: Tokens) -> list[Line]:
    """The lines of the items of a sound tree; `tokens` are those that the tree was made of."""
    writer = _Writer(tokens)
    for item in items:
        writer.write_item(item)
    return writer.lines


@dataclass(slots=True)
class _Watch:
    """A part just written that needs parentheses if `opening` is the next thing printed (chapter 03, section 3)."""

    parts: list[str]
    index: int
    opening: str
    before: _Watch | None


class _Writer:
    def __init__(self, tokens: Tokens) -> None:
        self.lines: list[Line] = []
        self._tokens = tokens
        self._indent = 0
        self._parts: list[str] = []
        self._watch: _Watch | None = None

    def write_item(self, item: t.Item) -> None:
        self._begin(item.start, blank_before=bool(self.lines))
        stack: list[Step] = [*reversed(self._function(item) if isinstance(item, t.Function) else _item(item))]
        count = 0
        while stack:
            step = stack.pop()
            count += 1
            if count % _OFTEN == 0:
                checkpoint()
            if isinstance(step, str):
                self._write(step)
            elif isinstance(step, tuple):
                self._indent += step[1]
                self._begin(step[0])
            elif type(step) is t.Name:
                if "A" <= step.name[0] <= "Z":
                    self._write_watched(step.name, "{")
                else:
                    self._write(step.name)
            elif type(step) is t.VariantLiteral and step.payload is None:
                self._write_watched(f"{step.enum}::{step.variant}", "(")
            else:
                stack += reversed(_STEPS[type(step)](step))
        self._watch = None

    def _begin(self, first: int, blank_before: bool = False) -> None:
        line = Line(first, self._indent, blank_before)
        self._parts = line.parts
        self.lines.append(line)

    def _write(self, text: str) -> None:
        if self._watch is not None and (visible := text.lstrip(" ")):
            if visible[0] == self._watch.opening:
                self._parenthesise(self._watch)
            self._watch = None
        self._parts.append(text)

    def _write_watched(self, text: str, opening: str) -> None:
        before = self._watch
        self._write(text)
        self._watch = _Watch(self._parts, len(self._parts) - 1, opening, before)

    def _parenthesise(self, watch: _Watch) -> None:
        watch.parts[watch.index] = f"({watch.parts[watch.index]})"
        # `send (E::A) (Top)`: now a parenthesis follows the part before.
        if watch.before is not None and watch.before.opening == "(":
            self._parenthesise(watch.before)

    def _function(self, node: t.Function) -> list[Step]:
        parameters = ", ".join([f"{parameter.name}: {t.type_text(parameter.type)}" for parameter in node.parameters])
        head = f"{_exported(node)}fn {node.name}({parameters})"
        if node.result is not None:
            head += f" -> {t.type_text(node.result)}"
        if node.capabilities:
            head += f" !{{{', '.join([capability.name for capability in node.capabilities])}}}"
        steps: list[Step] = [head]
        if node.intent is not None:
            steps += [self._clause(node.intent), f'intent "{node.intent.raw}"']
        for clause in node.requires:
            steps += [self._clause(clause), "requires ", clause]
        for clause in node.ensures:
            steps += [self._clause(clause), "ensures ", clause]
        return [*steps, " ", node.body]

    def _clause(self, value: t.Expr) -> Break:
        """The line of a clause begins with the keyword, for which the tree has no place."""
        index = bisect_left(self._tokens.starts, value.start) - 1
        while self._tokens.kinds[index] == "(":
            index -= 1
        return self._tokens.starts[index], 0


# ---- items ----------------------------------------------------------------------------------------------------------


def _exported(node: t.Item) -> str:
    return "export " if node.exported else ""


def _item(node: t.Item) -> list[Step]:
    match node:
        case t.Module():
            return [f"module {node.name}"]
        case t.Import():
            return [f'import "{node.name}"' if node.form == "quoted" else f"import {node.name}"]
        case t.Record():
            head = f"{_exported(node)}type {node.name} {{"
            return [head, *_lines([(part.start, [_field(part)]) for part in node.fields], node.end)]
        case t.Enum():
            head = f"{_exported(node)}enum {node.name} {{"
            return [head, *_lines([(part.start, [_variant(part)]) for part in node.variants], node.end)]
    raise TypeError(f"no layout for {type(node).__name__}")


def _field(node: t.Field) -> str:
    return f"{node.name}: {t.type_text(node.type)},"


def _variant(node: t.Variant) -> str:
    return f"{node.name}({t.type_text(node.payload)})," if node.payload is not None else f"{node.name},"


def _lines(rows: Sequence[tuple[int, Sequence[Step]]], end: int) -> list[Step]:
    """Rows of a brace one level deeper, each with the offset of its first token, and the closing brace before `end`."""
    steps: list[Step] = []
    for index, (start, row) in enumerate(paced(rows)):
        steps += [(start, 0 if index else 1), *row]
    return [*steps, (end - 1, -1 if rows else 0), "}"]


# ---- statements and expressions -------------------------------------------------------------------------------------


def _block(node: t.Block) -> list[Step]:
    return ["{", *_lines([(statement.start, (statement,)) for statement in node.statements], node.end)]


def _let(node: t.Let) -> list[Step]:
    declared = f": {t.type_text(node.type)}" if node.type is not None else ""
    return [f"let {'mut ' if node.mutable else ''}{node.name}{declared} = ", node.value]


def _if(node: t.If) -> list[Step]:
    steps: list[Step] = ["if ", node.condition, " ", node.then_block]
    return [*steps, " else ", node.else_block] if node.else_block is not None else steps


def _match(node: t.Match) -> list[Step]:
    rows: list[tuple[int, list[Step]]] = [(arm.start, [arm.pattern, " => ", arm.body, ","]) for arm in node.arms]
    return ["match ", node.value, " {", *_lines(rows, node.end)]


def _binary(node: t.Binary) -> list[Step]:
    level = BINARY_LEVELS[node.operator]
    left, right = node.left, node.right
    steps: list[Step] = [left]
    if isinstance(left, t.Binary) and BINARY_LEVELS[left.operator] < level:
        steps = ["(", left, ")"]
    steps.append(f" {node.operator} ")
    if isinstance(right, t.Binary) and BINARY_LEVELS[right.operator] <= level:
        return [*steps, "(", right, ")"]
    return [*steps, right]


def _inside(node: t.Expr, *loose: type[t.Expr]) -> list[Step]:
    """A node, in parentheses if it binds more loosely than its place allows."""
    return ["(", node, ")"] if isinstance(node, loose) else [node]


def _operand(node: t.Expr) -> list[Step]:
    """An operand of `spawn`, `emit`, `send`, which take no postfix, prefix or binary expression."""
    return _inside(node, t.Binary, t.Unary, t.Call, t.FieldAccess)


def _listed(nodes: Iterable[t.Node]) -> list[Step]:
    steps: list[Step] = []
    for node in nodes:
        steps += [", ", node]
    return steps[1:]


def _record(node: t.RecordLiteral) -> list[Step]:
    spread: list[Step] = ["..", node.spread] if node.spread is not None else []
    rows: list[Step] = []
    for init in node.fields:
        rows += [", " if rows or spread else "", f"{init.name}: ", init.value]
    return [f"{node.name} {{ ", *spread, *rows, " }"] if spread or rows else [f"{node.name} {{}}"]


def _variant_literal(node: t.VariantLiteral) -> list[Step]:
    assert node.payload is not None
    return [f"{node.enum}::{node.variant}(", node.payload, ")"]


def _variant_pattern(node: t.VariantPattern) -> list[Step]:
    return [node.name, "(", node.payload, ")"] if node.payload is not None else [node.name]


_STEPS: Final[dict[type[t.Node], Callable[[Any], list[Step]]]] = {
    t.Block: _block,
    t.Let: _let,
    t.Assign: lambda node: [f"{node.name} = ", node.value],
    t.Return: lambda node: ["return ", node.value] if node.value is not None else ["return"],
    t.While: lambda node: ["while ", node.condition, " ", node.body],
    t.For: lambda node: [f"for {node.name} in ", node.iterable, " ", node.body],
    t.If: _if,
    t.Match: _match,
    t.IntLiteral: lambda node: [integer_text(node.text)],
    t.FloatLiteral: lambda node: [float_text(node.text)],
    t.StringLiteral: lambda node: [f'"{node.raw}"'],
    t.BoolLiteral: lambda node: ["true" if node.value else "false"],
    t.NoneLiteral: lambda node: ["None"],
    t.Binary: _binary,
    t.Unary: lambda node: [node.operator, *_inside(node.operand, t.Binary)],
    t.Call: lambda node: [*_inside(node.callee, t.Binary, t.Unary), "(", *_listed(node.arguments), ")"],
    t.FieldAccess: lambda node: [*_inside(node.object, t.Binary, t.Unary), f".{node.name}"],
    t.RecordLiteral: _record,
    t.VariantLiteral: _variant_literal,
    t.ListLiteral: lambda node: ["[", *_listed(node.items), "]"],
    t.Wrap: lambda node: [f"{node.kind}(", node.operand, ")"],
    t.Spawn: lambda node: ["spawn ", *_operand(node.operand)],
    t.Emit: lambda node: ["emit ", *_operand(node.operand)],
    t.Send: lambda node: ["send ", *_operand(node.target), " ", *_operand(node.message)],
    t.Receive: lambda node: ["receive"],
    t.WildcardPattern: lambda node: ["_"],
    t.NamePattern: lambda node: [node.name],
    t.IntPattern: lambda node: [integer_text(node.text)],
    t.StringPattern: lambda node: [f'"{node.raw}"'],
    t.BoolPattern: lambda node: ["true" if node.value else "false"],
    t.NonePattern: lambda node: ["None"],
    t.WrapPattern: lambda node: [f"{node.kind}(", node.inner, ")"],
    t.VariantPattern: _variant_pattern,
}
