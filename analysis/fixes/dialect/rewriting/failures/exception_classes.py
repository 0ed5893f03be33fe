"""Exceptions of several classes of which handlers tell one from the others: what is thrown is an enum with a variant for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from analysis.fixes.dialect.rewriting.failures.exception_kinds import (
    BAD_DIVISOR,
    BAD_KEY,
    BAD_NUMBER,
    BAD_PLACE,
    catches,
    conversion,
)
from analysis.fixes.dialect.rewriting.failures.exception_values import message_of
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.attempts import Attempt, Clause, Thrown
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import replace_below, walk

THROWN: Final = "Thrown"
_PLAIN: Final = "RuntimeError"
"""The class of a text that is thrown."""
_UNSAID: Final = (*BAD_DIVISOR, *BAD_PLACE, *BAD_KEY)
_MOST: Final = 12
"""Classes that are told apart."""
_BASES: Final = {
    "KeyError": ("LookupError",),
    "IndexError": ("LookupError",),
    "ZeroDivisionError": ("ArithmeticError",),
    "InvalidArgumentException": ("LogicException",),
    "DomainException": ("LogicException",),
    "LengthException": ("LogicException",),
    "OutOfRangeException": ("LogicException",),
    "NumberFormatException": ("IllegalArgumentException",),
    "ArgumentNullException": ("ArgumentException",),
    "ArgumentOutOfRangeException": ("ArgumentException",),
    "FileNotFoundError": ("OSError",),
    "StopIteration": (),
}
"""Classes of libraries that are one of others besides the general ones."""


@dataclass(eq=False)
class ExceptionClass(n.Alias):
    """`class Low extends Exception {}`: an item that leaves nothing behind."""

    own: str = ""
    base: str = ""
    has_name: bool = False
    """True if its constructor sets its name, which is that of its base otherwise in JavaScript."""


def caught_by_class(attempts: Sequence[Attempt]) -> None:
    """Writes `catch (e) { if (e instanceof A) { … } else { … } }` as a clause for each class."""
    for attempt in attempts:
        only = attempt.handler.statements[0] if len(attempt.handler.statements) == 1 else None
        if attempt.others or attempt.kinds or not attempt.name or not isinstance(only, n.Evaluate):
            continue
        rows: list[tuple[tuple[str, ...], n.Block]] = []
        choice: n.Expr = only.value
        while isinstance(choice, n.If) and (kinds := _tested(choice.condition, attempt.name)):
            rows.append((kinds, choice.then))
            rest = choice.otherwise or n.Block([], start=choice.end, end=choice.end)
            inner = rest.statements[0] if len(rest.statements) == 1 else None
            following = inner.value if isinstance(inner, n.Evaluate) else None
            if not isinstance(following, n.If) or not _tested(following.condition, attempt.name):
                rows.append(((), rest))
                break
            choice = following
        if not rows:
            continue
        attempt.kinds, attempt.handler = rows[0]
        attempt.others = [Clause(kinds, attempt.name, block, start=block.start, end=block.end) for kinds, block in rows[1:]]


def _tested(condition: n.Expr, name: str) -> tuple[str, ...]:
    """The classes that a condition asks a name for: `e instanceof A || e instanceof B`, `isinstance(e, A)`."""
    match condition:
        case n.Binary(operator="||"):
            left, right = _tested(condition.left, name), _tested(condition.right, name)
            return (*left, *right) if left and right else ()
        case n.Binary(operator="instanceof", left=n.Name(name=own), right=n.Name(name=kind)) if own == name:
            return (kind,)
        case n.Call(function=n.Name(name="isinstance"), arguments=[n.Argument(value=n.Name(name=own)), n.Argument(value=kind)]):
            kinds = kind.items if isinstance(kind, n.TupleOf) else [kind]
            words = tuple(each.name for each in kinds if isinstance(each, n.Name))
            return words if own == name and len(words) == len(kinds) else ()
    return ()


def with_thrown_classes(items: list[n.Item]) -> tuple[list[n.Item], Callable[[n.Expr], n.Expr]]:
    """The items with an enum of what is thrown, and what makes a variant of the message of a conversion."""
    program = [item for item in items if not isinstance(item, n.Verbatim)]
    nodes = [node for item in program for node in walk(item)]
    attempts = [node for node in nodes if isinstance(node, Attempt)]
    clauses = [clause for attempt in attempts for clause in _clauses(attempt)]
    caught_names = {clause.name for clause in clauses}
    named = {kind for clause in clauses for kind in clause.kinds}
    if named & set(_UNSAID) or any(isinstance(item, n.Enum) and item.name == THROWN for item in program):
        raise Untranslatable("exceptions of several classes", attempts[0].start)
    thrown: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, Thrown) and not _is_again(node, caught_names):
            thrown[node.type_name or _PLAIN] = None
    number = next((each for each in BAD_NUMBER if each in named), BAD_NUMBER[0])
    if any(isinstance(node, n.Call) and conversion(node) for node in nodes):
        thrown[number] = None
    if len(thrown) > _MOST or any(node.failed for node in attempts):
        raise Untranslatable("exceptions of fewer classes", attempts[0].start)
    bases = {item.own: item.base for item in program if isinstance(item, ExceptionClass)}
    unnamed = {item.own for item in program if isinstance(item, ExceptionClass) and not item.has_name}
    for node in nodes:
        if isinstance(node, Thrown) and not _is_again(node, caught_names):
            message = node.value or n.Literal("string", '""', start=node.start, end=node.end)
            node.value = _variant(node.type_name or _PLAIN, message)
    for attempt in attempts:
        _merge(attempt, list(thrown), bases, unnamed)
    enum = n.Enum(THROWN, [n.Variant(name, [Type("String")]) for name in thrown])
    return _with_enum(items, enum), lambda message: _variant(number, message)


def _with_enum(items: list[n.Item], enum: n.Enum) -> list[n.Item]:
    """The items with the enum in place of the first class of exceptions, or behind the last item."""
    declared = next((place for place, item in enumerate(items) if isinstance(item, ExceptionClass)), None)
    if declared is None:
        enum.start = enum.end = items[-1].end
        return [*items, enum]
    enum.start, enum.end = items[declared].start, items[declared].end
    return [*items[:declared], enum, *items[declared + 1 :]]


def said_of(value: n.Expr | None) -> n.Expr | None:
    """The message of what is thrown."""
    if isinstance(value, n.Call) and isinstance(value.function, n.Path) and value.function.owner == THROWN:
        return value.arguments[0].value
    return value


def _variant(name: str, message: n.Expr) -> n.Expr:
    path = n.Path(THROWN, name, start=message.start, end=message.start)
    return n.Call(path, [n.Argument(message)], start=message.start, end=message.end)


def _clauses(attempt: Attempt) -> Iterator[Clause]:
    yield Clause(attempt.kinds, attempt.name, attempt.handler)
    yield from attempt.others


def _is_again(node: Thrown, names: set[str]) -> bool:
    """`throw e` of what was caught."""
    return isinstance(node.value, n.Name) and node.value.name in names and not node.type_name


def _merge(attempt: Attempt, thrown: list[str], bases: dict[str, str], unnamed: set[str]) -> None:
    """One handler that matches on the class in place of several clauses."""
    start, end = attempt.start, attempt.end
    name = f"thrown_{start}"
    arms: list[n.Arm] = []
    for kind in thrown:
        clause = next((each for each in _clauses(attempt) if catches(each.kinds, kind, *_above(kind, bases))), None)
        if clause is None:
            continue
        body = deepcopy(clause.handler)
        replace_below(body, _with_class(clause.name, kind, kind in unnamed))
        replace_below(body, message_of(clause.name))
        replace_below(body, _thrown_again(clause.name, name))
        is_used = any(isinstance(node, n.Name) and node.name == clause.name for node in walk(body))
        held: n.Pattern = n.Binding(clause.name) if clause.name and is_used else n.Wildcard()
        pattern = n.VariantPattern(THROWN, kind, [held], start=start, end=start)
        arms.append(n.Arm(pattern, None, body, start=body.start, end=body.end))
    if not arms:
        raise Untranslatable("an exception that nothing here throws", start)
    if len(arms) < len(thrown):
        again = Thrown("throw", n.Name(name, start=end, end=end), start=end, end=end)
        leave = n.Block([n.Evaluate(again, start=end, end=end)], start=end, end=end)
        arms.append(n.Arm(n.Wildcard(start=end, end=end), None, leave, start=end, end=end))
    match = n.Match(n.Name(name, start=start, end=start), arms, start=start, end=end)
    attempt.handler = n.Block([n.Evaluate(match, start=start, end=end)], start=start, end=end)
    attempt.name, attempt.kinds, attempt.others = name, (), []


def _above(kind: str, bases: dict[str, str]) -> tuple[str, ...]:
    """The classes that a class is one of."""
    classes: list[str] = []
    waiting = [kind]
    while waiting:
        each = waiting.pop()
        more = [bases[each]] if each in bases else list(_BASES.get(each, ()))
        waiting += [name for name in more if name not in classes]
        classes += [name for name in more if name not in classes]
    return tuple(classes)


def _with_class(name: str, kind: str, is_unnamed: bool) -> Callable[[n.Node], n.Node]:
    """`get_class($e)`, `type(e).__name__`, `e.class.name`, `e.name`: the class, which an arm knows."""
    text = n.Literal("string", f'"{kind}"')

    def change(node: n.Node) -> n.Node:
        match node:
            case n.Call(function=n.Name(name="get_class"), arguments=[n.Argument(value=n.Name(name=own))]) if own == name:
                return deepcopy(text)
            case n.Member(object=n.Call(function=n.Name(name="type"), arguments=[n.Argument(value=n.Name(name=own))])) if (
                own == name
            ):
                return deepcopy(text)
            case n.Member(object=n.Member(object=n.Name(name=own), name=("class" | "constructor")), name="name") if own == name:
                return deepcopy(text)
            case n.Member(object=n.Name(name=own), name="name") if own == name and not is_unnamed:
                return deepcopy(text)
        return node

    return change


def _thrown_again(name: str, whole: str) -> Callable[[n.Node], n.Node]:
    def change(node: n.Node) -> n.Node:
        if isinstance(node, Thrown) and isinstance(node.value, n.Name) and node.value.name == name:
            node.value = n.Name(whole, start=node.start, end=node.end)
        return node

    return change
