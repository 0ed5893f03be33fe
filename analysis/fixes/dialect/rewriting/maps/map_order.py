"""Doubts about the order of maps: here entries come in the order of their keys, in script languages as they were put in.

After types are found, every value that holds entries in order is followed up to where its order is lost (a sum, a sort, a test)
or may be seen. Only what may be seen is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from analysis.fixes.dialect.habits import KEEPING
from analysis.fixes.dialect.rewriting.maps.kept_best import keeps_best
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import head
from analysis.fixes.dialect.tree.walking import children, walk

_HABITS: Final = {"python": "Python", "javascript": "JavaScript", "ruby": "Ruby", "php": "PHP", KEEPING: "Java, Kotlin and C#"}
_LISTING: Final = frozenset(
    "@map_keys @map_entries @entries_map @entries_sort_by @entries_sort_by_descending @entries_max_by @entries_min_by "
    "@keys_max_by @keys_min_by @keys_sort_by @keys_sort_by_descending @entries_for_each @entries_find @entries_flat_map "
    "@entries_fold @entries_partition @each_key @each_value &most_common __builtin_map_values({0})".split()
)
"""Operations of maps that go through the entries in order."""
_BY_KEY: Final = frozenset(("@entries_sort_by", "@entries_sort_by_descending", "@keys_sort_by", "@keys_sort_by_descending"))
_LOSING: Final = frozenset(
    "len length size count sum max min max_of min_of any all some every none contains includes include has to_set toSet set "
    "to_map is_empty isEmpty empty list_len list_sum list_contains list_max list_min list_sort array_sum product sort_desc "
    "sortDescending sortedDescending same_items to_h has_place".split()
)
"""Operations whose result does not depend on the order of what they work on."""
_SORTING: Final = frozenset(
    "sort sorted sort_by sortBy sorted_by sortedBy sort_by_key sort_by_key_descending usort toSorted".split()
)
_FOLDING: Final = frozenset("reduce fold inject foldl foldLeft".split())
_KEEPING: Final = frozenset(
    "map filter select reject collect to_list toList list entries keys values reversed reverse toArray to_a iter items flat_map "
    "flatMap filter_map compact copy clone find_all from".split()
)
"""Operations that keep the order."""
_MOST: Final = 2000
"""Nodes of a function that are looked at."""


def shown_maps(item: n.Item, habit: str) -> frozenset[str] | None:
    """The variables of maps of which a function shows the order, "" for another map; None where it shows none."""
    functions = [item] if isinstance(item, n.Function) else item.functions if isinstance(item, n.Implementation) else []
    if habit not in _HABITS:
        return None
    try:
        return frozenset(name for function in functions for name in _Order(function).shown()) or None
    except RecursionError:
        return frozenset(("",))


def doubts_of_order(shown: frozenset[str] | None, habit: str) -> Iterator[tuple[str, str]]:
    """A word and a doubt for a function that shows the order of the entries of a map."""
    if shown is not None:
        yield "__builtin_map_", f"entries come in the order of their keys; in {_HABITS[habit]} as they were put in"


class _Order:
    """One function; `parents` lead from a node, by identity, to the one above it."""

    def __init__(self, function: n.Function) -> None:
        self.function = function
        self.parents: dict[int, n.Node] = {}
        self.nodes: list[n.Node] = []
        for node in walk(function):
            self.nodes.append(node)
            for child in children(node):
                self.parents.setdefault(id(child), node)
        self.steps = 0
        self.followed: set[str] = set()
        self.uses: dict[str, list[n.Name]] = {}
        self.lets: dict[str, list[n.Let]] = {}
        for node in self.nodes:
            if isinstance(node, n.Name):
                self.uses.setdefault(node.name, []).append(node)
            elif isinstance(node, n.Let) and isinstance(node.pattern, n.Binding):
                self.lets.setdefault(node.pattern.name, []).append(node)
        self.changed = {name for node in self.nodes if (name := _changed(node))}

    def shown(self) -> frozenset[str]:
        """The maps whose order may be seen in what the function does."""
        owners: set[str] = set()
        for node in self.nodes:
            if self._lists(node) and not self._is_ascending(node) and self._is_seen(node):
                owner = self._owner(node)
                owners.add(owner.name if isinstance(owner, n.Name) else "")
        return frozenset(owners)

    # ---- where an order begins ----

    def _lists(self, node: n.Node) -> bool:
        if isinstance(node, (n.For, n.Comprehension)):
            return head(node.source.ty) == "Map"
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in ("map_keys", "map_values"):
            return True
        operation = node.operation if isinstance(node, (n.Call, n.Member)) else None
        return operation is not None and operation.kind == "Map" and operation.template in _LISTING

    def _is_ascending(self, node: n.Node) -> bool:
        """True if a map is a literal with its keys in order that nothing is put into."""
        owner = self._owner(node)
        if isinstance(owner, n.Name):
            lets = self.lets.get(owner.name, [])
            if len(lets) != 1 or owner.name in self.changed:
                return False
            owner = lets[0].value
        keys: list[str] = []
        if isinstance(owner, n.MapOf) and owner.pairs:
            keys = [key.text if isinstance(key, n.Literal) and key.kind == "string" else "" for key, _ in owner.pairs]
        elif isinstance(owner, n.RecordOf) and owner.base is None:
            keys = list(owner.fields)
        return bool(keys) and all(left < right for left, right in pairwise(keys)) and "" not in keys

    def _owner(self, node: n.Node) -> n.Expr | None:
        if isinstance(node, (n.For, n.Comprehension)):
            return node.source
        if isinstance(node, n.Member):
            return node.object
        if isinstance(node, n.Call):
            return node.operands[0] if node.operands else node.arguments[0].value if node.arguments else None
        return None

    # ---- where it goes ----

    def _is_seen(self, node: n.Node) -> bool:
        """True if the order of what a node gives may be seen."""
        self.steps += 1
        if self.steps > _MOST:
            return True
        self.followed = set()
        if isinstance(node, n.For):
            return not keeps_best(node) and self._shows(node.body)
        operation = node.operation if isinstance(node, (n.Call, n.Member)) else None
        if operation is not None and operation.template == "@entries_for_each" and isinstance(node, n.Call):
            closure = node.operands[-1] if node.operands else None
            return not isinstance(closure, n.Lambda) or self._shows(closure.body)
        if operation is not None and operation.template in _BY_KEY and isinstance(node, n.Call):
            return not _is_total(node.operands[-1])
        return self._is_seen_above(node)

    def _is_seen_above(self, node: n.Node) -> bool:
        parent = self.parents.get(id(node))
        match parent:
            case n.Member():
                return self._is_method_seen(parent)
            case n.Call():
                return self._is_operand_seen(parent, node)
            case n.Argument():
                call = self.parents.get(id(parent))
                if isinstance(call, n.Call) and isinstance(call.function, n.Name) and call.function.name in _LOSING | {"sorted"}:
                    return False
                return not isinstance(call, n.Call) or self._is_operand_seen(call, node)
            case n.Spread():
                return self._is_seen_above(parent)
            case n.ListOf(items=[_]) | n.Comprehension():
                return self._is_seen_above(parent)
            case n.For():
                return not keeps_best(parent) and self._shows(parent.body)
            case n.Let(pattern=n.Binding(name=name)) | n.Assign(target=n.Name(name=name)):
                return self._is_name_seen(name, parent)
            case n.Binary(operator="in"):
                return False
        return True

    def _is_method_seen(self, member: n.Member) -> bool:
        """True if the result of a method or property depends on the order of its receiver."""
        call = self.parents.get(id(member))
        if not isinstance(call, n.Call) or call.function is not member:
            return member.name not in _LOSING | _SORTING and (member.name not in _KEEPING or self._is_seen_above(member))
        arguments = [each.value for each in call.arguments]
        if member.name in _LOSING or (member.name in _FOLDING and _is_commutative(call)):
            return False
        if member.name in _SORTING:
            return bool(arguments) and not _is_total(arguments[-1])
        return member.name not in _KEEPING or self._is_seen(call)

    def _is_operand_seen(self, call: n.Call, node: n.Node) -> bool:
        """True if the result of an operation depends on the order of an operand; a derived one passes the order on."""
        operation = call.operation
        if operation is None:
            return True
        if operation.template == "@map_from":
            return False
        if operation.name == "derived" or operation.template == "{0}":
            return self._is_seen_above(call)
        if not call.operands or call.operands[0] is not node:
            return operation.name not in _LOSING
        if operation.name in _FOLDING and _is_commutative(call):
            return False
        if operation.name in _SORTING:
            return len(call.operands) > 1 and not _is_total(call.operands[-1])
        return operation.name not in _LOSING and (operation.name not in _KEEPING or self._is_seen_above(call))

    def _is_name_seen(self, name: str, place: n.Node) -> bool:
        """True if a list with a name is seen in order: not where it is sorted in its place."""
        if name in self.followed:
            return False
        self.followed.add(name)
        uses = self.uses.get(name, [])
        self.steps += len(uses)
        if self.steps > _MOST:
            return True
        for use in uses:
            member = self.parents.get(id(use))
            call = self.parents.get(id(member)) if isinstance(member, n.Member) else None
            if isinstance(member, n.Member) and isinstance(call, n.Call) and member.name in _SORTING:
                closures = [each.value for each in call.arguments]
                if isinstance(self.parents.get(id(call)), n.Evaluate) and (not closures or _is_total(closures[-1])):
                    return False
        return any(self._is_seen_above(use) for use in uses if not _is_target(self.parents.get(id(use)), use, place))

    def _shows(self, body: n.Node) -> bool:
        """True if what a loop does depends on the order of its rounds."""
        results: set[str] = set()
        for node in walk(body):
            if isinstance(node, n.Assign) and not self._is_sum(node):
                return True
            if isinstance(node, n.Jump):
                if node.kind in ("break", "throw") or (node.kind == "return" and not isinstance(node.value, n.Literal)):
                    return True
                results |= {node.value.text} if isinstance(node.value, n.Literal) else set()
            if isinstance(node, n.Call) and node.operation is not None and node.operation.mutates and self._is_put(node):
                return True
            if isinstance(node, n.Call) and node.operation is None and _puts(node.function):
                return True
        return len(results) > 1

    def _is_sum(self, node: n.Assign) -> bool:
        """`total += v`, `found = true`, `other[k] = v`: the same in every order."""
        if isinstance(node.target, n.Index):
            return head(node.target.object.ty) == "Map"
        is_number = head(node.target.ty) in ("Int", "Float") or head(node.value.ty) in ("Int", "Float")
        if node.operator in ("+", "-", "*"):
            return is_number
        if isinstance(node.value, n.Literal):
            return node.value.kind == "bool"
        value = node.value
        adds = isinstance(value, n.Binary) and value.operator in ("+", "-", "*") and is_number
        return adds and isinstance(value, n.Binary) and _same_name(node.target, value.left)

    def _is_put(self, call: n.Call) -> bool:
        """True if a call puts something into a list in order that is seen."""
        owner = call.operands[0] if call.operands else None
        if head(owner.ty if owner is not None else None) == "Map" or (
            owner is not None and owner.ty and owner.ty.resolved().trait == "set"
        ):
            return False
        return not isinstance(owner, n.Name) or self._is_name_seen(owner.name, call)


def _puts(function: n.Expr) -> bool:
    return isinstance(function, n.Name) and function.name in ("list_push", "print")


def _is_commutative(call: n.Call) -> bool:
    """True if a fold adds or multiplies numbers."""
    if head(call.ty) not in ("Int", "Float"):
        return False
    for each in call.operands or [argument.value for argument in call.arguments]:
        if isinstance(each, n.OperatorFunction):
            return each.operator in ("+", "*")
        if isinstance(each, n.Lambda) and isinstance(each.body, n.Binary):
            return each.body.operator in ("+", "*") and isinstance(each.body.left, n.Name)
    return False


def _changed(node: n.Node) -> str:
    """The name of what a node gives another value, or an entry."""
    target = node.target if isinstance(node, n.Assign) else None
    if isinstance(target, n.Index):
        target = target.object
    if isinstance(node, n.Call) and node.operation is not None and node.operation.mutates and node.operands:
        target = node.operands[0]
    return target.name if isinstance(target, n.Name) else ""


def _same_name(left: n.Expr, right: n.Expr) -> bool:
    return isinstance(left, n.Name) and isinstance(right, n.Name) and left.name == right.name


def _is_target(parent: n.Node | None, use: n.Name, place: n.Node) -> bool:
    """True if a name stands where it gets its value, or where an item is put into it."""
    if parent is place or (isinstance(parent, n.Assign) and parent.target is use):
        return True
    return isinstance(parent, n.Member) and parent.name in ("append", "push", "push_back", "shift_left", "add", "extend")


def _is_total(order: n.Expr) -> bool:
    """True if an order leaves no two entries beside each other: of several parts, or of the key."""
    if not isinstance(order, n.Lambda):
        return False
    body: n.Node = order.body
    while isinstance(body, n.Block) and len(body.statements) == 1 and isinstance(body.statements[0], n.Evaluate):
        body = body.statements[0].value
    if isinstance(body, n.Jump) and body.value is not None:
        body = body.value
    first = order.parameters[0] if order.parameters else None
    if isinstance(first, n.TuplePattern) and first.items and len(order.parameters) == 1:
        first = first.items[0]
    if isinstance(body, n.Name):
        return isinstance(first, n.Binding) and first.name == body.name and body.name != ""
    if isinstance(body, (n.TupleOf, n.ListOf)):
        return len(body.items) > 1
    if isinstance(body, n.Index):
        return isinstance(body.index, n.Literal) and body.index.text == "0"
    return any(
        isinstance(node, (n.If, n.Match)) or (isinstance(node, n.Binary) and node.operator in ("||", "??")) for node in walk(body)
    )
