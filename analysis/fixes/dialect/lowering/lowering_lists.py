"""More operations over lists, maps, Option and Result as loops and matches: groups, windows, folds that may fail."""

from __future__ import annotations

from analysis.fixes.dialect.lowering.lowering_loops import Loops
from analysis.fixes.dialect.lowering.writer import ANY, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, Type, argument, head, is_known, list_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable


class MoreLists(Loops):
    """Each `write_NAME` is the operation `@NAME` of the lexicon."""

    def _begun(self, base: str, kind: Type | None, value: str) -> str:
        """A variable with a first value, before the expression at hand."""
        name = self.fresh(base)
        self.before.append(f"let mut {name}{self.type_or_nothing(kind)} = {value}")
        return name

    # ---- lists ----

    def _as_floats(self, node: n.Expr, code: Code) -> Code:
        """A list of Ints where one of Floats is wanted."""
        if isinstance(node, n.ListOf):
            return code
        floats, item = self.fresh("floats"), self.fresh("item")
        self.before.append(f"let mut {floats}: List<Float> = []")
        self.before.append(f"for {item} in {code.text} {{ {floats} = list_push({floats}, {item} * 1.0) }}")
        return Code(floats)

    def write_with_index(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        pair = self.tuple_record(argument(node.ty))
        out, place, item = self._collected(node, "numbered"), self._begun("place", None, "0"), self.fresh("item")
        push = f"{out} = list_push({out}, {pair} {{ first: {item}, second: {place} }})"
        self.each(operands[0], item, [push, f"{place} = {place} + 1"])
        return Code(out)

    def write_dedup(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A list without items that equal the one before them."""
        out, item = self._collected(node, "kept"), self.fresh("item")
        last = f"list_get({out}, list_len({out}) - 1)"
        push = f"{out} = list_push({out}, {item})"
        empty = f"__builtin_list_is_empty({out})"
        self.each(operands[0], item, [f"if {empty} {{ {push} }} else {{ if {last} != {item} {{ {push} }} }}"])
        return Code(out)

    def write_zip_with(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        other = self.named(self.lower(operands[1]), "other")
        out, place, item = self._collected(node, "mapped"), self._begun("place", None, "0"), self.fresh("item")
        second = self.fresh("second")
        with self.captured() as body:
            value = self.applied(operands[2], [item, second], [self.item_type(operands[0]), self.item_type(operands[1])])
        inner = "\n".join([f"let {second} = list_get({other}, {place})", *body, f"{out} = list_push({out}, {value})"])
        self.each(operands[0], item, [f"if {place} < list_len({other}) {{ {inner} }}", f"{place} = {place} + 1"])
        return Code(out)

    def write_chunks(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._slices(operands, node, "chunks", "{size}", "{place} < list_len({whole})")

    def write_windows(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._slices(operands, node, "windows", "1", "{place} + {size} <= list_len({whole})")

    def _slices(self, operands: list[n.Expr], node: n.Expr, base: str, step: str, condition: str) -> Code:
        whole, size = self.named(self.lower(operands[0]), "whole"), self.named(self.lower(operands[1]), "size")
        out, place = self._collected(node, base), self._begun("place", None, "0")
        names = {"whole": whole, "size": size, "place": place}
        end = f"{self.library('int_min')}({place} + {size}, list_len({whole}))"
        push = f"{out} = list_push({out}, {self.library('list_slice')}({whole}, {place}, {end}))"
        self.before.append(f"while {condition.format(**names)} {{ {push}\n{place} = {place} + {step.format(**names)} }}")
        return Code(out)

    def write_pairwise(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        whole = self.named(self.lower(operands[0]), "whole")
        pair = self.tuple_record(argument(node.ty))
        out, place = self._collected(node, "pairs"), self._begun("place", None, "1")
        first, second = f"list_get({whole}, {place} - 1)", f"list_get({whole}, {place})"
        push = f"{out} = list_push({out}, {pair} {{ first: {first}, second: {second} }})"
        self.before.append(f"while {place} < list_len({whole}) {{ {push}\n{place} = {place} + 1 }}")
        return Code(out)

    def write_intersperse(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        between = self.named(self.lower(operands[1]), "between")
        out, item = self._collected(node, "made"), self.fresh("item")
        first = f"if !__builtin_list_is_empty({out}) {{ {out} = list_push({out}, {between}) }}"
        self.each(operands[0], item, [first, f"{out} = list_push({out}, {item})"])
        return Code(out)

    def write_scan(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """Every value of a fold, the first one included."""
        source, first, function = operands
        kind, result = self.item_type(source), argument(node.ty)
        total = self._begun("total", result, self.value(first, result))
        out = self._collected(node, "totals")
        self.before.append(f"{out} = list_push({out}, {total})")
        item = self.fresh("item")
        with self.captured() as body:
            value = self.applied(function, [total, item], [result, kind])
        self.each(source, item, [*body, f"{total} = {value}", f"{out} = list_push({out}, {total})"])
        return Code(out)

    def write_reduce_right(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        kind = self.item_type(operands[0])
        turned = self.fresh("turned")
        self.before.append(f"let {turned} = __builtin_list_reverse({self.value(operands[0])})")
        total, item = self._begun("total", None, f"list_get({turned}, 0)"), self.fresh("item")
        with self.captured() as body:
            value = self.applied(operands[1], [item, total], [kind, kind])
        self.before.append(f"for {item} in __builtin_list_tail({turned}) {{ " + "\n".join([*body, f"{total} = {value}"]) + " }")
        return Code(total)

    def write_map_join(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out = self.fresh("mapped")
        self.before.append(f"let mut {out}: List<String> = []")
        self._over(operands, operands[2], f"{out} = list_push({out}, {{value}})")
        return Code(f"__builtin_string_join({out}, {self.value(operands[1])})")

    def write_find_map(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        out, value = self._begun("found", node.ty, "None"), self.fresh("one")
        empty = f"match {out} {{ Some(_) => false, None => true }}"
        take = f"match {{value}} {{ Some({value}) => {{ {out} = Some({value}) }}, None => {{}} }}"
        self._over(operands, operands[1], f"if {empty} {{ {take} }}")
        return Code(out)

    def write_assoc(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """The second part of the first pair whose first one is a key."""
        key = self.named(self.lower(operands[1]), "wanted")
        out, item = self._begun("found", node.ty, "None"), self.fresh("item")
        empty = f"match {out} {{ Some(_) => false, None => true }}"
        self.each(operands[0], item, [f"if {empty} && {item}.first == {key} {{ {out} = Some({item}.second) }}"])
        return Code(out)

    # ---- lists of results ----

    def write_try_map(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A list of the values inside, or the first error."""
        return self._results(operands[0], operands[1], node)

    def write_sequence(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        if head(self.item_type(operands[0])) == "Option":
            return self._options(operands[0], node)
        if head(node.ty) != "Result":
            raise Untranslatable("a list of Options as one", node.start)
        return self._results(operands[0], None, node)

    def _options(self, source: n.Expr, node: n.Expr) -> Code:
        """Options as one, or as a Result whose reason is that of a text that is no number."""
        if not is_known(node.ty):
            raise Untranslatable("a list of Options whose types cannot be told", node.start)
        out = self._begun("values", argument(node.ty), "[]")
        is_whole = self._begun("is_whole", BOOL, "true")
        item, value = self.fresh("item"), self.fresh("value")
        arms = f"Some({value}) => {{ {out} = list_push({out}, {value}) }}, None => {{ {is_whole} = false }}"
        self.each(source, item, [f"match {item} {{ {arms} }}"])
        some, none = ("Some", "None") if head(node.ty) == "Option" else ("Ok", 'Err("invalid digit found in string")')
        return Code(f"if {is_whole} {{ {some}({out}) }} else {{ {none} }}", ANY)

    def _results(self, source: n.Expr, function: n.Expr | None, node: n.Expr) -> Code:
        if not is_known(node.ty):
            raise Untranslatable("a list of results whose types cannot be told", node.start)
        out = self._begun("values", argument(node.ty), "[]")
        failed = self._begun("failed", Type("Option", argument(node.ty, 1)), "None")
        item, value, error = self.fresh("item"), self.fresh("value"), self.fresh("error")
        goes_on = f"match {failed} {{ Some(_) => false, None => true }}"
        with self.captured() as body:
            text = self.applied(function, [item], [self.item_type(source)]) if function is not None else item
        ok = f"Ok({value}) => {{ {out} = list_push({out}, {value}) }}"
        inner = "\n".join([*body, f"match {text} {{ {ok}, Err({error}) => {{ {failed} = Some({error}) }} }}"])
        self.each(source, item, [f"if {goes_on} {{ {inner} }}"])
        return Code(f"match {failed} {{ Some({error}) => Err({error}), None => Ok({out}) }}", ANY)

    def write_try_fold(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        source, first, function = operands
        if head(node.ty) != "Result" or not is_known(node.ty):
            raise Untranslatable("a fold that may fail whose types cannot be told", node.start)
        kind, result = self.item_type(source), argument(node.ty)
        total = self._begun("total", node.ty, f"Ok({self.value(first, result)})")
        item, value, error = self.fresh("item"), self.fresh("value"), self.fresh("error")
        with self.captured() as body:
            text = self.applied(function, [value, item], [result, kind])
        inner = "\n".join([*body, f"{total} = {text}"])
        self.each(
            source,
            item,
            [f"match {total} {{ Ok({value}) => {{ {inner} }}, Err({error}) => {{}} }}".replace(f"Err({error})", "Err(_)")],
        )
        return Code(total)

    # ---- maps from lists ----

    def write_group_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        kind = list_of(self.item_type(operands[0]))
        return self._counted(operands, operands[1], node, "[]", "list_push({before}, {item})", kind)

    def write_frequencies(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._counted(operands, None, node, "0", "{before} + 1", None)

    def _counted(
        self, operands: list[n.Expr], function: n.Expr | None, node: n.Expr, first: str, more: str, kind: Type | None
    ) -> Code:
        out = self._begun("groups", node.ty, "map_new()")
        source = operands[0]
        item = self.parameter_name(function, "item", source) if function is not None else self.fresh("item")
        key, before, value = self.fresh("key"), self.fresh("before"), self.fresh("value")
        with self.captured() as body:
            text = self.applied(function, [item], [self.item_type(source)]) if function is not None else item
        key_text = self.key(n.Name(text, ty=argument(node.ty)))
        begin = f"{{ let empty{self.type_or_nothing(kind)} = []\nempty }}" if first == "[]" and is_known(kind) else first
        lines = [
            f"let {key} = {key_text}",
            f"let {before} = match __builtin_map_get({out}, {key}) {{ Some({value}) => {value}, None => {begin} }}",
            f"{out} = __builtin_map_set({out}, {key}, {more.format(before=before, item=item)})",
        ]
        self.each(source, item, [*body, *lines])
        return Code(out)

    # ---- maps ----

    def write_map_update(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A map with the value of a key changed; one that is missing gets a first value."""
        owner, key = self.named(self.lower(operands[0]), "owner"), self.named(Code(self.key(operands[1])), "key")
        kind = argument(operands[0].ty, 1)
        name = self.parameter_name(operands[3], "value")
        inner = self.branch(operands[3], [name], [kind])
        value = f"match __builtin_map_get({owner}, {key}) {{ Some({name}) => {inner}, None => {self.value(operands[2], kind)} }}"
        return Code(f"__builtin_map_set({owner}, {key}, {value})")

    def write_map_upsert(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        owner, key = self.named(self.lower(operands[0]), "owner"), self.named(Code(self.key(operands[1])), "key")
        current = self.fresh("found")
        self.before.append(f"let {current} = __builtin_map_get({owner}, {key})")
        value = self.applied(operands[2], [current], [Type("Option", argument(operands[0].ty, 1))])
        return Code(f"__builtin_map_set({owner}, {key}, {value})")

    def write_map_alter(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A map with the value of a key set, changed or taken away."""
        owner, key = self.named(self.lower(operands[0]), "owner"), self.named(Code(self.key(operands[1])), "key")
        current, value = self.fresh("found"), self.fresh("value")
        self.before.append(f"let {current} = __builtin_map_get({owner}, {key})")
        altered = self.applied(operands[2], [current], [Type("Option", argument(operands[0].ty, 1))])
        some = f"Some({value}) => __builtin_map_set({owner}, {key}, {value})"
        return Code(f"match {altered} {{ {some}, None => __builtin_map_remove({owner}, {key}) }}", ANY)

    # ---- Option and Result ----

    def write_option_filter(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.parameter_name(operands[1], "value")
        inner = self.branch(operands[1], [name], [argument(operands[0].ty)])
        return self._branches(operands, f"Some({name}) => if {inner} {{ Some({name}) }} else {{ None }}, None => None")

    def write_option_each(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.parameter_name(operands[1], "value")
        with self.captured() as body:
            text = self.applied(operands[1], [name], [argument(operands[0].ty)])
        self.before.append(
            f"match {self.value(operands[0])} {{ Some({name}) => {{ " + "\n".join([*body, text]) + " }, None => {} }"
        )
        return Code("{}")

    def write_option_map2(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._both(operands, "Some", "None => None", "None => None")

    def write_result_map2(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        error = self.fresh("error")
        arm = f"Err({error}) => Err({error})"
        return self._both(operands, "Ok", arm, arm)

    def _both(self, operands: list[n.Expr], some: str, *none: str) -> Code:
        """A function applied to the values inside of two; of two that have none the first one decides."""
        left, right = (self.named(self.lower(each), "side") for each in operands[:2])
        first, second = self.fresh("first"), self.fresh("second")
        inner = self.branch(operands[2], [first, second], [argument(operands[0].ty), argument(operands[1].ty)])
        within = f"match {right} {{ {some}({second}) => {some}({inner}), {none[1]} }}"
        return Code(f"match {left} {{ {some}({first}) => {within}, {none[0]} }}", ANY)
