"""Messages of an application: the texts that its `update` compares a message's tag with, as far as they are literals.

Functions of the file that receive the message or its tag are followed. The list is a guess for completion: an
application may take other messages, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from analysis.data_classes import dataclass
from analysis.syntax import tree as t
from analysis.syntax.lexer import decoded

MOST: Final = 500
"""Maximum number of messages."""


@dataclass(frozen=True, slots=True)
class AppMessage:
    """A tag, and whether what is done for it reads the payload."""

    tag: str
    has_payload: bool


def app_messages(items: Iterable[t.Item]) -> tuple[AppMessage, ...]:
    """The messages that the `update` of a file takes, in the order in which they are written."""
    functions = {item.name: item for item in items if isinstance(item, t.Function)}
    update = functions.get("update")
    if update is None or len(update.parameters) < 2:
        return ()
    payload_by_tag: dict[str, bool] = {}
    todo = [(update, frozenset((update.parameters[1].name,)), frozenset[str]())]
    met = {update.name}
    while todo and len(payload_by_tag) < MOST:
        function, messages, tags = todo.pop(0)
        names = _Names(messages, tags)
        for node in t.walk(function.body):
            for tag, body in names.compared(node):
                payload_by_tag[tag] = payload_by_tag.get(tag, False) or names.reads_payload(body)
            if isinstance(node, t.Call) and isinstance(node.callee, t.Name):
                called = functions.get(node.callee.name)
                if called is not None and called.name not in met:
                    handed = names.handed_on(node, called)
                    if handed is not None:
                        met.add(called.name)
                        todo.append((called, *handed))
    return tuple(AppMessage(tag, has_payload) for tag, has_payload in list(payload_by_tag.items())[:MOST])


class _Names:
    """In one function: the names that hold the message, and those that hold its tag."""

    def __init__(self, messages: frozenset[str], tags: frozenset[str]) -> None:
        self._messages = messages
        self._tags = set(tags)

    def compared(self, node: t.Node) -> list[tuple[str, t.Node]]:
        """The tags that a node compares with, each with the code that runs for it."""
        if isinstance(node, t.Let) and self._is_tag(node.value):
            self._tags.add(node.name)
        if isinstance(node, t.Match) and self._is_tag(node.value):
            return [(decoded(arm.pattern.raw), arm.body) for arm in node.arms if isinstance(arm.pattern, t.StringPattern)]
        if isinstance(node, t.If):
            return [(tag, node.then_block) for tag in self._equal_to(node.condition)]
        return []

    def _equal_to(self, condition: t.Expr) -> list[str]:
        tags = []
        for node in t.walk(condition):
            if isinstance(node, t.Binary) and node.operator == "==":
                for side, other in ((node.left, node.right), (node.right, node.left)):
                    if self._is_tag(side) and isinstance(other, t.StringLiteral):
                        tags.append(decoded(other.raw))
        return tags

    def _is_tag(self, node: t.Expr) -> bool:
        if isinstance(node, t.FieldAccess):
            return node.name == "tag" and isinstance(node.object, t.Name) and node.object.name in self._messages
        return isinstance(node, t.Name) and node.name in self._tags

    def reads_payload(self, body: t.Node) -> bool:
        """True if a node reads the payload or passes the whole message on."""
        of_a_field = set()
        for node in t.walk(body):
            if isinstance(node, t.FieldAccess) and isinstance(node.object, t.Name) and node.object.name in self._messages:
                of_a_field.add(id(node.object))
                if node.name != "tag":
                    return True
            elif isinstance(node, t.Name) and node.name in self._messages and id(node) not in of_a_field:
                return True
        return False

    def handed_on(self, call: t.Call, called: t.Function) -> tuple[frozenset[str], frozenset[str]] | None:
        """The called function's parameters that get the message, and those that get its tag; None if neither is passed."""
        pairs = list(zip(called.parameters, call.arguments, strict=False))
        messages = frozenset(
            parameter.name for parameter, given in pairs if isinstance(given, t.Name) and given.name in self._messages
        )
        tags = frozenset(parameter.name for parameter, given in pairs if self._is_tag(given))
        return (messages, tags) if messages or tags else None
