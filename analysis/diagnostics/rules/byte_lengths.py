"""W603: a length in bytes where characters are counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.copied_data import in_each_round
from analysis.semantics.function_nodes import Nodes
from analysis.semantics.rule_context import TextContext
from analysis.semantics.uses import NameUse
from analysis.syntax import tree as t

_LENGTH: Final = "__builtin_string_len"
_SLICE: Final = "__builtin_string_slice"
_BY_CHARACTERS: Final = {"__builtin_string_chars": 1, "string_char_at": 2, "string_substring": 3}
"""Functions that take a text apart into characters, by the number of their arguments."""
_IS_EMPTY: Final = re.compile(r"\s*(?:(?:==|!=|>|<=)\s*0|(?:<|>=)\s*1)\b")
_COMPARISONS: Final = frozenset(("==", "!=", "<", "<=", ">", ">="))
_FILLING: Final = frozenset(("string_repeat",))
"""Functions whose last argument is a number of characters."""
_ASCII: Final = frozenset(("__builtin_int_to_string", "__builtin_float_to_string", "__builtin_bool_to_string"))
"""Functions whose texts have as many bytes as characters."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """`__builtin_string_len(s)` in a function that takes the same text apart, or that pads it."""
    if not any(use.name == _LENGTH for use in paced(context.summary.names)):
        return
    for item, nodes in context.walked:
        uses = [use for use in paced(context.summary.names) if use.call is not None and item.start <= use.start < item.end]
        if any(use.name == _LENGTH for use in uses):
            yield from _lengths(context, uses, _Texts(context, item, nodes))


def _lengths(context: TextContext, uses: list[NameUse], texts: _Texts) -> Iterator[Diagnostic]:
    parted: set[str] = set()
    harmless: set[int] = set()
    in_bytes: set[int] = set()
    counted = _in_padding(texts)
    for use in uses:
        call = use.call
        if call is None or not call.arguments:
            continue
        if _BY_CHARACTERS.get(use.name) == len(call.arguments) or texts.is_one_byte(use.name, call):
            parted.add(texts.key(call.arguments[0]))
        if use.name in (_SLICE, "string_substring") and len(call.arguments) == 3:
            # As the end of a part the length is only an upper bound.
            harmless.add(call.arguments[2].start)
        if use.name == _SLICE:
            in_bytes.update(part.start for argument in call.arguments for part in t.walk(argument) if isinstance(part, t.Call))
        elif use.name in _FILLING:
            counted.update(texts.lengths_in(call.arguments[-1]))
    parted.discard("")
    compared = texts.compared()
    for use in uses:
        call = use.call
        if use.name != _LENGTH or call is None or len(call.arguments) != 1 or texts.is_ascii(call.arguments[0]):
            continue
        text, start = call.arguments[0], call.start
        is_safe = (start in harmless and _ends_there(context, call)) or _IS_EMPTY.match(context.text, call.end)
        is_known = _is_foreign(text) or (start in compared and not is_safe and texts.is_foreign(text))
        if (is_known and start not in in_bytes) or start in counted or (not is_safe and texts.key(text) in parted):
            yield diagnostic(
                "W603",
                (start, call.end),
                "this is the length in bytes, not the number of characters",
                help="count characters with `list_len(__builtin_string_chars(…))`",
                why="a character outside ASCII takes two to four bytes",
            )


class _Texts:
    """The texts of a function: what its locals can hold, as far as the function says."""

    def __init__(self, context: TextContext, item: t.Function, nodes: Nodes) -> None:
        self.context = context
        self.item = item
        self.nodes = nodes
        self.parameters = {parameter.start: parameter for parameter in item.parameters}
        self._lengths: dict[int, set[int]] = {}
        self._values: dict[int, list[t.Expr]] = {node.at: [node.value] for node in paced(nodes.of(t.Let), 1_000)}
        for node in paced(nodes.of(t.Assign), 1_000):
            values = self._values.get(context.names.uses.get(node.at, -1))
            if values is not None:
                values.append(node.value)

    def local(self, node: t.Node) -> int | None:
        """Where the local is declared that an expression is."""
        return self.context.names.uses.get(node.start) if isinstance(node, t.Name) else None

    def key(self, text: t.Expr) -> str:
        """The local that a text is in, or the field of one; "" for what has no name."""
        path = []
        while isinstance(text, t.FieldAccess):
            path.append(text.name)
            text = text.object
        local = self.local(text)
        return "" if local is None else ".".join([str(local), *reversed(path)])

    def is_one_byte(self, name: str, call: t.Call) -> bool:
        """`__builtin_string_slice(s, i, i + 1)`, or from `i - 1` to `i`: a byte, taken for a character."""
        if name != _SLICE or len(call.arguments) != 3:
            return False
        _, start, end = call.arguments
        return self._is_next(start, end, "+") or self._is_next(end, start, "-")

    def _is_next(self, index: t.Expr, other: t.Expr, operator: str) -> bool:
        if not isinstance(other, t.Binary) or other.operator != operator or not isinstance(other.right, t.IntLiteral):
            return False
        local = self.local(index)
        return local is not None and other.right.text == "1" and self.local(other.left) == local

    def is_ascii(self, text: t.Expr) -> bool:
        """True if a text has as many bytes as characters whatever happens."""
        waiting, seen = [text], set[int]()
        while waiting:
            node = waiting.pop()
            if isinstance(node, t.Binary) and node.operator == "++":
                waiting += (node.left, node.right)
            elif isinstance(node, t.StringLiteral):
                if not node.raw.isascii() or "\\u" in node.raw:
                    return False
            elif (local := self.local(node)) in seen:
                continue
            elif local is not None and local in self._values:
                seen.add(local)
                waiting += self._values[local]
            elif not (isinstance(node, t.Call) and isinstance(node.callee, t.Name) and node.callee.name in _ASCII):
                return False
        return True

    def is_foreign(self, text: t.Expr) -> bool:
        """True for a local that is always a literal with characters outside ASCII."""
        local = self.local(text)
        values = self._values.get(local, []) if local is not None else []
        return len(values) == 1 and _is_foreign(values[0])

    def lengths_in(self, node: t.Expr) -> set[int]:
        """The places of lengths that a value is computed from, also where a local begins with one."""
        lengths: set[int] = set()
        for part in t.walk(node):
            local = self.local(part)
            if isinstance(part, t.Call) and _calls(part, _LENGTH):
                lengths.add(part.start)
            elif local is not None and local in self._values:
                if local not in self._lengths:
                    parts = t.walk(self._values[local][0])
                    self._lengths[local] = {part.start for part in parts if isinstance(part, t.Call) and _calls(part, _LENGTH)}
                lengths |= self._lengths[local]
        return lengths

    def compared(self) -> set[int]:
        """Where both sides of comparisons begin."""
        nodes = paced(self.nodes.of(t.Binary), 1_000)
        return {side.start for node in nodes if node.operator in _COMPARISONS for side in (node.left, node.right)}

    def is_filler(self, node: t.Expr) -> bool:
        """A single character, or a parameter."""
        if isinstance(node, t.StringLiteral):
            return len(node.raw) == 1
        return self.local(node) in self.parameters


def _in_padding(texts: _Texts) -> set[int]:
    """The lengths that decide how often `out = out ++ " "` happens, in a loop or by recursion."""
    lengths: set[int] = set()
    for loop in paced(texts.nodes.of(t.While), 1_000):
        deciding = texts.lengths_in(loop.condition)
        if deciding and any(_pads(texts, node.value, node.at) for node in in_each_round(loop.body)):
            lengths |= deciding
    padded: set[int] = set()
    for call in paced(texts.nodes.of(t.Call), 1_000):
        if _calls(call, texts.item.name) and texts.local(call.callee) is None:
            both = zip(texts.parameters, call.arguments, strict=False)
            padded.update(parameter for parameter, argument in both if _pads(texts, argument, parameter))
    for call in paced(texts.nodes.of(t.Call), 1_000) if padded else ():
        if _calls(call, _LENGTH) and len(call.arguments) == 1 and texts.local(call.arguments[0]) in padded:
            lengths.add(call.start)
    return lengths


def _pads(texts: _Texts, value: t.Expr, name_at: int) -> bool:
    """True if a value is the text of a local with one character before or behind it."""
    if not isinstance(value, t.Binary) or value.operator != "++":
        return False
    local = texts.context.names.uses.get(name_at, name_at)
    sides = (value.left, value.right), (value.right, value.left)
    return any(texts.local(one) == local and texts.is_filler(other) for one, other in sides)


def _calls(call: t.Call, name: str) -> bool:
    return isinstance(call.callee, t.Name) and call.callee.name == name


def _is_foreign(text: t.Expr) -> bool:
    """True for a literal with characters outside ASCII."""
    return isinstance(text, t.StringLiteral) and not text.raw.isascii()


def _ends_there(context: TextContext, call: t.Call) -> bool:
    """True if an argument is the call alone."""
    return context.text[call.end : call.end + 1] in (")", ",")
