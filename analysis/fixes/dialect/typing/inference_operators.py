"""Types of operators and of what stands in brackets behind a value; what may be absent where a program asks for it."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.rewriting.maps.map_parts import part_of_map
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import (
    BOOL,
    CHAR,
    FLOAT,
    INT,
    STRING,
    Type,
    argument,
    head,
    is_char,
    list_of,
    map_of,
    option_of,
    unify,
)
from analysis.fixes.dialect.typing.character_lists import list_texts
from analysis.fixes.dialect.typing.coded_characters import as_character, coded, is_coded, is_sum, may_be_code
from analysis.fixes.dialect.typing.inference_operations import Operations
from analysis.fixes.dialect.typing.inference_wanted import gives_value
from analysis.fixes.dialect.typing.own_operators import own_operator
from analysis.fixes.dialect.typing.truths import where_true
from analysis.suggestions.lexicon import operations

_TRUTHS: Final = ("==", "!=", "<", "<=", ">", ">=", "in", "&&", "||")
_EQUAL: Final = ("==", "!=")
_MOST_UNLIKE: Final = 4
_GIVING_NOTHING: Final = ("javascript", "ruby", "lua")
_NEVER_ABSENT: Final = ("Int", "Float", "Bool", "String", "List", "Map")
_ZEROS: Final = {"String": '""', "Int": "0", "Float": "0.0"}
"""Values that count as false in some languages."""
_FINDING: Final = frozenset("find detect first last max_by min_by get pop shift match pattern_first find_last findLast".split())
_ALIKE: Final = frozenset(("Float", "Option", "Result", "Fn", "Unit", "Range"))
"""Types whose values may stand beside others in a list that is none of unlike values."""


class OperatorTypes(Operations):
    """`compared` are the names that the function at hand compares with `None` or with a place of none."""

    compared: dict[str, Type]

    def named_as(self, pattern: n.Pattern) -> Type | None:
        """Type of a variable, from its comparisons; None if unknown."""
        return self.compared.get(pattern.name) if isinstance(pattern, n.Binding) else None

    def declared_kind(self, statement: n.Let) -> Type:
        """The type that a declaration gives; `Integer n = m.get(k)` may hold nothing where the program asks for it."""
        asked = self.named_as(statement.pattern)
        is_plain = statement.type is not None and head(statement.type) not in ("", "Option", "List", "Map")
        if is_plain and head(asked) == "Option" and statement.type is not None and not self.program.has_zeros:
            statement.type = option_of(statement.type)
        return statement.type or Type()

    def joined_lists(self, node: n.Binary, wanted: Type | None) -> Type:
        """`xs @ ys`."""
        held = self.infer(node.left, wanted)
        unify(held, list_of(Type()))
        unify(self.infer(node.right, held), held)
        return held

    def with_flag(self, statement: n.Let) -> None:
        """`v, ok := m[k]`: the value of an entry, or a zero, and whether there is one."""
        value, pattern = statement.value, statement.pattern
        if not isinstance(pattern, n.TuplePattern) or len(pattern.items) != 2 or not isinstance(value, n.Index):
            return
        kind = self.infer(value.object)
        flag = pattern.items[1]
        is_flag = self.program.has_zeros or (isinstance(flag, n.Binding) and flag.name == "ok")
        if head(kind) != "Map" or (head(argument(kind, 1)) in ("Tuple", "List") and not is_flag):
            # Elsewhere the items of the entry get these names.
            return
        start, end = value.start, value.end
        items = [
            n.Call(n.Member(value.object, word, start=start, end=end), [n.Argument(value.index)], start=start, end=end)
            for word in ("value_or_zero", "contains_key")
        ]
        if isinstance(pattern.items[0], n.Wildcard):
            statement.pattern, statement.value = pattern.items[1], items[1]
        else:
            statement.value = n.TupleOf(list(items), start=start, end=end)

    def source_type(self, source: n.Expr) -> Type:
        """Type of a loop's source; for an Option of a list, as in `last(rows)`, the list."""
        kind = self.infer(source)
        return self.infer(source, argument(kind)) if head(kind) == "Option" and head(argument(kind)) == "List" else kind

    def counted_source(self, loop: n.For) -> None:
        """`for i, x := range xs`: items with their places, entries of a map, or the numbers below one."""
        source = loop.source
        if not isinstance(source, n.Call) or not isinstance(source.function, n.Name) or source.function.name != "range of":
            return
        inner = source.arguments[0].value
        kind = head(self.infer(inner))
        if kind == "Map":
            loop.source = inner
        elif kind == "Int" and isinstance(loop.pattern, n.TuplePattern):
            loop.source = n.Range(n.Literal("int", "0", start=inner.start, end=inner.start), inner, False, start=inner.start)
            loop.pattern = loop.pattern.items[0]
        elif kind or self.may_guess():
            source.function.name = "enumerate"

    def parts_of_map(self, loop: n.For | n.Comprehension) -> None:
        """`for k in m`: the keys in Python, in JavaScript behind `in`, and where they look entries up; values in PHP."""
        source, pattern = loop.source, loop.pattern
        if head(self.infer(source)) != "Map":
            return
        if isinstance(pattern, n.ListPattern) and len(pattern.items) == 2 and pattern.rest is None and not pattern.last:
            loop.pattern = n.TuplePattern(pattern.items, start=pattern.start, end=pattern.end)
        if not isinstance(pattern, n.Binding):
            return
        word = part_of_map(loop, pattern.name, self.program.habit, self.program.source)
        if word:
            loop.source = n.Call(
                n.Member(source, word, start=source.start, end=source.end), [], start=source.start, end=source.end
            )

    def is_of_characters(self, node: n.Binary, left: str, right: str) -> bool:
        """True if `c - 'a'` or `'a' + n` counts with characters: a difference of texts means nothing else."""
        if node.operator == "-":
            return {left, right} in ({"String"}, {"String", "Int"})
        if node.operator != "+" or {left, right} != {"String", "Int"} or not self.program.counts_characters:
            return False
        text = node.left if left == "String" else node.right
        return is_char(text.ty) if not isinstance(text, n.Literal) else self.program.is_character(text)

    def _index(self, node: n.Index, expected: Type | None = None) -> Type:
        kind = self.infer(node.object)
        if head(kind) == "Option" and head(argument(kind)) in ("List", "Map", "Tuple", "String"):
            # A part of what is inside: it is taken out.
            inside, owner = argument(kind), node.object
            within = operations()[("Option", "unwrap", 0)]
            node.object = n.Call(owner, [], within, [owner], start=owner.start, end=owner.end, ty=inside)
            kind = inside
        if head(kind) == "Map":
            unify(argument(kind, 0), self.infer(node.index, argument(kind, 0)))
            return self._maybe_absent(node, argument(kind, 1), expected)
        index = self.infer(node.index)
        if isinstance(node.index, n.Literal) and node.index.kind == "string":
            name = node.index.text[1:-1]
            if head(kind) == "" and any(name in self.program.records[each].fields for each in self.program.objects):
                field_type = self._by_field(name, kind)
                if field_type is not None:
                    return field_type
            if head(kind) in self.program.records and name in self.program.records[head(kind)].fields:
                return self.program.records[head(kind)].fields[name]
        if head(kind) == "Tuple" and isinstance(node.index, n.Literal) and node.index.text.isdigit():
            return argument(kind, int(node.index.text) - self.program.counts_from_one)
        if head(kind) == "String":
            return CHAR
        if head(kind) == "":
            item = Type()
            if head(index) == "String":
                # Only a Map has places that texts name.
                unify(kind, map_of(STRING, item))
                return self._maybe_absent(node, item, expected)
            if not self.may_guess():
                return item
            node.is_guess = True
            unify(kind, list_of(item))
            return item
        # Where an Option of a type is declared, an item that is there is meant, unless a list gives nothing beyond its end.
        is_asked = head(kind) == "List" and (not head(argument(expected)) or self.program.habit in _GIVING_NOTHING)
        return self._maybe_absent(node, argument(kind), expected) if is_asked else argument(kind)

    def _spread(self, part: n.Spread, wanted: Type) -> Type:
        """The type of a list whose items are spread; texts, maps, sets and ranges are made one."""
        kind = self.infer(part.value, wanted)
        word = {"String": "chars", "Map": "entries", "Range": "to_list"}.get(head(kind))
        if word is not None:
            part.value = n.Call(n.Member(part.value, word), [], start=part.start, end=part.end)
            kind = self.infer(part.value)
        return kind

    def _record_with(self, names: set[str], exact: bool) -> str:
        """The only record with some fields, "" if there are several."""
        fitting = [
            name
            for name, record in self.program.records.items()
            if (names == set(record.fields) if exact else names <= set(record.fields))
        ]
        return fitting[0] if len(fitting) == 1 else ""

    def truth_of(self, node: n.Expr) -> n.Expr:
        """`!m[k]`, `if (seen[x])`: an entry that may be missing, as in languages where a missing one counts as false."""
        if isinstance(node, n.Index) and head(self.infer(node.object)) == "Map" and head(argument(node.object.ty, 1)) != "Option":
            return n.Call(n.Member(node.object, "has_truth"), [n.Argument(node.index)], start=node.start, end=node.end)
        return node

    def _maybe_absent(self, node: n.Index, item: Type, expected: Type | None) -> Type:
        """An item, as an Option where the program asks whether there is one."""
        node.may_be_absent = head(expected) == "Option" and head(item) != "Option"
        return option_of(item) if node.may_be_absent else item

    def _binary(self, node: n.Binary, expected: Type | None) -> Type:
        if node.operator in ("&&", "||", "without"):
            return self._joined_truths(node, expected)
        self._settle_characters(node, expected)
        wanted = None if node.operator in _TRUTHS else expected
        if node.operator in _EQUAL:
            self._settle_false(node)
        if node.operator == "??":
            return self._present(node, expected)
        if node.operator == "::":
            item = self.infer(node.left, argument(wanted) if head(wanted) == "List" else None)
            rest = self.infer(node.right, list_of(item))
            unify(rest, list_of(item))
            return rest
        if node.operator == "@":
            return self.joined_lists(node, wanted)
        if node.operator == "<>":
            self.settle_angles(node, expected)
        if node.operator == "<=>":
            left = self.infer(node.left)
            self._compared(left, self.infer(node.right, left))
            return INT
        if compares := node.operator in _TRUTHS:
            wanted = None if self.keeps_fraction(node.left) else _wanted_of(node.right)
        left = self.infer(node.left, wanted)
        right = self.infer(node.right, None if head(left) == "Option" or (compares and self.keeps_fraction(node.right)) else left)
        if (own := own_operator(self.program, node)) is not None:
            return BOOL if compares else self.program.functions[own.function].result
        if node.operator == "in":
            return BOOL
        if node.operator == "++" or (node.operator == "+" and "String" in (head(left), head(right))):
            for side in (node.left, node.right):
                self.contradicted(side, STRING)
        if compares:
            return self._compared(left, right)
        if node.operator == "-" and head(left) == "List" and head(right):
            return self._without(node, left, right)
        if head(left) == "Map" and node.operator == "+" and head(right) == "Tuple":
            unify(Type("Tuple", argument(left, 0), argument(left, 1)), right)
        if head(left) == "Map" and (node.operator == "-" or (node.operator == "+" and head(right) == "Tuple")):
            return left
        if {head(left), head(right)} == {"Int", "Float"}:
            return FLOAT
        if self._divides_exactly(node, left, right, expected):
            return FLOAT
        if self.is_of_characters(node, head(left), head(right)):
            if node.operator == "+" and head(left) == "String" and self.gives_characters:
                as_character(node)
                return CHAR
            return INT
        if node.operator == "*" and {head(left), head(right)} == {"String"} and self.program.habit == "julia":
            node.operator = "++"
        if node.operator == "*" and "List" in (head(left), head(right)):
            return left if head(left) == "List" else right
        if node.operator in ("+", "++", "^") and "String" in (head(left), head(right)):
            return STRING
        if "Option" in (head(left), head(right)):
            return argument(left) if head(left) == "Option" else left
        unify(left, right)
        return left

    def _compared(self, left: Type, right: Type) -> Type:
        unify(left, right)
        return BOOL

    def settle_removal(self, statement: n.Assign, target: Type) -> None:
        """`xs -= x`: an assignment of a list without the item."""
        if statement.operator == "-" and head(target) == "List":
            left, right = deepcopy(statement.target), statement.value
            statement.operator, statement.value = "", n.Binary("-", left, right, start=right.start, end=right.end)

    def with_listed(self, node: n.Match, kind: Type) -> Type:
        """The type of a matched value; patterns of lists make a text a list of characters."""
        if head(kind) in _NEVER_ABSENT and any(_is_of_option(arm.pattern) for arm in node.arms):
            self.contradictions[node.start] = f"a value of type {head(kind)} matched as an Option"
        return self.infer(node.value) if list_texts(node) else kind

    def _joined_truths(self, node: n.Binary, expected: Type | None) -> Type:
        """`a && b`, `a || b`; and what a list without an item became."""
        if node.operator == "without":
            return self.infer(node.right, expected)
        if node.operator == "||":
            return self._either(node, expected)
        left, right = self.infer(node.left, BOOL), self.infer(node.right, BOOL)
        # In scripts it is one of both values, elsewhere `a and b` of Kotlin joins bits.
        return right if gives_value(left, right, expected) else BOOL

    def _without(self, node: n.Binary, left: Type, right: Type) -> Type:
        """`xs - x`, `xs - ys`: the operator stands for a call then, which is its right side."""
        is_item = head(right) != "List" or head(argument(left)) == "List" != head(argument(right))
        member = n.Member(node.left, "remove_item" if is_item else "minus", start=node.start, end=node.end)
        node.operator, node.right = "without", n.Call(member, [n.Argument(node.right)], start=node.start, end=node.end)
        return self.infer(node.right, left)

    def _present(self, node: n.Binary, expected: Type | None) -> Type:
        """`a ?? b`; `x <=> y ?: other` of PHP asks whether the first is 0."""
        if isinstance(node.left, n.Binary) and node.left.operator == "<=>":
            node.operator = "||"
            return self._either(node, expected)
        inner = self.infer(node.left, option_of(Type()))
        held = argument(inner)
        is_chosen = head(expected) == "Option" and head(held) != "Option"
        right = self.infer(node.right, expected if is_chosen else held)
        if head(right) == "Option" and head(held) not in ("", "Option"):
            # Another value that may be absent, too.
            unify(argument(right), held)
            return right
        unify(held, right)
        return held

    def _settle_false(self, node: n.Binary) -> None:
        """Functions of PHP give `false` where there is nothing."""
        if isinstance(node.right, n.Literal) and node.right.text == "false":
            held = self.infer(node.left)
            if head(held) == "Option" and head(argument(held)) != "Bool":
                node.right = n.Literal("none", "None", start=node.right.start, end=node.right.end)

    def _settle_characters(self, node: n.Binary, expected: Type | None) -> None:
        """`c - 'a'`, `c - 48`: numbers of characters, where an operator takes numbers only."""
        sides = (node.left, node.right)
        kinds = [self.infer(side) for side in sides] if node.operator in ("-", "%", "*", "+") else []
        if [head(kind) for kind in kinds].count("String") == 0:
            return
        are_numbers = node.operator == "-" and all(may_be_code(side, kind) for side, kind in zip(sides, kinds, strict=True))
        if node.operator == "+":
            # Of texts `+` is a joint, but not beside what was counted from a character.
            are_numbers = any(is_coded(side) for side in sides) and all(
                may_be_code(side, kind) for side, kind in zip(sides, kinds, strict=True)
            )
        if not are_numbers:
            return
        if node.operator == "+" and head(kinds[0]) == "String":
            as_character(node)
            return
        if head(kinds[0]) == "String":
            node.left = coded(node.left)
        if head(kinds[1]) == "String":
            node.right = coded(node.right)

    @lazily
    def gives_characters(self) -> bool:
        """True if a character and a number give a character, as in Kotlin; elsewhere they give a number."""
        return re.search(r"\bval \w|\bfun \w", self.program.source) is not None

    def step_character(self, statement: n.Assign) -> None:
        """`c++`, `c += 2` of a character: the one behind it."""
        kind = self.infer(statement.target)
        is_step = statement.operator in ("+", "-") and is_char(kind) and self.program.counts_characters
        if is_step and head(self.infer(statement.value)) == "Int":
            start, end = statement.start, statement.end
            total = n.Binary(statement.operator, coded(statement.target), statement.value, start=start, end=end)
            statement.operator = ""
            statement.value = n.Call(n.Member(total, "chr", start=start, end=end), [], start=start, end=end)

    def _prefix_cast(self, node: n.Cast) -> None:
        """`(char) (c + 1)`: every character in the sum counts as its number."""
        if is_char(node.target):
            waiting: list[n.Expr] = [node.value]
            while waiting:
                part = waiting.pop()
                if not isinstance(part, n.Binary) or part.operator not in ("+", "-", "%", "*"):
                    continue
                self.infer(part.left)
                self.infer(part.right)
                part.left = coded(part.left) if head(part.left.ty) == "String" and not is_sum(part.left) else part.left
                part.right = coded(part.right) if head(part.right.ty) == "String" and not is_sum(part.right) else part.right
                waiting += [part.left, part.right]

    def settle_angles(self, node: n.Binary, expected: Type | None) -> None:
        """`<>` joins texts in some languages and compares in others."""
        heads = {head(self.infer(node.left)), head(self.infer(node.right))} - {""}
        compares = head(expected) == "Bool" or self.program.fails_early
        if compares or (heads and not heads <= {"String", "List"}):
            node.operator = "!="
        elif heads:
            node.operator = "++"

    def is_tuple(self, node: n.ListOf, expected: Type | None) -> bool:
        """True if a list literal holds a few values of unlike types, as lists may where types are not written."""
        if head(expected) not in ("", "Tuple") or not 2 <= len(node.items) <= _MOST_UNLIKE:
            return False
        if any(isinstance(part, n.Spread) for part in node.items):
            return False
        wanted = expected if head(expected) == "Tuple" else None
        heads = {head(self.infer(part, argument(wanted, place) if wanted else None)) for place, part in enumerate(node.items)}
        node.is_tuple = wanted is not None or ("" not in heads and len(heads) > 1 and not heads & _ALIKE)
        return node.is_tuple

    def _either(self, node: n.Binary, expected: Type | None) -> Type:
        """`a || b`: a truth, or where `a` is none the value that stands for an absent one."""
        if (chosen := self._chosen(node, expected)) is not None:
            return chosen
        is_value = (isinstance(node.left, n.Index) or _may_find(node.left)) and head(expected) != "Bool"
        is_value = is_value and not _is_truth(node.right)
        if is_value and isinstance(node.left, n.Index):
            # Of truths `||` means what it says.
            is_value = [head(part) for part in self.infer(node.left.object).resolved().arguments[-1:]] != ["Bool"]
        left = self.infer(node.left, option_of(Type()) if is_value else BOOL)
        if head(left) not in ("Option", "List", "String", "Int", "Float", "Map"):
            self.infer(node.right, BOOL)
            return BOOL
        inner = argument(left) if head(left) == "Option" else left
        right = self.infer(node.right, inner)
        if head(right) == "Bool" != head(inner):
            return BOOL
        if isinstance(node.right, n.Block) and not node.right.statements:
            node.right.ty = right = inner
        unify(inner, right)
        if head(left) == "Option":
            node.operator = "??"
            self._keep_true(node, inner)
        return inner

    def _keep_true(self, node: n.Binary, inner: Type) -> None:
        """Where an empty text or a zero counts as false, `m.get(k) || v` is `v` for one."""
        if self.program.habit not in ("javascript", "python") or head(inner) not in _ZEROS:
            return
        if isinstance(node.right, n.Literal) and node.right.text == _ZEROS[head(inner)]:
            return
        node.left = where_true(node.left)
        self.infer(node.left)


def _may_find(node: n.Expr) -> bool:
    """True if a call looks for something that may not be there."""
    return isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name in _FINDING


def _is_truth(node: n.Expr) -> bool:
    """True if an expression is a truth by its form."""
    if isinstance(node, n.Binary):
        return node.operator in _TRUTHS
    return isinstance(node, n.Literal) and node.kind == "bool"


def _wanted_of(other: n.Expr) -> Type | None:
    """Type that a comparison with a literal requires: an Option for `None`, a number for a number."""
    if isinstance(other, n.Literal):
        return option_of(Type()) if other.kind == "none" else INT if other.kind == "int" else None
    return INT if isinstance(other, n.Unary) and isinstance(other.operand, n.Literal) and other.operand.kind == "int" else None


def _is_of_option(pattern: n.Pattern) -> bool:
    return isinstance(pattern, n.VariantPattern) and pattern.name in ("Some", "None")
