"""Maps whose entries a program shows in the order in which they were put in: a list of the keys is kept beside the map.

Only where `map_order` tells that the order may be seen, and only for variables that get their entries in one function: there
every entry that is set is noted before, and what goes through the map goes through the noted keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.rewriting.maps.map_parts import part_of_map
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import replace_below, walk

_SETTING: Final = frozenset("set insert put store".split())
_CHANGING: Final = frozenset(
    "delete remove pop clear update merge delete_place merge! extend putAll addAll setdefault popitem shift compact delete_if "
    "keep_if reject! select! transform_values! sort_by! replace".split()
)
"""Methods that change a map otherwise."""
_OF_ENTRIES: Final = frozenset(
    "map each for_each each_pair sort_by sortBy sortedBy max_by min_by maxBy minBy find detect reduce inject fold flat_map "
    "flatMap filter_map each_with_index each_with_object to_a first any all none count sum sum_by partition group_by".split()
)
"""Methods that go through the entries."""
_OF_KEYS: Final = frozenset(("max_of_by", "min_of_by", "sort_by_key", "sort_by_key_descending", "keys", "keySet"))
_PARTS: Final = {"items": "entries", "entries": "entries", "entrySet": "entries", "values": "values"}
_FUNCTIONS: Final = {"map_keys": "keys", "map_values": "values"}
_MAKING: Final = frozenset("Map dict map_new OrderedDict LinkedHashMap HashMap mutableMapOf linkedMapOf mapOf Dictionary".split())
"""What makes an empty map."""
_MOST: Final = 12
"""Maps of a function."""
_PLAIN: Final = (n.Name, n.Literal)


def with_kept_order(items: Sequence[n.Item], wanted: Mapping[str, frozenset[str]], habit: str, text: str) -> None:
    """Keeps the keys of some maps of some functions in order."""
    for item in items:
        if not isinstance(item, n.Function):
            continue
        for name in sorted(wanted.get(item.name, frozenset()))[:_MOST]:
            keeper = _Keeper(item, name, habit, text)
            if keeper.can_keep():
                keeper.keep()


class _Keeper:
    """One variable of one function."""

    def __init__(self, function: n.Function, name: str, habit: str, text: str) -> None:
        self.function, self.name, self.habit, self.text = function, name, habit, text
        self.order = next(each for each in (f"{name}_keys", f"{name}_order", f"{name}_keys_in_order") if each not in text)
        self.count = 0

    def can_keep(self) -> bool:
        """True if the variable is made here, once, and every change of it is known."""
        declarations = 0
        for node in walk(self.function):
            match node:
                case n.Let(pattern=n.Binding(name=name)) if name == self.name:
                    declarations += 1
                    if _first_keys(node.value) is None:
                        return False
                case n.Assign(target=n.Name(name=name)) if name == self.name and not self._sets(node):
                    return False
                case n.Call(function=n.Member(object=owner, name=word)) if self._is_it(owner):
                    if word in _CHANGING or (word in _SETTING and len(node.arguments) != 2):
                        return False
                case n.Local() | n.Parameter():
                    if any(isinstance(part, n.Parameter) and part.name == self.name for part in walk(node)):
                        return False
        return declarations == 1

    def keep(self) -> None:
        for node in list(walk(self.function)):
            if isinstance(node, n.Block):
                node.statements = [each for statement in node.statements for each in self._noted(statement)]
        for node in list(walk(self.function)):
            if isinstance(node, (n.For, n.Comprehension)) and self._is_it(node.source):
                node.source = self._looped(node)
        replace_below(self.function, self._read)

    # ---- what sets entries ----

    def _is_it(self, node: n.Expr) -> bool:
        return isinstance(node, n.Name) and node.name == self.name

    def _sets(self, statement: n.Assign) -> n.Expr | None:
        """The key in `m = map_set(m, k, v)`; None for another assignment."""
        match statement.value:
            case n.Call(function=n.Name(name="map_set"), arguments=[owner, key, _]) if self._is_it(owner.value):
                return key.value
        return None

    def _noted(self, statement: n.Statement) -> list[n.Statement]:
        """A statement with the note of a new key before it, and the declaration with the list of its keys behind."""
        if isinstance(statement, n.Let) and isinstance(statement.pattern, n.Binding) and statement.pattern.name == self.name:
            start = statement.start
            keys = _first_keys(statement.value) or []
            first = n.ListOf([deepcopy(key) for key in keys], start=start, end=start)
            return [statement, n.Let(n.Binding(self.order), None, first, True, start=start, end=start)]
        key = self._key_of(statement)
        if key is None:
            return [statement]
        notes: list[n.Statement] = []
        start = statement.start
        if not isinstance(key, _PLAIN):
            self.count += 1
            held = n.Name(f"{self.name}_key_{self.count}" if self.count > 1 else f"{self.name}_key", start=start, end=start)
            notes.append(n.Let(n.Binding(held.name), None, key, start=start, end=start))
            replace_below(statement, lambda node: deepcopy(held) if node is key else node)
            key = held
        has_key = n.Binary("in", deepcopy(key), n.Name(self.name, start=start, end=start), start=start, end=start)
        order = n.Name(self.order, start=start, end=start)
        push = n.Call(n.Member(order, "append", start=start, end=start), [n.Argument(deepcopy(key))], start=start, end=start)
        body = n.Block([n.Evaluate(push, start=start, end=start)], start=start, end=start)
        choice = n.If(n.Unary("!", has_key, start=start, end=start), body, None, start=start, end=start)
        return [*notes, n.Evaluate(choice, start=start, end=start), statement]

    def _key_of(self, statement: n.Statement) -> n.Expr | None:
        """The key of the entry that a statement sets."""
        match statement:
            case n.Assign(target=n.Index(object=owner, index=index)) if self._is_it(owner):
                return index
            case n.Assign(target=n.Name(name=name)) if name == self.name:
                return self._sets(statement)
            case n.Evaluate(value=n.Call(function=n.Member(object=owner, name=word), arguments=[key, _])):
                return key.value if self._is_it(owner) and word in _SETTING else None
        return None

    # ---- what goes through the entries ----

    def _looped(self, loop: n.For | n.Comprehension) -> n.Expr:
        """The source of a loop over the map itself."""
        word = "entries"
        if isinstance(loop.pattern, n.Binding):
            word = part_of_map(loop, loop.pattern.name, self.habit, self.text) or "entries"
        return self._part(word, loop.source)

    def _part(self, word: str, place: n.Node) -> n.Expr:
        """The keys, the values or the entries in order."""
        start, end = place.start, place.end
        order = n.Name(self.order, start=start, end=end)
        if word == "keys":
            return order
        key = n.Name("each_key", start=start, end=end)
        entry: n.Expr = n.Index(n.Name(self.name, start=start, end=end), key, start=start, end=end)
        if word == "entries":
            entry = n.TupleOf([deepcopy(key), entry], start=start, end=end)
        closure = n.Lambda([n.Binding("each_key")], entry, start=start, end=end)
        return n.Call(n.Member(order, "map", start=start, end=end), [n.Argument(closure)], start=start, end=end)

    def _read(self, node: n.Node) -> n.Node:
        """`m.items()`, `map_keys(m)`, `m.sort_by { … }`: through the keys in order."""
        match node:
            case n.Call(function=n.Name(name=word), arguments=[only]) if word in _FUNCTIONS and self._is_it(only.value):
                return self._part(_FUNCTIONS[word], node)
            case n.Call(function=n.Member(object=owner, name=word), arguments=[]) if self._is_it(owner) and word in _PARTS:
                return self._part(_PARTS[word], node)
            case n.Call(function=n.Member(object=owner, name="to_list"), arguments=[]) if self._is_it(owner):
                return self._part("keys" if self.habit == "python" else "entries", node)
            case n.Call(function=n.Member(object=owner, name=word)) if self._is_it(owner) and word in _OF_KEYS:
                return self._through("keys", node)
            case n.Call(function=n.Member(object=owner, name=word)) if self._is_it(owner) and word in _OF_ENTRIES:
                return self._through("entries", node)
            case n.Member(object=owner, name=word) if self._is_it(owner) and word in ("keys", "values"):
                # Without parentheses, as in Ruby; a call's member is replaced with the call.
                return self._part(word, node) if self.habit == "ruby" else node
        return node

    def _through(self, word: str, call: n.Call) -> n.Expr:
        assert isinstance(call.function, n.Member)
        if call.function.name in ("keys", "keySet"):
            return self._part("keys", call)
        call.function.object = self._part(word, call)
        return call


def _first_keys(value: n.Expr | None) -> list[n.Expr] | None:
    """The keys of a literal; None for a value that is no literal of a map."""
    match value:
        case n.MapOf():
            return [key for key, _ in value.pairs]
        case n.Block(statements=[]):
            return []
        case n.RecordOf(name="", base=None):
            return [n.Literal("string", f'"{name}"', start=value.start, end=value.end) for name in value.fields]
        case n.Call(function=n.Name(name=word), arguments=[]) if word in _MAKING:
            return []
    return None
