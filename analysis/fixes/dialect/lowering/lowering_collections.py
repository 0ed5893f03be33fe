"""Operations that script languages have on lists, texts and maps, written out where no library has them."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.lowering.lowering_lists import MoreLists
from analysis.fixes.dialect.lowering.writer import Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, Type, argument, head, list_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_ORDERED: Final = ("Int", "Float", "String")


class Collections(MoreLists):
    """Each `write_NAME` is the operation `@NAME` of the lexicon."""

    # ---- order ----

    def write_sort(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._in_order(operands[0], node, descending=False)

    def write_sort_down(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._in_order(operands[0], node, descending=True)

    def _in_order(self, source: n.Expr, node: n.Expr, descending: bool) -> Code:
        """A sorted list; tuples are compared by their parts from left to right."""
        kind = self.item_type(source)
        if head(kind) == "Tuple":
            return self._tuples_in_order(source, node, kind, descending)
        if self.program.habit == "javascript" and head(kind) in ("Int", "Float") and _is_method(node, "sort"):
            self.guess("list_sort", "`sort` is read as an order by number; in JavaScript it is one by text")
        if head(kind) not in (*_ORDERED, ""):
            raise Untranslatable(f"an order of values of type {head(kind)}", node.start)
        text = f"{self.library('list_sort')}({self.value(source)})"
        return Code(f"__builtin_list_reverse({text})" if descending else text)

    def _tuples_in_order(self, source: n.Expr, node: n.Expr, kind: Type, descending: bool) -> Code:
        parts = kind.resolved().arguments
        if _are_entries(source) and head(parts[0]) in _ORDERED:
            # No two entries have the same key.
            parts = parts[:1]
        if any(head(part) not in _ORDERED for part in parts):
            raise Untranslatable("an order of tuples whose parts have none", node.start)
        first, second = n.Name(self.fresh("one"), ty=kind), n.Name(self.fresh("other"), ty=kind)
        sign = ">" if descending else "<"
        before: n.Expr | None = None
        for place in reversed(range(len(parts))):
            left = n.Member(first, str(place), ty=parts[place])
            right = n.Member(second, str(place), ty=parts[place])
            is_before = n.Binary(sign, left, right, ty=Type("Bool"))
            if before is not None:
                same = n.Binary("==", left, right, ty=Type("Bool"))
                rest = n.Binary("&&", same, before, ty=Type("Bool"))
                before = n.Binary("||", is_before, rest, ty=Type("Bool"))
            else:
                before = is_before
        assert before is not None
        names: list[n.Pattern] = [n.Binding(first.name, type=kind), n.Binding(second.name, type=kind)]
        closure = n.Lambda(names, before, ty=Type("Fn", kind, kind, Type("Bool")))
        return self.write_sort_by([source, closure], node, None)

    # ---- entries of maps ----

    def _entries(self, operands: list[n.Expr]) -> n.Expr:
        """The entries of a map as a list of pairs under a name."""
        owner = operands[0]
        kind = Type("Tuple", argument(owner.ty, 0), argument(owner.ty, 1))
        name = self.named(self.write_map_entries([owner], n.Name("", ty=list_of(kind)), None), "entries")
        return n.Name(name, ty=list_of(kind))

    def write_entries_sort_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_sort_by([self._entries(operands), operands[1]], node, expected)

    def write_entries_sort_by_descending(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_sort_by_descending([self._entries(operands), operands[1]], node, expected)

    def write_entries_max_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_max_by([self._entries(operands), operands[1]], node, expected)

    def write_entries_min_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_min_by([self._entries(operands), operands[1]], node, expected)

    def write_entries_map(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_map([self._entries(operands), operands[1]], node, expected)

    def write_entries_for_each(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_for_each([self._entries(operands), operands[1]], node, expected)

    def _keys(self, operands: list[n.Expr]) -> list[n.Expr]:
        """The keys of a map as a list, and the function that is applied to them."""
        kind = list_of(argument(operands[0].ty))
        return [n.Name(self.named(self.write_map_keys([operands[0]], n.Name("", ty=kind), None), "keys"), ty=kind), operands[1]]

    def write_keys_max_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_max_by(self._keys(operands), node, expected)

    def write_keys_min_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_min_by(self._keys(operands), node, expected)

    def write_keys_sort_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_sort_by(self._keys(operands), node, expected)

    def write_keys_sort_by_descending(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_sort_by_descending(self._keys(operands), node, expected)

    def write_map_keys_sorted(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(f"{self.library('list_sort')}({self.write_map_keys(operands, node, expected).text})")

    # ---- lists ----

    def write_count_of(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        count, item = self.fresh("count"), self.fresh("item")
        wanted = self.named(self.lower(operands[1], self.item_type(operands[0])), "wanted")
        self.before.append(f"let mut {count} = 0")
        self.each(operands[0], item, [f"if {item} == {wanted} {{ {count} = {count} + 1 }}"])
        return Code(count)

    def write_list_without(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A list without the first item of a value; Python and Kotlin take out no more than one."""
        if head(self.item_type(operands[0])) == "Int":
            raise Untranslatable("an item or a place that is taken out", node.start)
        return self._without_item(operands, node)

    def write_remove_item(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A list without the first item of a value, also where that is a number."""
        return self._without_item(operands, node)

    def _without_item(self, operands: list[n.Expr], node: n.Expr) -> Code:
        kind = self.item_type(operands[0])
        out, item, done = self._collected(n.Name("", ty=list_of(kind)), "kept"), self.fresh("item"), self.fresh("is_gone")
        wanted = self.named(self.lower(operands[1], kind), "gone")
        self.before.append(f"let mut {done} = false")
        push = f"{out} = list_push({out}, {item})"
        self.each(operands[0], item, [f"if !{done} && {item} == {wanted} {{ {done} = true }} else {{ {push} }}"])
        return Code(out)

    def write_list_last_index_of(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        place, item, last = self.fresh("place"), self.fresh("item"), self.fresh("last_place")
        wanted = self.named(self.lower(operands[1], self.item_type(operands[0])), "wanted")
        self.before += [f"let mut {last}: Option<Int> = None", f"let mut {place} = 0"]
        self.each(operands[0], item, [f"if {item} == {wanted} {{ {last} = Some({place}) }}", f"{place} = {place} + 1"])
        return self._place_or_minus(Code(last), node)

    def write_tally(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out, item = self.fresh("counts"), self.fresh("item")
        key = self.key(n.Name(item, ty=self.item_type(operands[0])))
        self.before.append(f"let mut {out}: Map<String, Int> = map_new()")
        before = f"{self.library('map_get_or')}({out}, {key}, 0)"
        self.each(operands[0], item, [f"{out} = __builtin_map_set({out}, {key}, {before} + 1)"])
        return Code(out)

    def write_range_list(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.lower(operands[0])

    def write_sum_values(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(f"{self.library('list_sum')}({self.value(operands[0])})")

    # ---- numbers and texts ----

    def write_step_up(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._stepped(operands[0], "+")

    def write_step_down(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._stepped(operands[0], "-")

    def _stepped(self, place: n.Expr, sign: str) -> Code:
        """`i++` as a value: the one from before."""
        name, text = self.fresh("before"), self.value(place)
        self.before.append(f"let {name} = {text}")
        self.before += self.assigned(place, f"{text} {sign} 1")
        return Code(name)

    def write_divmod(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        left, right = self.named(self.lower(operands[0]), "left"), self.named(self.lower(operands[1], INT), "right")
        rest = self.fresh("rest")
        self.before.append(f"let {rest} = {self.library('int_mod')}({left}, {right})")
        return Code(f"{self.tuple_record(node.ty or Type())} {{ first: ({left} - {rest}) / {right}, second: {rest} }}")

    def write_trim_start(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A text without blanks in front: trimmed with a sign behind it, which is taken away again."""
        text = f'__builtin_string_trim({self.value(operands[0])} ++ "|")'
        name = self.named(Code(text), "trimmed")
        return Code(f"{self.library('string_substring')}({name}, 0, __builtin_string_len({name}) - 1)")

    def write_trim_end(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        text = f'__builtin_string_trim("|" ++ {self.value(operands[0], None, 6)})'
        name = self.named(Code(text), "trimmed")
        return Code(f"{self.library('string_substring')}({name}, 1, __builtin_string_len({name}))")

    def write_swapcase(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out, item = self.fresh("swapped"), self.fresh("item")
        upper, lower = f"__builtin_string_to_upper({item})", f"__builtin_string_to_lower({item})"
        self.before.append(f'let mut {out} = ""')
        self.each(operands[0], item, [f"{out} = {out} ++ (if {item} == {upper} {{ {lower} }} else {{ {upper} }})"])
        return Code(out)


def _are_entries(node: n.Expr) -> bool:
    return isinstance(node, n.Call) and node.operation is not None and node.operation.template == "@map_entries"


def _is_method(node: n.Expr, name: str) -> bool:
    return isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name == name
