"""Functions without a module: which operation they are, and which of their arguments they are on."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.libraries.repeated_values import is_no_count
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, Type, argument, head, list_of
from analysis.fixes.dialect.typing.inference_wanted import Wanted
from analysis.fixes.dialect.typing.operation_names import FROM_CHARACTERS, is_operation, takes_item_first
from analysis.fixes.dialect.typing.own_operators import called_method
from analysis.suggestions.lexicon import FREE, KINDS, operations
from analysis.suggestions.operation import Operation

_DIVIDING: Final = ("rem", "mod", "div", "quot", "pow")
FILLING: Final = (
    "fill",
    "filled",
    "replicate",
    "make",
    "create",
    "new",
    "full",
    "init",
    "repeated",
    "fill_with",
    "repeat_value",
    "generate",
    "tabulate",
    "build",
    "repeat",
    "of_size",
)
"""Words behind `list_` that make a list of a number of items: the number stands first."""
_FOLDS: Final = ("fold", "foldl", "foldr", "fold_left", "fold_right", "foldBack", "reduce")


class FreeFunctions(Wanted):
    """`_foreign_function` settles a call of a name that the program does not declare."""

    def _receiver(self, kind: str, name: str, values: list[n.Expr]) -> tuple[n.Expr, list[n.Expr]]:
        """The argument that an operation is on, and the others: the one of the module's kind that is no function."""
        if (name, len(values)) == ("cons", 2) and takes_item_first(kind, *(head(self.infer(value)) for value in values)):
            return values[1], values[:1]
        if (folded := self._folded(name, values)) is not None:
            return folded
        if name in _DIVIDING and len(values) == 2 and all(head(self.infer(value)) in ("", kind) for value in values):
            # What is divided stands first, whether or not its type is known.
            return values[0], values[1:]
        places = [place for place, value in enumerate(values) if not isinstance(value, (n.Lambda, n.OperatorFunction))]
        wanted = Type(kind, Type(), Type()) if kind in ("Option", "Result") else None
        typed = [(place, head(self.infer(values[place], wanted))) for place in places if not self._is_function(values[place])]
        fitting = [place for place, held in typed if held == kind or (held, kind) == ("Range", "List")] if kind else []
        if not fitting:
            fitting = [place for place, held in typed if held == ""] or [place for place, _ in typed]
        # Of several the first, but the last where functions come first.
        place = fitting[0] if fitting else 0
        if len(fitting) > 1 and name in ("fold", "foldl", "foldr", "fold_left") and self._is_function(values[0]):
            place = fitting[-1]
        if (kind == "List" and name == "member") or (kind and self._stands_last(kind, values, fitting)):
            place = fitting[-1] if fitting else place
        return values[place], values[:place] + values[place + 1 :]

    def _stands_last(self, kind: str, values: list[n.Expr], fitting: list[int]) -> bool:
        """`String.padLeft(8, '.', name)`: whether a value of another kind stands before all that an operation may be on."""
        first = values[0] if values else None
        if len(fitting) < 2 or first is None or self._is_function(first):
            return False
        if isinstance(values[fitting[-1]], n.Literal) and not all(isinstance(values[place], n.Literal) for place in fitting):
            return False
        held = head(self.infer(first))
        return held not in ("", kind, "Fn", "Range") and {held, kind} != {"Option", "Result"}

    def _folded(self, name: str, values: list[n.Expr]) -> tuple[n.Expr, list[n.Expr]] | None:
        """Source of a fold such as `foldr(f, "", rs)`, and the other arguments: a plain value is the initial one."""
        held = [value for value in values if not self._is_function(value)]
        if name not in _FOLDS or len(values) != 3 or len(held) != 2:
            return None
        plain = [_is_plain(value) for value in held]
        many = [head(self.infer(value)) in ("List", "Range", "Map") for value in held]
        if plain[0] == plain[1] and many[0] == many[1]:
            return None
        place = values.index(held[plain.index(False) if plain[0] != plain[1] else many.index(True)])
        return values[place], values[:place] + values[place + 1 :]

    def _list_maker(self, node: n.Call, name: str, values: list[n.Expr]) -> Type:
        types = [self.infer(value) for value in values]
        if name == "range":
            # Where lists have a module, its ranges hold both ends.
            node.operation = Operation("", name, (), "", "@range_inclusive")
            node.operands = values
            return list_of(INT)
        if name in ("singleton", "pure"):
            node.operation, node.operands = Operation("", name, (), "", "[{0}]"), values
            return list_of(types[0])
        template = "@list_init" if head(types[-1]) == "Fn" else "list_repeat({1}, {0})"
        if (head(types[0]) != "Int" and head(types[-1]) == "Int") or _is_zero(values[0]):
            template = "list_repeat({0}, {1})"
        item = types[-1] if template != "list_repeat({0}, {1})" else types[0]
        node.operation, node.operands = Operation("", name, (), "", template), values
        return list_of(argument(item, -1) if template == "@list_init" else item)

    def _is_function(self, value: n.Expr) -> bool:
        if isinstance(value, (n.Lambda, n.OperatorFunction)):
            return True
        if isinstance(value, n.Member) and isinstance(value.object, n.Name) and self.local(value.object.name) is None:
            owner = value.object.name
            return owner.lower() in KINDS or (owner[0].isupper() and owner not in self.program.enums)
        if isinstance(value, n.Path):
            variant = self.program.variant(value.owner, value.name)
            return variant is None or bool(variant[1].payload)
        if not isinstance(value, n.Name):
            return False
        local = self.local(value.name)
        if local is not None:
            return head(local) == "Fn"
        return value.name in self.program.functions or (value.name in FREE and value.name not in self.program.constants)

    def _foreign_function(self, node: n.Call, name: str, expected: Type | None) -> Type:
        """`len(xs)`, `string_split(s, " ")`, `list_map(xs, f)`: by the word before the underscore, or by the first argument."""
        values = [each.value for each in node.arguments]
        if len(values) == 1 and (own := called_method(self.program, name, head(self.infer(values[0])))):
            node.function = n.Name(own, start=node.function.start, end=node.function.end)
            return self._named_call(node, own, expected)
        prefix, _, rest = name.partition("_")
        if not values and rest in ("new", "empty", "make", "create") and KINDS.get(prefix) in ("List", "Map"):
            template = "[]" if KINDS[prefix] == "List" else "map_new()"
            node.operation, node.operands = Operation("", name, (), "", template), [n.Literal("unit", "{}")]
            return (
                Type("List", Type(), trait="set" if prefix == "set" else "") if template == "[]" else Type("Map", Type(), Type())
            )
        if prefix in KINDS and rest and values:
            kind = KINDS[prefix]
            if kind == "List" and rest in FILLING and len(values) == 2 and head(self.infer(values[0])) != "List":
                # `list_fill(-1, n)`: what is no number of items is the value.
                return self._list_maker(node, rest, values[::-1] if is_no_count(values[0]) else values)
            if rest.startswith("to_") and kind in ("Int", "Float", "Bool") and (kind, rest, len(values) - 1) not in operations():
                rest = rest.removeprefix("to_")
            if prefix in ("int", "float") and rest == "of_string":
                # Of OCaml, where a text that is no number ends the run.
                rest = prefix
            if (prefix, rest) in (("map", "of"), ("map", "of_pairs"), ("dict", "of")) and len(values) == 1:
                rest = "from_list"
            if prefix in ("char", "chr") and rest in ("from_int", "from_code", "of_int"):
                rest = "chr"
            if rest in ("from_int", "from_float", "of_int", "of_float") or (rest == "from" and kind == "String"):
                rest = {"Float": "to_float", "Int": "truncate"}.get(kind, "to_string")
            rest = "join" if kind == "String" and rest in FROM_CHARACTERS and len(values) == 1 else rest
            operation = self._operation(node, rest, *self._receiver(kind, rest, values), expected)
            if node.operation is not None:
                return operation
        free = self._converted(name, values) or FREE.get(name)
        if name in ("fromIntegral", "realToFrac"):
            free = "to_int" if head(expected) == "Int" else "to_float"
        if prefix in ("show", "print", "render") and KINDS.get(rest) in ("Int", "Float", "Bool") and len(values) == 1:
            free = "to_string"
        if free is not None and values:
            if free in ("min", "max") and len(values) == 1:
                return self._operation(node, free, values[0], [], expected)
            return self._operation(node, free, *self._receiver(self._free_kind(values, free), free, values), expected)
        for value in values:
            self.infer(value)
        suffix = name.rpartition("_to_")
        if suffix[1] and len(values) == 1 and suffix[2] in KINDS:
            wanted = {"String": "to_string", "Int": "to_int", "Float": "to_float", "List": "to_list"}.get(KINDS[suffix[2]], "")
            return self._operation(node, wanted, values[0], [], expected)
        for value in values:
            kind = "List" if head(value.ty) == "Range" else head(value.ty)
            if is_operation(kind, name, len(values) - 1) and not self._is_function(value):
                return self._operation(node, name, *self._receiver(kind, name, values), expected)
        return Type()

    def _free_kind(self, values: list[n.Expr], name: str) -> str:
        """The kind of the first value that has an operation, else of the first one that is no function."""
        kinds = [head(self.infer(value)) for value in values if not self._is_function(value)]
        kinds = ["List" if kind == "Range" else kind for kind in kinds]
        having = [kind for kind in kinds if (kind, name, len(values) - 1) in operations()]
        return having[0] if having else kinds[0] if kinds else ""


def _is_zero(value: n.Expr) -> bool:
    """True if a value is no number of items: nobody fills a list with none."""
    return isinstance(value, n.Literal) and value.text == "0"


def _is_plain(value: n.Expr) -> bool:
    """True if a value is a literal or an empty list or map: nothing to go through."""
    if isinstance(value, n.ListOf):
        return not value.items
    if isinstance(value, n.Literal):
        return value.kind != "string" or value.text == '""'
    if isinstance(value, n.Call) and isinstance(value.function, n.Member) and value.function.name == "empty":
        # `Map.empty`.
        return not value.arguments
    return isinstance(value, n.MapOf) and not value.pairs
