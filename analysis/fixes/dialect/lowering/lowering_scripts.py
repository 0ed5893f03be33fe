"""Operations of script languages: functions written into the program, slices from the end, parts that are taken out."""

from __future__ import annotations

import re
from abc import abstractmethod
from functools import lru_cache
from typing import Final

from analysis.fixes.dialect.habits import is_in_frame, is_marked
from analysis.fixes.dialect.lowering.lowering_classes import ClassLibraries
from analysis.fixes.dialect.lowering.script_helpers import DEFAULTS, HELPERS
from analysis.fixes.dialect.lowering.writer import ANY, CONCAT, MULTIPLY, OR, UNARY, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, INT, STRING, Type, argument, head, is_known, is_set, list_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.suggestions.library_words import LIBRARIES
from analysis.suggestions.operation import Operation

MAYBE_WHOLE: Final = "a whole number may be shown as one with a fraction"
"""Counts only in programs in which numbers are both."""
_WORD: Final = re.compile(r"\b[a-z_]\w*+(?=\()")
_OF_SETS: Final = {
    "&": "common_items",
    "-": "items_without",
    "^": "items_of_one",
    "==": "same_items",
    "!=": "same_items",
    "<=": "has_all_of",
}
_ROUNDING: Final = ("ceil", "ceiling", "round", "round_even", "round_whole", "round_half_up")
_CSHARP_TEXT: Final = re.compile(r"\$@?\"|\.ToString\(")
_CSHARP: Final = re.compile(r"\bstring\??(?:\[\])? \w|\bvar \w+ =|\bpublic \w|\bint \w+ =|\bList<\w+> \w|\.Select\(|\.Where\(")
_SLOT: Final = re.compile(r"\{(T|U|PAIR|RESULT)\}")


