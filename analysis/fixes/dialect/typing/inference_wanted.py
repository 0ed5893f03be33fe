"""Results of calls that depend on the expected type or the receiver, not only on the name."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect.habits import DIVIDING
from analysis.fixes.dialect.rewriting.basic_values.true_divisions import is_true_division
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, CHAR, FLOAT, Type, argument, head, option_of, unify
from analysis.fixes.dialect.tree.walking import walk
from analysis.fixes.dialect.typing.derived import only_kind
from analysis.fixes.dialect.typing.inference_calls import Calls
from analysis.fixes.dialect.typing.operation_names import takes_entry
from analysis.suggestions.lexicon import VARIABLES, kinds_with

OF_OPTIONS: Final = frozenset(
    "ok_or ok_or_else ok_or_with copied cloned unwrap_or unwrap_or_else unwrap_or_default map_or is_some is_none and_then "
    "is_some_and unwrap expect map filter flatMap flat_map".split()
)
"""Operations on an Option."""
_LAZY: Final = ("get_or_else", "unwrap_or_else", "or_else")
"""Operations that take a function or, in other languages, the value itself."""
_FLATTENING: Final = ("concatMap", "concat_map", "flatMap", "flat_map")
_ITSELF: Final = ("head_of", "last_of", "max_of", "min_of", "to_i", "to_f", "int", "float", "tonumber")
_NUMBERS: Final = ("int", "Int", "int64", "int32", "uint8", "i32", "u32")
_ALTERING: Final = ("update", "change", "alter")
_CHOSEN: Final = ("Int", "Float", "String", "List", "Map")
"""Kinds of values that `c && a || b` chooses between: no truths."""


class Wanted(Calls):
    """Chooses between operations before they are looked up."""

    def _asked_for(self, owner: n.Expr) -> str:
        """`xs.get(i).ok_or(…)`: an item that may be absent, since the program asks whether there is one."""
        if isinstance(owner, n.Index):
            return head(self.infer(owner, Type("Option", Type())))
        template = owner.operation.template if isinstance(owner, n.Call) and owner.operation is not None else ""
        is_asked = template in ("@list_get", "@char_at") or (isinstance(owner, n.Call) and (_gives_end(owner) or _is_item(owner)))
        return head(self.infer(owner, Type("Option", Type()))) if is_asked else ""

    def _kinds_having(self, name: str, owner: n.Expr, rest: list[n.Expr]) -> tuple[str, ...]:
        """The kinds that have an operation; the only one that has one written with others is that of the value."""
        kinds = kinds_with(name, len(rest))
        own = only_kind(name, len(rest)) if not kinds and "_" in name else ""
        if own in VARIABLES:
            unify(self.infer(owner), Type(own, *(Type() for _ in VARIABLES[own])))
        return kinds or ((own,) if own in VARIABLES else ())

    def _gathered(self, name: str, kind: str, owner: n.Expr, rest: list[n.Expr], expected: Type | None) -> str:
        """Operation that `collect` or `concat` on a list means, by the expected type."""
        if rest or kind != "List":
            return name
        if name == "joined" and head(argument(owner.ty)) == "List":
            return "flatten"
        if name == "collect" and head(expected) == "Map" and head(argument(owner.ty)) == "Tuple":
            return "to_map"
        if name == "collect" and head(expected) in ("String", "Result", "Option"):
            return "join" if head(expected) == "String" else "sequence"
        return "join" if name == "concat" and head(argument(owner.ty)) == "String" else name

    def absent_type(self, expected: Type | None) -> Type:
        """The type of `None` and `nil`; that of Go is an empty list or map where one is expected."""
        if self.program.has_zeros and expected is not None and head(expected) in ("List", "Map"):
            return expected
        return option_of(argument(expected) if head(expected) == "Option" else Type())

    def _converted(self, name: str, values: list[n.Expr]) -> str:
        """`int(c)` and `string(c + 1)` of languages whose characters are numbers."""
        if name == "string" and len(values) == 1 and self.program.has_zeros and head(self.infer(values[0])) == "List":
            # `string(runes)`
            return "to_text"
        if not self.program.counts_characters or len(values) != 1:
            return ""
        kind = head(self.infer(values[0]))
        if name in _NUMBERS and kind == "String" and (self.program.has_zeros or self.program.is_character(values[0])):
            return "ord"
        sums = [node for node in walk(values[0]) if isinstance(node, n.Binary) and head(node.ty) == "Int"]
        has_text = any("String" in (head(node.left.ty), head(node.right.ty)) for node in sums)
        return "to_char" if name in ("string", "String") and kind == "Int" and has_text else ""

    def _word_of(self, kind: str, name: str, owner: n.Expr, rest: list[n.Expr]) -> str:
        """The name of an operation, where languages mean different ones by one word and what it is given tells which."""
        item = head(argument(owner.ty))
        if kind == "Option" and name == "or" and rest and head(self.infer(rest[0])) == "Option":
            return "or_option"
        if kind == "String" and name == "count" and len(rest) == 1 and self.program.habit == "ruby":
            return "count_of_signs"
        if kind == "Map" and name in _ALTERING and len(rest) == 2 and self._gives_value(rest[1], argument(owner.ty, 1)):
            return "upsert"
        if kind == "Map" and name in ("sort", "sorted") and not rest and self.program.habit in ("elixir", "ruby"):
            return "entries_sorted"
        if kind == "Map" and name == "mapValues" and rest and takes_entry(rest[0]):
            if isinstance(rest[0], n.Lambda) and len(rest[0].parameters) == 2:
                rest[0].parameters = [n.TuplePattern(rest[0].parameters)]
            return "mapEntryValues"
        if kind == "List" and name in ("any", "some", "none") and not rest and item not in ("", "Bool"):
            return "is_empty" if name == "none" else "not_empty"
        if name == "removed_at":
            return "pop" if kind == "List" else "remove"
        if kind == "List" and name == "remove" and self.program.source.startswith(".Remove(", owner.end):
            # Of C#: the item, not the place.
            return "remove_item"
        if kind == "List" and name == "remove" and len(rest) == 1 and not self._is_function(rest[0]):
            held = head(self.infer(rest[0]))
            if held == "Int" and item not in ("Int", ""):
                return "pop"
            return name if held in ("Int", "") or item in ("Int", "") else "discard"
        if kind in ("Option", "Result") and name in _LAZY and rest and not self._is_function(rest[0]):
            return "unwrap_or"
        if kind == "List" and name in ("flatten", "flat") and item == "Option":
            return "cat_options"
        if kind == "Option" and name == "fold" and len(rest) == 2 and not self._is_function(rest[0]):
            return "map_or"
        if kind == "List" and name in _FLATTENING and rest:
            # Each gives a text, or what may be absent.
            given = head(self.applied(rest[0], [argument(owner.ty)]))
            return {"String": "map_concat", "Option": "filter_map"}.get(given, name)
        if kind == "String" and name == "map" and rest and head(self.applied(rest[0], [CHAR])) not in ("String", ""):
            return "map_to_list"
        return name

    def _gives_value(self, function: n.Expr, value: Type) -> bool:
        """True if a closure asks whether a value of a map is there and gives the new one itself, not as an Option."""
        if not isinstance(function, n.Lambda) or len(function.parameters) != 1:
            return False
        given = head(self.applied(function, [option_of(value)]))
        name = function.parameters[0].name if isinstance(function.parameters[0], n.Binding) else ""
        is_asked = any(
            isinstance(asked, n.Name) and asked.name == name
            for node in walk(function.body)
            for asked in ([node.value] if isinstance(node, n.Match) else node.operands[:1] if isinstance(node, n.Call) else [])
        )
        return is_asked and given not in ("", "Option")

    def _chosen(self, node: n.Binary, expected: Type | None) -> Type | None:
        """The type of `c && a || b` that chooses between values; None for one of truths."""
        chosen = node.left
        if not isinstance(chosen, n.Binary) or chosen.operator != "&&" or head(expected) == "Bool":
            return None
        kind = self.infer(chosen.right, expected)
        if head(kind) not in _CHOSEN and head(kind) not in self.program.records:
            return None
        self.infer(chosen.left, BOOL)
        unify(kind, self.infer(node.right, kind))
        return kind

    def keeps_fraction(self, node: n.Expr) -> bool:
        """True for a division that keeps its fraction in the program's language."""
        if not isinstance(node, n.Binary) or node.operator != "/":
            return False
        if self.program.keeps_fractions:
            return is_true_division(node, self.program.source)
        return self.program.habit in DIVIDING

    def _divides_exactly(self, node: n.Binary, left: Type, right: Type, expected: Type | None) -> bool:
        """True if a quotient keeps its fraction, as in Lua, Nim, Elixir and Python; of two Ints one becomes a Float."""
        if (head(expected) == "Int" and not self.program.keeps_fractions) or not self.keeps_fraction(node):
            return False
        if head(left) == head(right) == "Int":
            node.left = n.Cast(node.left, FLOAT, start=node.left.start, end=node.left.end)
            self.infer(node.left)
        return True

    @abstractmethod
    def _is_function(self, value: n.Expr) -> bool: ...


def gives_value(left: Type, right: Type, expected: Type | None) -> bool:
    """True if `a && b`, of which no truth is wanted, is one of two values that are none."""
    return head(expected) in ("", head(right)) and head(right) in _CHOSEN and head(left) in (*_CHOSEN, "Bool")


def _gives_end(call: n.Call) -> bool:
    """`head(xs)`, `maximum(xs)`, `s.to_i`, which give the item itself where nothing asks whether there is one."""
    return call.operation is not None and call.operation.name in _ITSELF


def _is_item(call: n.Call) -> bool:
    return isinstance(call.function, n.Name) and call.function.name == "list_get" and call.operation is None
