"""Variables outside of functions that functions change: each becomes a variable of `main`, handed to who needs it.

`let mut count = 0` beside `fn next() { count += 1 }`. A function that changes one, or calls another that does, takes it as a
parameter whose changes its caller sees; one that only reads it takes its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import deepcopy

from analysis.fixes.dialect.habits import habit
from analysis.fixes.dialect.rewriting.functions.changes import changing_words
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import UNIT
from analysis.fixes.dialect.tree.walking import bound_names, root_of, walk


def settle_globals(items: list[n.Item], text: str) -> list[n.Item]:
    """The items without such variables; those that cannot be handed on stay constants."""
    functions = {item.name: item for item in items if isinstance(item, n.Function)}
    if "main" not in functions:
        return items
    left: list[n.Item] = []
    for item in items:
        is_settled = isinstance(item, n.Constant) and _settle(item, functions, items, text)
        left.append(n.Alias(item.name, UNIT, start=item.start, end=item.end) if is_settled else item)  # type: ignore[attr-defined]
    return left


def _settle(constant: n.Constant, functions: dict[str, n.Function], items: list[n.Item], text: str) -> bool:
    name = constant.name
    reading = {each.name for each in functions.values() if _mentions(each, name) and not _binds(each, name)}
    changing = {each for each in reading if _changes(functions[each], name, text)}
    others = [item for item in items if isinstance(item, (n.Constant, n.Implementation)) and item is not constant]
    if not changing or any(isinstance(node, n.Name) and node.name == name for item in others for node in walk(item)):
        return False
    users = _with_callers(reading, functions)
    if any(_hands_on(each, users - {"main"}) or (each.name in users and _binds(each, name)) for each in functions.values()):
        return False
    changing = _with_callers(changing, functions)
    for user in users - {"main"}:
        functions[user].parameters.append(
            n.Parameter(name, constant.type, by_reference=user in changing, start=constant.start, end=constant.end)
        )
    for each in functions.values():
        for node in walk(each.body):
            if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in users - {"main"}:
                node.arguments.append(n.Argument(n.Name(name, start=node.start, end=node.end)))
    if "main" in users:
        declared = n.Let(n.Binding(name), constant.type, deepcopy(constant.value), "main" in changing)
        declared.start, declared.end = functions["main"].body.start, functions["main"].body.start
        statements = functions["main"].body.statements
        before = sum(isinstance(each, n.Let) and each.end == declared.end for each in statements)
        statements.insert(before, declared)
    return True


def _mentions(function: n.Function, name: str) -> bool:
    return any(isinstance(node, n.Name) and node.name == name for node in walk(function.body))


def _binds(function: n.Function, name: str) -> bool:
    """True if a function has a variable of its own with a name."""
    patterns = [node for node in walk(function.body) if isinstance(node, n.Pattern)]
    return any(part.name == name for part in function.parameters) or any(name in bound_names(each) for each in patterns)


def _changes(function: n.Function, name: str, text: str) -> bool:
    # In Python an assignment makes a variable of the function's own, unless the function says otherwise.
    is_own = habit(text) == "python" and re.search(rf"\bglobal\b[^\n]{{0,80}}\b{re.escape(name)}\b", text) is None
    for node in walk(function.body):
        if isinstance(node, n.Assign) and root_of(node.target) == name and not (is_own and isinstance(node.target, n.Name)):
            return True
        call = node.value if isinstance(node, n.Evaluate) else None
        member = call.function if isinstance(call, n.Call) else None
        if isinstance(member, n.Member) and root_of(member.object) == name and member.name in changing_words():
            return True
    return False


def _with_callers(names: Iterable[str], functions: dict[str, n.Function]) -> set[str]:
    """Functions, and all that call them, directly or through others."""
    reached = set(names)
    while True:
        more = {
            each.name
            for each in functions.values()
            if each.name not in reached
            and any(
                isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in reached
                for node in walk(each.body)
            )
        }
        if not more:
            return reached
        reached |= more


def _hands_on(function: n.Function, names: set[str]) -> bool:
    """True if a function uses one of some functions as a value."""
    called = {id(node.function) for node in walk(function.body) if isinstance(node, n.Call)}
    return any(isinstance(node, n.Name) and node.name in names and id(node) not in called for node in walk(function.body))
