"""Operations over lists as loops: `map`, `filter`, `fold` and their kin are written out before the statement that needs them."""

from __future__ import annotations

from abc import abstractmethod

from analysis.fixes.dialect.lowering.lowering_options import Options
from analysis.fixes.dialect.lowering.writer import ANY, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, STRING, Type, argument, head, is_known, list_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import root_of, tails


class Loops(Options):
    """Each `write_NAME` is the operation `@NAME` of the lexicon."""

    _unused: frozenset[int] = frozenset()
    """The expressions whose values nobody uses."""

    # ---- the loop itself ----

    def each(self, source: n.Expr, item: str, body: list[str]) -> None:
        """A loop over a value, before the expression at hand."""
        self.before += self.loop(source, item, body)

    def loop(self, source: n.Expr, item: str, body: list[str]) -> list[str]:
        kind = head(source.ty)
        inner = "\n".join(body)
        if isinstance(source, n.Range):
            low, high = self.bounds(source)
            return [f"let mut {item} = {low}", f"while {item} < {high} {{ {inner}\n{item} = {item} + 1 }}"]
        text = self.value(source)
        if kind == "String":
            text = f"__builtin_string_chars({text})"
        return [f"for {item} in {text} {{ {inner} }}"]

    def item_type(self, source: n.Expr) -> Type:
        kind = source.ty
        if head(kind) == "String":
            return STRING
        if isinstance(source, n.Range) or head(kind) == "Range":
            return INT
        if head(kind) == "Map":
            return Type("Tuple", argument(kind, 0), argument(kind, 1))
        return argument(kind)

    def _collected(self, node: n.Expr, base: str) -> str:
        name = self.fresh(base)
        self.before.append(f"let mut {name}{self.type_or_nothing(node.ty)} = []")
        return name

    def _over(self, operands: list[n.Expr], function: n.Expr, makes: str) -> None:
        """Loops over the first operand; `makes` uses `{item}` and `{value}`, the function applied to the item."""
        source = operands[0]
        kind = self.item_type(source)
        item = self.parameter_name(function, "item", source)
        with self.captured() as body:
            value = self.applied(function, [item], [kind])
        self.each(source, item, [*body, makes.replace("{item}", item).replace("{value}", value)])

    # ---- lists from lists ----

    def write_map(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out = self._collected(node, "mapped")
        self._over(operands, operands[1], f"{out} = list_push({out}, {{value}})")
        return Code(out)

    def write_filter(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out = self._collected(node, "kept")
        self._over(operands, operands[1], f"if {{value}} {{ {out} = list_push({out}, {{item}}) }}")
        return Code(out)

    def write_reject(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out = self._collected(node, "kept")
        self._over(operands, operands[1], f"if !({{value}}) {{ {out} = list_push({out}, {{item}}) }}")
        return Code(out)

    def write_filter_map(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out, item = self._collected(node, "kept"), self.fresh("found")
        if (isinstance(operands[1], n.Lambda) and head(argument(operands[1].ty, -1)) == "Result") or (
            isinstance(operands[1], n.Name) and head(self._result_of(operands[1])) == "Result"
        ):
            arms = f"Ok({item}) => {{ {out} = list_push({out}, {item}) }}, Err(_) => {{}}"
        else:
            arms = f"Some({item}) => {{ {out} = list_push({out}, {item}) }}, None => {{}}"
        self._over(operands, operands[1], f"match {{value}} {{ {arms} }}")
        return Code(out)

    def _result_of(self, function: n.Name) -> Type | None:
        signature = self.program.functions.get(function.name)
        return signature.result if signature is not None else None

    def write_flat_map(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out = self._collected(node, "mapped")
        self._over(operands, operands[1], f"{out} = __builtin_list_concat({out}, {{value}})")
        return Code(out)

    def write_for_each(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        source, function = operands
        item = self.parameter_name(function, "item", source)
        if isinstance(function, n.Lambda):
            if isinstance(function.body, n.Call):
                function.body = n.Block([n.Evaluate(function.body)], start=function.body.start, end=function.body.end)
            self._unused |= tails(function.body)
        with self.captured() as body:
            value = self.applied(function, [item], [self.item_type(source)])
        self.each(source, item, [*body, *([] if body and value == "{}" else [value])])
        return Code("{}")

    def write_map_indexed(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out, place, item = self._collected(node, "mapped"), self.fresh("place"), self.fresh("item")
        with self.captured() as body:
            value = self.applied(operands[1], [place, item], [INT, self.item_type(operands[0])])
        self.before.append(f"let mut {place} = 0")
        self.each(operands[0], item, [*body, f"{out} = list_push({out}, {value})", f"{place} = {place} + 1"])
        return Code(out)

    def write_enumerate(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        pair = self.tuple_record(argument(node.ty))
        out, place, item = self._collected(node, "numbered"), self.fresh("place"), self.fresh("item")
        self.before.append(f"let mut {place} = {self.value(operands[1], INT) if len(operands) > 1 else '0'}")
        push = f"{out} = list_push({out}, {pair} {{ first: {place}, second: {item} }})"
        self.each(operands[0], item, [push, f"{place} = {place} + 1"])
        return Code(out)

    def write_zip(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        pair = self.tuple_record(argument(node.ty))
        other = self.named(self.lower(operands[1]), "other")
        out, place, item = self._collected(node, "zipped"), self.fresh("place"), self.fresh("item")
        self.before.append(f"let mut {place} = 0")
        push = f"{out} = list_push({out}, {pair} {{ first: {item}, second: list_get({other}, {place}) }})"
        self.each(operands[0], item, [f"if {place} < list_len({other}) {{ {push} }}", f"{place} = {place} + 1"])
        return Code(out)

    def write_map_entries(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        pair = self.tuple_record(argument(node.ty))
        source = self.named(self.lower(operands[0]), "entries_of")
        out, key, value = self._collected(node, "entries"), self.fresh("key"), self.fresh("value")
        push = f"{out} = list_push({out}, {pair} {{ first: {key}, second: {value} }})"
        arms = f"Some({value}) => {{ {push} }}, None => {{}}"
        self.before.append(
            f"for {key} in __builtin_map_keys({source}) {{ match __builtin_map_get({source}, {key}) {{ {arms} }} }}"
        )
        return Code(out)

    def write_map_from(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A map from a list of pairs."""
        source = operands[0]
        if isinstance(source, n.ListOf) and all(isinstance(part, n.TupleOf) and len(part.items) == 2 for part in source.items):
            pairs = [(part.items[0], part.items[1]) for part in source.items if isinstance(part, n.TupleOf)]
            return self.lower(n.MapOf(pairs, ty=node.ty, start=node.start, end=node.end))
        out, item = self.fresh("map"), self.fresh("entry")
        self.before.append(f"let mut {out}{self.type_or_nothing(node.ty)} = map_new()")
        key = self.key(n.Name(f"{item}.first", ty=argument(node.ty), start=node.start, end=node.end))
        self.each(source, item, [f"{out} = __builtin_map_set({out}, {key}, {item}.second)"])
        return Code(out)

    def write_list_init(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out, place = self._collected(node, "made"), self.fresh("place")
        with self.captured() as body:
            value = self.applied(operands[1], [place], [INT])
        self.each(
            n.Range(n.Literal("int", "0", ty=INT), operands[0], False), place, [*body, f"{out} = list_push({out}, {value})"]
        )
        return Code(out)

    def write_partition(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        pair = self.tuple_record(node.ty or Type())
        yes, no = self.fresh("kept"), self.fresh("others")
        self.before += [f"let mut {yes} = []", f"let mut {no} = []"]
        push_yes, push_no = (f"{name} = list_push({name}, {{item}})" for name in (yes, no))
        self._over(operands, operands[1], f"if {{value}} {{ {push_yes} }} else {{ {push_no} }}")
        return Code(f"{pair} {{ first: {yes}, second: {no} }}")

    def _while_true(self, operands: list[n.Expr], node: n.Expr, then: str, otherwise: str, base: str) -> Code:
        out, going = self._collected(node, base), self.fresh("going")
        self.before.append(f"let mut {going} = true")
        push = f"{out} = list_push({out}, {{item}})"
        parts = [part.replace("PUSH", push).replace("GOING", going) for part in (then, otherwise)]
        self._over(
            operands,
            operands[1],
            f"if {going} {{ if {{value}} {{ {parts[0]} }} else {{ {parts[1]} }} }}{self._after(then, push, going)}",
        )
        return Code(out)

    def _after(self, then: str, push: str, going: str) -> str:
        return "" if then else f" else {{ {push} }}"

    def write_take_while(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._while_true(operands, node, "PUSH", "GOING = false", "taken")

    def write_drop_while(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._while_true(operands, node, "", "GOING = false\nPUSH", "rest")

    def comprehension(self, node: n.Comprehension) -> Code:
        out = self._collected(node, "made")
        pattern = node.pattern
        item = self.spelled(pattern.name) if isinstance(pattern, n.Binding) else self.fresh("item")
        with self.captured() as body:
            if not isinstance(pattern, n.Binding):
                self.bind(pattern, item, self.item_type(node.source))
            condition = self.value(node.condition) if node.condition is not None else ""
            with self.captured() as inner:
                value = self.value(node.value, argument(node.ty))
            step = "\n".join([*inner, f"{out} = list_push({out}, {value})"])
            self.before.append(f"if {condition} {{ {step} }}" if condition else step)
        self.each(node.source, item, body)
        return Code(out)

    # ---- values from lists ----

    def write_fold(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A fold: the closure gets what was found so far and the item; the other order where the types say so."""
        source, first, function = operands
        kind = self.item_type(source)
        total = self.fresh(self._first_name(function) or "total")
        begin = self.value(first, node.ty)
        self.before.append(f"let mut {total}{self.type_or_nothing(node.ty)} = {begin}")
        self._fold_loop(source, function, total, kind, node.ty or Type())
        return Code(total)

    def _fold_loop(self, source: n.Expr, function: n.Expr, total: str, kind: Type, result: Type) -> None:
        item = self.fresh("item")
        swapped = self._takes_item_first(function, kind, result)
        with self.captured() as body:
            names, types = ([item, total], [kind, result]) if swapped else ([total, item], [result, kind])
            value = self.applied(function, names, types)
        self.each(source, item, [*body, f"{total} = {value}"])

    def _first_name(self, function: n.Expr) -> str:
        if isinstance(function, n.Lambda) and function.parameters and isinstance(function.parameters[0], n.Binding):
            name = function.parameters[0].name
            return "" if name in self.used else self.spelled(name)
        return ""

    def _takes_item_first(self, function: n.Expr, kind: Type, result: Type) -> bool:
        """True if a fold's function of the program takes the item before the value so far, by its types."""
        signature = self.program.functions.get(function.name) if isinstance(function, n.Name) else None
        if signature is None or len(signature.parameters) != 2 or head(kind) == head(result):
            return False
        return head(signature.parameters[0]) == head(kind) and head(signature.parameters[1]) == head(result)

    def write_fold_right(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        source, first, function = operands
        kind = self.item_type(source)
        total, item = self.fresh("total"), self.fresh("item")
        self.before.append(f"let mut {total}{self.type_or_nothing(node.ty)} = {self.value(first, node.ty)}")
        reverse = f"__builtin_list_reverse({self.value(source)})"
        with self.captured() as body:
            value = self.applied(function, [item, total], [kind, node.ty or Type()])
        self.before.append(f"for {item} in {reverse} {{ " + "\n".join([*body, f"{total} = {value}"]) + " }")
        return Code(total)

    def write_reduce(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        source = self.named(self.lower(operands[0]), "whole")
        kind = self.item_type(operands[0])
        total, item = self.fresh("total"), self.fresh("item")
        self.before.append(f"let mut {total} = list_get({source}, 0)")
        with self.captured() as body:
            value = self.applied(operands[1], [total, item], [kind, kind])
        self.before.append(f"for {item} in __builtin_list_tail({source}) {{ " + "\n".join([*body, f"{total} = {value}"]) + " }")
        return Code(total)

    def _flag(self, operands: list[n.Expr], start: str, when: str, base: str) -> Code:
        name = self.fresh(base)
        self.before.append(f"let mut {name} = {start}")
        other = "false" if start == "true" else "true"
        self._over(operands, operands[1], f"if {when} {{ {name} = {other} }}")
        return Code(name)

    def write_any(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._flag(operands, "false", "{value}", "any_found")

    def write_all(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._flag(operands, "true", "!({value})", "all_found")

    def write_none(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._flag(operands, "true", "{value}", "none_found")

    write_any_char = write_any
    write_all_char = write_all

    def write_filter_chars(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out = self.fresh("kept")
        self.before.append(f'let mut {out} = ""')
        self._over(operands, operands[1], f"if {{value}} {{ {out} = {out} ++ {{item}} }}")
        return Code(out)

    def write_map_chars(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out = self.fresh("mapped")
        self.before.append(f'let mut {out} = ""')
        self._over(operands, operands[1], f"{out} = {out} ++ {{value}}")
        return Code(out)

    def write_count(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("count")
        self.before.append(f"let mut {name} = 0")
        self._over(operands, operands[1], f"if {{value}} {{ {name} = {name} + 1 }}")
        return Code(name)

    def write_sum_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("sum")
        self.before.append(f"let mut {name} = {'0.0' if head(node.ty) == 'Float' else '0'}")
        self._over(operands, operands[1], f"{name} = {name} + {{value}}")
        return Code(name)

    def write_find(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name, done = self.fresh("found"), self.fresh("is_found")
        kind = Type("Option", self.item_type(operands[0]))
        self.before += [f"let mut {name}{self.type_or_nothing(kind)} = None", f"let mut {done} = false"]
        self._over(operands, operands[1], f"if {{value}} {{ if !{done} {{ {name} = Some({{item}})\n{done} = true }} }}")
        return self._optional(Code(name), node)

    def write_find_index(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name, place, done = self.fresh("found"), self.fresh("place"), self.fresh("is_found")
        self.before += [f"let mut {name}: Option<Int> = None", f"let mut {place} = 0", f"let mut {done} = false"]
        step = f"if {{value}} {{ if !{done} {{ {name} = Some({place})\n{done} = true }} }}\n{place} = {place} + 1"
        self._over(operands, operands[1], step)
        return self._place_or_minus(Code(name), node)

    def _best(self, operands: list[n.Expr], node: n.Expr, sign: str) -> Code:
        name, best, key = self.fresh("best"), self.fresh("best_key"), self.fresh("key")
        source = self.named(self.lower(operands[0]), "whole")
        kind = self.item_type(operands[0])
        item = self.parameter_name(operands[1], "item", operands[0])
        with self.captured() as first:
            begin = self.applied(operands[1], [name], [kind])
        with self.captured() as body:
            value = self.applied(operands[1], [item], [kind])
        loop = [*body, f"let {key} = {value}", f"if {key} {sign} {best} {{ {name} = {item}\n{best} = {key} }}"]
        inside = [f"let mut {name} = list_get({source}, 0)", *first, f"let mut {best} = {begin}"]
        over = f"for {item} in __builtin_list_tail({source}) {{ " + "\n".join(loop) + " }"
        if head(node.ty) != "Option":
            self.before += [*inside, over]
            return Code(name)
        text = "\n".join([*inside, over, f"Some({name})"])
        return Code(f"if __builtin_list_is_empty({source}) {{ None }} else {{ {text} }}", ANY)

    def write_max_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._best(operands, node, ">")

    def write_max_by_last(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """Of several greatest items the last, as in Rust."""
        return self._best(operands, node, ">=")

    def write_min_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._best(operands, node, "<")

    # ---- order ----

    def write_sort_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._sorted(operands, node, descending=False)

    def write_sort_by_descending(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._sorted(operands, node, descending=True)

    def _sorted(self, operands: list[n.Expr], node: n.Expr, descending: bool) -> Code:
        """A stable insertion sort: each item goes behind the last one that does not come after it."""
        source, function = operands
        kind = self.item_type(source)
        out, item, merged = self._collected(n.Name("", ty=list_of(kind)), "sorted"), self.fresh("item"), self.fresh("merged")
        other, placed = self.fresh("other"), self.fresh("is_placed")
        with self.captured() as body:
            comes_before = self._comes_before(function, item, other, kind, descending)
        step = [*body, f"if !{placed} && ({comes_before}) {{ {merged} = list_push({merged}, {item})\n{placed} = true }}"]
        step.append(f"{merged} = list_push({merged}, {other})")
        annotated = self.type_or_nothing(list_of(kind)) if is_known(kind) else ""
        inner = [f"let mut {merged}{annotated} = []", f"let mut {placed} = false"]
        inner.append(f"for {other} in {out} {{ " + "\n".join(step) + " }")
        inner += [f"if !{placed} {{ {merged} = list_push({merged}, {item}) }}", f"{out} = {merged}"]
        self.each(source, item, inner)
        return Code(out)

    def _comes_before(self, function: n.Expr, item: str, other: str, kind: Type, descending: bool) -> str:
        """True if an item belongs before another one, by a key or by a comparison of two."""
        count = len(function.parameters) if isinstance(function, n.Lambda) else 1
        if isinstance(function, n.Name) and function.name in self.program.functions:
            count = len(self.program.functions[function.name].parameters)
        if count == 1:
            left = self.applied(function, [item], [kind])
            kind_of_key = argument(function.ty, -1) if head(function.ty) == "Fn" else Type()
            if self.before or head(kind_of_key) == "Tuple":
                # The other item may be given the same names: the key of this one is computed first.
                key = self.fresh("key")
                self.before.append(f"let {key} = {left}")
                left = key
            right = self.applied(function, [other], [kind])
            if head(kind_of_key) == "Tuple":
                return self.tuples_in_order(left, self.named(Code(right), "other_key"), kind_of_key, ">" if descending else "<")
            return f"({left}) {'>' if descending else '<'} ({right})"
        if isinstance(function, n.Lambda) and (compared := self._compared(function, item, other, kind)):
            return compared
        value = self.applied(function, [item, other], [kind, kind])
        result = self._comparison_type(function)
        if head(result) == "Bool":
            return value
        if head(result) == "Int":
            return f"({value}) {'>' if descending else '<'} 0"
        raise Untranslatable("an order by a comparison that is not understood", function.start)

    def _comparison_type(self, function: n.Expr) -> Type:
        if isinstance(function, n.Lambda):
            return argument(function.ty, -1)
        signature = self.program.functions.get(function.name) if isinstance(function, n.Name) else None
        return signature.result if signature is not None else Type()

    def _compared(self, function: n.Lambda, item: str, other: str, kind: Type) -> str:
        """`|a, b| a.x.cmp(&b.x)`: a comparison by a method."""
        body = function.body
        if isinstance(body, n.Block) and len(body.statements) == 1 and isinstance(body.statements[0], n.Evaluate):
            body = body.statements[0].value
        if not (isinstance(body, n.Call) and isinstance(body.function, n.Member) and len(body.arguments) == 1):
            return ""
        if body.function.name not in ("cmp", "partial_cmp", "compareTo", "localeCompare", "compare"):
            return ""
        for pattern, text in zip(function.parameters, (item, other), strict=False):
            self.bind(pattern, text, kind)
        return f"({self.value(body.function.object)}) < ({self.value(body.arguments[0].value)})"

    @abstractmethod
    def tuples_in_order(self, left: str, right: str, kind: Type, sign: str) -> str: ...

    # ---- lists that change ----

    def write_list_pop(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """The last item; the list loses it."""
        return self._taken(operands[0], node, "list_last({0})", "list_take({0}, list_len({0}) - 1)")

    def write_list_shift(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._taken(operands[0], node, "__builtin_list_head({0})", "__builtin_list_tail({0})")

    def _taken(self, place: n.Expr, node: n.Expr, value: str, rest: str) -> Code:
        if root_of(place) == "self":
            self.check_parameter(place)
        text = self.value(place)
        name = self.fresh("taken")
        self.before.append(f"let {name} = {self.filled(value, [text]).text}")
        self.before += self.assigned(place, self.filled(rest, [text]).text)
        return self._optional(Code(name), node)

    @abstractmethod
    def check_parameter(self, target: n.Expr) -> None: ...

    @abstractmethod
    def assigned(self, target: n.Expr, value: str) -> list[str]:
        """The statements that give a place a new value."""
        ...