class Scripts(ClassLibraries):
    """`write_NAME` is the operation `@NAME` of the lexicon, `&name` a function of `script_helpers`."""

    def _place(self, index: n.Expr, owner: str, kind: str) -> str:
        """Also `-1 - i`, which counts from the end."""
        if isinstance(index, n.Binary) and index.operator == "-" and isinstance(index.left, n.Unary):
            return f"{super()._place(index.left, owner, kind)} - {self.value(index.right, INT, MULTIPLY)}"
        return super()._place(index, owner, kind)

    def shows_truths(self) -> bool:
        """True if a program has the marks of Python, which shows a truth as `True` or `False`."""
        return self.is_of_csharp() or (self.program.habit == "python" and is_marked(self.program.source, "python"))

    def is_of_csharp(self) -> bool:
        """True if a program has the marks of C#, which shows a truth in the same way."""
        return _is_of_csharp(self.program.source)

    def truth_as_text(self, node: n.Expr) -> Code:
        """`True` or `False`, as Python shows them; in functions that begin as those of `.ax` do, more likely as they are here."""
        if not self.is_of_csharp() and is_in_frame(self.program.source):
            shown = f"__builtin_bool_to_string({self.value(node, BOOL)})"
            self.guess(shown, "a Bool is shown as here, `true`; Python shows `True`")
            return Code(shown)
        return Code(f'if {self.value(node, BOOL)} {{ "True" }} else {{ "False" }}', ANY)

    def operated(self, operation: Operation, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        is_str = isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name == "str"
        is_str |= operation.name in ("toString", "to_string") and operation.kind == "Bool" and self.is_of_csharp()
        if is_str and operation.kind == "Bool" and self.shows_truths():
            return self.truth_as_text(operands[0])
        divided = operands[0] if operation.kind == "Int" and operation.name in _ROUNDING else None
        if isinstance(divided, n.Binary) and divided.operator == "/":
            return self._rounded(divided, operation.name)
        if operation.template.startswith("__builtin_string_join({0}") and head(self.item_type(operands[0])) in (
            "Int",
            "Float",
            "Bool",
        ):
            operands = [self._texts(operands[0]), *operands[1:]]
        if operation.template.startswith("float_format(") and self.program.decimal_format:
            shown = operation.template.replace("float_format(", f"{self.helper(self.program.decimal_format, [], node)}(")
            return super().operated(operation._replace(template=shown), operands, node, expected)
        if not operation.template.startswith("&"):
            return super().operated(operation, operands, node, expected)
        name = operation.template[1:]
        texts = [self.value(each, self._parameter(operation, operands, place)) for place, each in enumerate(operands)]
        if (len(texts) <= len(operation.parameters) and name in DEFAULTS) or (name in DEFAULTS and len(operands) == 1):
            texts.append(DEFAULTS[name])
        code = Code(f"{self.helper(name, operands, node)}({', '.join(texts)})")
        return self._found_place(code, node) if operation.result.startswith("Option") else code

    def _texts(self, items: n.Expr) -> n.Expr:
        """The items of a list as texts, under a name."""
        out, item = self.fresh("texts"), self.fresh("item")
        self.before.append(f"let mut {out}: List<String> = []")
        text = self.as_text(n.Name(item, ty=self.item_type(items))).text
        self.each(items, item, [f"{out} = list_push({out}, {text})"])
        return n.Name(out, ty=list_of(STRING))

    def _rounded(self, node: n.Binary, name: str) -> Code:
        """`ceil(a / b)`, `round(a / b)` of Ints, whose division here has no fraction."""
        left, right = self.value(node.left), self.value(node.right)
        if name in ("ceil", "ceiling"):
            return Code(f"{self.helper('ceil_div', [], node)}({left}, {right})")
        fraction = f"{self.value(node.left, None, MULTIPLY)} * 1.0 / ({self.value(node.right, None, MULTIPLY)} * 1.0)"
        own = {"round_even": "round_even", "round_whole": "round_whole", "round_half_up": "round_half_up"}.get(name)
        return Code(f"{self.helper(own, [], node) if own else self.library('float_round')}({fraction})")

    def write_list(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        is_array = isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name == "Array"
        if is_array and len(operands) == 1 and head(operands[0].ty) == "Int":
            raise Untranslatable("an array without values", node.start)
        return super().write_list(operands, node, expected)

    def _found_place(self, code: Code, node: n.Expr) -> Code:
        return self._place_or_minus(code, node)

    def helper(self, name: str, operands: list[n.Expr], node: n.Expr) -> str:
        """The name under which the program has a function of `script_helpers`, which is added where it is missing."""
        source = HELPERS[name]
        wanted = {slot: self.type_text(self._slot_type(slot, operands, node)) for slot in set(_SLOT.findall(source))}
        text = _SLOT.sub(lambda match: wanted[match[1]], source)
        key = "_".join([name, *(part for slot, part in sorted(wanted.items()))])
        present = self.helpers.get(key)
        if present is not None:
            return present
        own, number = name, 1
        while own in self.program.functions or own in self.helpers.values():
            number += 1
            own = f"{name}_{number}"
        self.helpers[key] = own
        for word in dict.fromkeys(_WORD.findall(source)):
            if word == name:
                text = re.sub(rf"\b{name}\(", f"{own}(", text)
            elif word in HELPERS:
                text = re.sub(rf"\b{word}\(", f"{self.helper(word, operands, node)}(", text)
            elif word in LIBRARIES:
                self.library(word)
        self.added.functions.append(text)
        return own

    def _slot_type(self, slot: str, operands: list[n.Expr], node: n.Expr) -> Type | None:
        if slot in ("T", "U"):
            return self.item_type(operands[slot == "U"])
        return argument(node.ty) if slot == "PAIR" else node.ty

    def float_text(self, node: n.Expr) -> Code:
        """Python, Kotlin and others write `2.0` where `.ax` writes `2`."""
        if self.program.shows_fractions is None:
            self.guess("__builtin_float_to_string", "2.0 is shown as `2`")
            return Code(f"__builtin_float_to_string({self.value(node)})")
        code = Code(f"{self.helper('float_text', [], node)}({self.value(node)})")
        if self.program.habit:
            self.guess(code.text, MAYBE_WHOLE)
        return code

    # ---- parts of lists and texts ----

    def write_slice(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`xs.slice(a, b)`: a place below 0 counts from the end."""
        whole = n.Slice(operands[0], operands[1], operands[2] if len(operands) > 2 else None, start=node.start, end=node.end)
        owner = operands[0]
        is_list = head(owner.ty) == "List"
        if is_list and not any(_is_negative(each) for each in operands[1:]):
            texts = [self.value(each, INT if place else None) for place, each in enumerate(operands)]
            return Code(f"{self.library('list_slice' if len(texts) > 2 else 'list_drop')}({', '.join(texts)})")
        return self._slice(whole)

    def write_splice(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """Items that `splice` removes from a list; the list is changed in place."""
        place, owner = operands[0], self.value(operands[0])
        begin = self.named(self.lower(operands[1], INT), "begin")
        count = self.value(operands[2], INT) if len(operands) > 2 else f"list_len({owner})"
        end = self.named(Code(f"{begin} + {count}"), "end")
        taken = self.fresh("taken")
        self.before.append(f"let {taken} = {self.library('list_slice')}({owner}, {begin}, {end})")
        rest = f"{self.library('list_drop')}({owner}, {end})"
        if len(operands) > 3:
            rest = f"__builtin_list_concat([{self.value(operands[3], argument(operands[0].ty))}], {rest})"
        self.before += self.assigned(place, f"__builtin_list_concat({self.library('list_take')}({owner}, {begin}), {rest})")
        return Code(taken)

    def write_push_sorted(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """An item in its place of a sorted list: what a heap gives first stands first."""
        pushed = self.fresh("pushed")
        kind = self.item_type(operands[0])
        self.before.append(f"let {pushed} = list_push({self.value(operands[0])}, {self.value(operands[1], kind)})")
        return self.write_sort([n.Name(pushed, ty=list_of(kind))], n.Name("", ty=list_of(kind)), None)

    def write_pop_at(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        owner = self.value(operands[0])
        at = self.named(Code(self._place(operands[1], owner, "List")), "place")
        taken = self.fresh("taken")
        self.before.append(f"let {taken} = list_get({owner}, {at})")
        self.before += self.assigned(operands[0], f"{self.library('list_remove_at')}({owner}, {at})")
        return Code(taken)

    def write_find_last(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        turned = n.Name(self.named(Code(f"__builtin_list_reverse({self.value(operands[0])})"), "turned"), ty=operands[0].ty)
        return self.write_find([turned, operands[1]], node, expected)

    def write_find_last_index(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name, place = self.fresh("found"), self.fresh("place")
        self.before += [f"let mut {name}: Option<Int> = None", f"let mut {place} = 0"]
        self._over(operands, operands[1], f"if {{value}} {{ {name} = Some({place}) }}\n{place} = {place} + 1")
        return self._place_or_minus(Code(name), node)

    def write_one(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(f"{self.write_count(operands, node, expected).text} == 1", ANY)

    def write_list_get(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        if not _is_negative(operands[1]):
            return super().write_list_get(operands, node, expected)
        owner = self.named(self.lower(operands[0]), "whole")
        name = self.library("list_at") if head(node.ty) == "Option" != head(argument(operands[0].ty)) else "list_get"
        return Code(f"{name}({owner}, {self._place(operands[1], owner, 'List')})")

    def write_list_without(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """In Python an item is taken out, also where it is a number; elsewhere the number may be a place."""
        if head(self.item_type(operands[0])) != "Int" or self.program.habit == "python":
            return self._without_item(operands, node)
        return super().write_list_without(operands, node, expected)

    def write_to_set(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A set is a list of different items here."""
        source = operands[0]
        if isinstance(source, n.ListOf) and not source.items:
            return Code("[]")
        return Code(f"{self.library('list_unique')}({self.value(source)})")

    def write_remove_number(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`xs.remove(n)`: the item `n` in Python, the item at `n` in Java and Rust."""
        if self.program.habit == "python" or head(self.item_type(operands[0])) not in ("Int", ""):
            return self._without_item(operands, node)
        code = Code(f"{self.library('list_remove_at')}({self.value(operands[0])}, {self.value(operands[1], INT)})")
        if self.program.habit and head(self.item_type(operands[0])) == "Int":
            self.guess("list_remove_at", "`remove` is read as that of a place")
        return code

    # ---- sums and texts of lists ----

    def write_sum(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        if head(self.item_type(operands[0])) != "Bool":
            return super().write_sum(operands, node, expected)
        count, item = self.fresh("count"), self.fresh("item")
        self.before.append(f"let mut {count} = 0")
        self.each(operands[0], item, [f"if {item} {{ {count} = {count} + 1 }}"])
        return Code(count)

    @abstractmethod
    def shown_text(self, node: n.Expr) -> Code | None: ...

    def write_list_text(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A list as Python and Ruby show it; in JavaScript it would be its items alone."""
        kind = self.item_type(operands[0])
        if (whole := self.shown_text(operands[0])) is not None:
            return whole
        if head(kind) not in ("Int", "Float", "Bool", "String"):
            raise Untranslatable(f"a value of type List<{head(kind)}> as text", node.start)
        if self.program.habit not in ("python", "ruby") or head(kind) in ("Bool", "String", "Float"):
            self.guess("[", "a list is shown in brackets")
        out, item = self.fresh("shown"), self.fresh("item")
        self.before.append(f"let mut {out}: List<String> = []")
        text = self.as_text(n.Name(item, ty=kind)).text
        if head(kind) == "String":
            quote = "'" if self.program.habit == "python" else '\\"'
            text = f'"{quote}" ++ {item} ++ "{quote}"'
        self.each(operands[0], item, [f"{out} = list_push({out}, {text})"])
        return Code(f'"[" ++ __builtin_string_join({out}, ", ") ++ "]"', CONCAT)

    def write_parse_float(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        text = f"__builtin_float_parse(__builtin_string_trim({self.value(operands[0])}))"
        return self._optional(Code(text), node)

    # ---- ranges that go down ----

    def write_range(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        step = operands[2] if len(operands) > 2 else None
        if step is None or not _is_negative(step):
            return super().write_range(operands, node, expected)
        assert isinstance(step, n.Unary)
        high, low = self.value(_one_more(operands[0]), INT), self.value(_one_more(operands[1]), INT)
        down = f"__builtin_list_reverse({self.library('list_range')}({low}, {high}))"
        width = self.value(step.operand, INT)
        return Code(down if width == "1" else f"{self.library('list_every')}({down}, {width})")

    # ---- operators ----

    def _binary(self, node: n.Binary, expected: Type | None) -> Code:
        kinds = (head(node.left.ty), head(node.right.ty))
        of_lists = node.operator == "-" and head(node.left.ty) == head(node.right.ty) == "List"
        if of_lists or (is_set(node.left.ty) and is_set(node.right.ty) and node.operator in _OF_SETS):
            name = self.helper(_OF_SETS[node.operator], [node.left, node.right], node)
            code = Code(f"{name}({self.value(node.left)}, {self.value(node.right)})")
            return Code(f"!{code.text}", UNARY) if node.operator == "!=" else code
        if node.operator == "in" and isinstance(node.right, n.TupleOf):
            items = n.ListOf(node.right.items, ty=list_of(node.left.ty or Type()), start=node.right.start, end=node.right.end)
            return Code(f"{self.library('list_contains')}({self.value(items)}, {self.value(node.left)})")
        if node.operator in ("<", "<=", ">", ">=") and kinds == ("Tuple", "Tuple"):
            return self._tuples_compared(node)
        if node.operator == "*" and "List" in kinds:
            whole, times = (node.left, node.right) if kinds[0] == "List" else (node.right, node.left)
            if not (isinstance(whole, n.ListOf) and len(whole.items) == 1):
                return Code(f"{self.helper('list_times', [whole], node)}({self.value(whole)}, {self.value(times, INT)})")
        return super()._binary(node, expected)

    def _tuples_compared(self, node: n.Binary) -> Code:
        """Tuples are compared by their parts from left to right."""
        left, right = self.named(self.lower(node.left), "left"), self.named(self.lower(node.right), "right")
        return Code(self.tuples_in_order(left, right, node.left.ty or Type(), node.operator), OR)

    def tuples_in_order(self, left: str, right: str, kind: Type, sign: str) -> str:
        """True if tuples under two names are in an order."""
        parts = kind.resolved().arguments
        if any(head(part) not in ("Int", "Float", "String") for part in parts):
            raise Untranslatable("an order of tuples whose parts have none")
        strict, text = sign[0], ""
        for place in reversed(range(len(parts))):
            field = self.tuple_field(place)
            one, other = f"{left}.{field}", f"{right}.{field}"
            text = f"{one} {strict} {other} || ({one} == {other} && ({text}))" if text else f"{one} {sign} {other}"
        return text

    # ---- entries of maps ----

    def write_map_take(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """An entry that is removed, as an Option."""
        return Code(self._removed_entry(operands))

    def _removed_entry(self, operands: list[n.Expr]) -> str:
        owner, key = self.value(operands[0]), self.named(Code(self.key(operands[1])), "key")
        entry = self.fresh("taken")
        self.before.append(f"let {entry} = __builtin_map_get({owner}, {key})")
        self.before += self.assigned(operands[0], f"__builtin_map_remove({owner}, {key})")
        return entry

    def write_map_pop(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        entry = self._removed_entry(operands)
        if head(node.ty) == "Option" != head(argument(operands[0].ty, 1)):
            return Code(entry)
        if len(operands) < 3:
            return Code(f"{self.library('option_unwrap')}({entry})")
        value = self.fresh("value")
        other = self.value(operands[2], argument(operands[0].ty, 1))
        return Code(f"match {entry} {{ Some({value}) => {value}, None => {other} }}", ANY)

    def write_has_truth(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """True if a map has a key, and its value counts as true; a list does in JavaScript and Ruby, also an empty one."""
        kind = argument(operands[0].ty, 1)
        entry = f"__builtin_map_get({self.value(operands[0])}, {self.key(operands[1])})"
        if head(kind) not in ("Bool", "Int", "String") and self.program.habit != "python":
            return Code(f"match {entry} {{ Some(_) => true, None => false }}", ANY)
        value = self.fresh("value")
        truth = self.value(n.Name(value, ty=kind), BOOL)
        return Code(f"match {entry} {{ Some({value}) => {truth}, None => false }}", ANY)

    def _filtered(self, operands: list[n.Expr], node: n.Expr, is_kept: bool) -> Code:
        entries = self._entries(operands)
        out = self._begun("kept", node.ty if is_known(node.ty) else operands[0].ty, "map_new()")
        item = self.fresh("entry")
        with self.captured() as body:
            value = self.applied(operands[1], [item], [argument(entries.ty)])
        condition = value if is_kept else f"!({value})"
        push = f"{out} = __builtin_map_set({out}, {item}.first, {item}.second)"
        self.each(entries, item, [*body, f"if {condition} {{ {push} }}"])
        return Code(out)

    def write_map_filter(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._filtered(operands, node, True)

    def write_map_reject(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._filtered(operands, node, False)

    def write_map_values_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        entries = self._entries(operands)
        out = self._begun("made", node.ty, "map_new()")
        item, one = self.fresh("entry"), self.fresh("one")
        with self.captured() as body:
            value = self.applied(operands[1], [one], [argument(operands[0].ty, 1)])
        lines = [f"let {one} = {item}.second", *body, f"{out} = __builtin_map_set({out}, {item}.first, {value})"]
        self.each(entries, item, lines)
        return Code(out)

    def write_each_value(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        kind = list_of(argument(operands[0].ty, 1))
        values = n.Name(self.named(Code(f"__builtin_map_values({self.value(operands[0])})"), "values"), ty=kind)
        return self.write_for_each([values, operands[1]], node, expected)

    def write_each_key(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_for_each(self._keys(operands), node, expected)

    def write_entries_sum(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_sum_by([self._entries(operands), operands[1]], node, expected)

    def write_entries_count(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_count([self._entries(operands), operands[1]], node, expected)

    def write_entries_any(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_any([self._entries(operands), operands[1]], node, expected)

    def write_entries_all(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_all([self._entries(operands), operands[1]], node, expected)

    def write_entries_find(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_find([self._entries(operands), operands[1]], node, expected)

    def write_entries_flat_map(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_flat_map([self._entries(operands), operands[1]], node, expected)

    def write_entries_fold(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_fold([self._entries(operands), *operands[1:]], node, expected)

    def write_entries_partition(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_partition([self._entries(operands), operands[1]], node, expected)


def _is_negative(node: n.Expr) -> bool:
    return isinstance(node, n.Unary) and node.operator == "-"


def _one_more(node: n.Expr) -> n.Expr:
    if isinstance(node, n.Literal) and node.text.isdigit():
        return n.Literal("int", str(int(node.text) + 1), ty=INT)
    return n.Binary("+", node, n.Literal("int", "1", ty=INT), ty=INT)


__all__ = ["BOOL", "Scripts"]


@lru_cache(maxsize=4)
def _is_of_csharp(source: str) -> bool:
    return _CSHARP_TEXT.search(source) is not None and _CSHARP.search(source) is not None
