"""Texts, sets and maps of systems languages: characters as numbers, formats, keys of several values."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.lowering.formats import Piece, pieces_of
from analysis.fixes.dialect.lowering.lowering_widths import Widths
from analysis.fixes.dialect.lowering.writer import ANY, CONCAT, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, Type, argument, head, is_char
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import root_of
from analysis.fixes.dialect.typing.own_operators import text_method

_TEXTS: Final = {"Int": "__builtin_int_to_string", "Bool": "__builtin_bool_to_string", "String": ""}

_BASES: Final = {"x": "16", "X": "16", "b": "2", "o": "8"}


class Systems(Widths):
    """Each `write_NAME` is the operation `@NAME` of the lexicon."""

    # ---- texts ----

    def write_format(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """Also formats of C, Go and Rust that the other layers do not know."""
        first = operands[0]
        is_text = isinstance(first, n.Literal) and first.kind == "string"
        pieces = pieces_of(first.text[1:-1]) if isinstance(first, n.Literal) and is_text else None
        if isinstance(first, n.Literal) and re.search(r"%[-+0]?\*", first.text):
            raise Untranslatable("a width that is an argument", node.start)
        if pieces is None:
            return super().write_format(operands, node, expected)
        rest = list(operands[1:])
        parts: list[Code] = []
        for piece in pieces:
            numbered = int(piece.name) if piece.name else -1
            if not piece.is_value:
                parts.append(Code(f'"{piece.text}"'))
            elif numbered >= len(operands) - 1 or (numbered < 0 and not rest):
                return self._unformatted(node)
            else:
                width: n.Expr | None = None
                if piece.of.isdigit() and int(piece.of) + 1 < len(operands):
                    width = operands[int(piece.of) + 1]
                elif piece.of:
                    width = n.Name(piece.of, start=node.start, end=node.end, ty=INT)
                parts.append(self.shown(operands[1 + numbered] if numbered >= 0 else rest.pop(0), piece, width))
        if len(parts) < 2:
            return parts[0] if parts else Code('""')
        return Code(" ++ ".join(part.at(CONCAT + 1 if place else CONCAT) for place, part in enumerate(parts)), CONCAT)

    def shown(self, node: n.Expr, piece: Piece, width: n.Expr | None = None) -> Code:
        """A value in a format."""
        kind = head(node.ty)
        is_number = kind in ("Int", "Float")
        if piece.kind == "?" and kind:
            code = self.debug_text(node)
        elif piece.kind in ("q", "?") and kind == "String":
            quote = "'" if is_char(node.ty) else '\\"'
            code = Code(f'"{quote}" ++ {self.value(node, None, CONCAT + 1)} ++ "{quote}"', CONCAT)
        elif piece.kind == "c" and kind == "Int":
            code = Code(f"{self.library('string_from_code')}({self.value(node)})")
        elif piece.kind in _BASES and kind == "Int":
            code = self._in_base(node, piece.kind)
        elif piece.decimals >= 0 and is_number:
            number = self.value(node) if kind == "Float" else f"({self.value(node)}) * 1.0"
            code = Code(f"{self._format_of_decimals(node)}({number}, {piece.decimals})")
        elif piece.decimals >= 0 and kind != "":
            raise Untranslatable("this format of a text", node.start)
        else:
            code = self.as_text(node)
        if piece.signed and is_number:
            code = Code(f'(if {self.value(node)} < 0 {{ "" }} else {{ "+" }}) ++ {code.at(CONCAT + 1)}', CONCAT)
        if not piece.width and width is None:
            return code
        if not kind:
            self.guess(code.text, f"`{code.text}` is read as a String")
        wide = self.value(width, INT) if width is not None else str(piece.width)
        is_left = piece.align == "<" or (not piece.align and not is_number)
        if piece.align == "^":
            text = self.named(code, "text")
            before = f"__builtin_string_len({text}) + ({wide} - __builtin_string_len({text})) / 2"
            code = Code(f'{self.library("string_pad_left")}({text}, {before}, "{piece.fill}")')
            is_left = True
        function = self.library("string_pad_right" if is_left else "string_pad_left")
        return Code(f'{function}({code.text}, {wide}, "{piece.fill}")')

    def _format_of_decimals(self, node: n.Expr) -> str:
        name = self.program.decimal_format
        return self.helper(name, [], node) if name else self.library("float_format")

    def _in_base(self, node: n.Expr, kind: str) -> Code:
        digits = self.write_to_base([node, n.Literal("int", _BASES[kind], ty=INT)], node, None)
        return Code(f"__builtin_string_to_upper({digits.text})") if kind == "X" else digits

    def as_text(self, node: n.Expr) -> Code:
        kind = head(node.ty)
        if kind == "Bool" and self.shows_truths():
            return self.truth_as_text(node)
        if (whole := self.shown_text(node)) is not None:
            return whole
        shown = ("Int", "Float", "Bool", "String") if self.program.habit == "javascript" else ("Int", "Float", "Bool")
        if kind == "List" and head(argument(node.ty)) in shown:
            return self._list_as_text(node)
        method = text_method(self.program, kind)
        if kind in self.program.records or kind in self.program.enums:
            if method is None and self.is_plain_enum(node):
                return self.debug_text(node)
            if method is None:
                raise Untranslatable(f"a value of type {kind} as text", node.start)
            return Code(f"{method}({self.value(node)})")
        return super().as_text(node)

    def _list_as_text(self, node: n.Expr) -> Code:
        texts, item = self.fresh("texts"), self.fresh("item")
        source = self.named(self.lower(node), "items")
        shown = super().as_text(n.Name(item, ty=argument(node.ty)))
        self.before.append(f"let mut {texts}: List<String> = []")
        self.before.append(f"for {item} in {source} {{ {texts} = list_push({texts}, {shown.text}) }}")
        if self.program.habit == "javascript":
            return Code(f'__builtin_string_join({texts}, ",")')
        separator = " " if self.program.has_zeros else ", "
        return Code(f'"[" ++ __builtin_string_join({texts}, "{separator}") ++ "]"', CONCAT)

    def _slice(self, node: n.Slice) -> Code:
        code = super()._slice(node)
        if head(node.object.ty) == "String" and self.program.counts_bytes:
            self.guess(code.text, "places in a text count characters here, and bytes there")
        return code

    def _binary(self, node: n.Binary, expected: Type | None) -> Code:
        if head(node.ty) == "Int" and node.operator in ("+", "-") and "String" in (head(node.left.ty), head(node.right.ty)):
            # Characters are numbers there.
            left, right = self._as_number(node.left), self._as_number(node.right)
            number = n.Binary(node.operator, left, right, start=node.start, end=node.end, ty=INT)
            return super()._binary(number, expected)
        code = super()._binary(node, expected)
        if node.operator == "/" and head(node.ty) == "Int" and (node.start, node.end) in self.program.doubtful_quotients:
            self.guess(code.text, "a quotient may have a fraction, and has none here")
        return code

    def _as_number(self, node: n.Expr) -> n.Expr:
        if head(node.ty) != "String":
            return node
        return n.Name(f"{self.library('string_code')}({self.value(node)})", start=node.start, end=node.end, ty=INT)

    def write_codes(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        codes, character = self.fresh("codes"), self.fresh("character")
        source = f"__builtin_string_chars({self.value(operands[0])})"
        self.before.append(f"let mut {codes}: List<Int> = []")
        code = f"{self.library('string_code')}({character})"
        self.before.append(f"for {character} in {source} {{ {codes} = list_push({codes}, {code}) }}")
        return Code(codes)

    def write_split_once(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        whole, sign = self.named(self.lower(operands[0]), "whole"), self.named(self.lower(operands[1]), "separator")
        place = self.fresh("place")
        pair = self.tuple_record(argument(node.ty))
        length = f"__builtin_string_len({whole})"
        first = f"{self.library('string_substring')}({whole}, 0, {place})"
        second = f"string_substring({whole}, {place} + __builtin_string_len({sign}), {length})"
        halves = f"Some({pair} {{ first: {first}, second: {second} }})"
        return Code(
            f"match {self.library('string_index_of')}({whole}, {sign}) {{ Some({place}) => {halves}, None => None }}", ANY
        )

    def write_splitn(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`s.splitn(2, "=")`: the rest stays whole."""
        count = operands[1]
        if not isinstance(count, n.Literal) or count.text != "2":
            raise Untranslatable("a text split more than once", node.start)
        whole, sign = self.named(self.lower(operands[0]), "whole"), self.named(self.lower(operands[2]), "separator")
        place = self.fresh("place")
        first = f"{self.library('string_substring')}({whole}, 0, {place})"
        second = f"string_substring({whole}, {place} + __builtin_string_len({sign}), __builtin_string_len({whole}))"
        lists = f"Some({place}) => [{first}, {second}], None => [{whole}]"
        return Code(f"match {self.library('string_index_of')}({whole}, {sign}) {{ {lists} }}", ANY)

    def _without(self, operands: list[n.Expr], is_prefix: bool, some: str, none: str) -> Code:
        whole, part = self.named(self.lower(operands[0]), "whole"), self.named(self.lower(operands[1]), "part")
        test = "str_starts_with" if is_prefix else "__builtin_string_ends_with"
        length = f"__builtin_string_len({whole})"
        bounds = f"__builtin_string_len({part}), {length}" if is_prefix else f"0, {length} - __builtin_string_len({part})"
        rest = f"__builtin_string_slice({whole}, {bounds})"
        return Code(f"if {test}({whole}, {part}) {{ {some.format(rest)} }} else {{ {none.format(whole)} }}", ANY)

    def write_strip_prefix(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._without(operands, True, "Some({})", "None")

    def write_strip_suffix(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._without(operands, False, "Some({})", "None")

    def write_remove_prefix(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._without(operands, True, "{}", "{}")

    def write_remove_suffix(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._without(operands, False, "{}", "{}")

    def _trimmed(self, operands: list[n.Expr], sides: tuple[str, ...], node: n.Expr) -> Code:
        """A text without one character at its ends; with `trim` and its like without any of several."""
        part = operands[1]
        asked = node.function.name if isinstance(node, n.Call) and isinstance(node.function, n.Member) else ""
        is_one = isinstance(part, n.Literal) and len(part.text) == 3
        if not is_one and asked.startswith("trim") and not asked.endswith("matches"):
            name = {2: "strip_signs"}.get(len(sides), f"strip_{sides[0]}_signs")
            return Code(f"{self.helper(name, operands, node)}({self.value(operands[0])}, {self.value(part)})")
        if not isinstance(part, n.Literal) or len(part.text) != 3:
            raise Untranslatable("a text trimmed of more than one character", part.start)
        text, sign = self.fresh("trimmed"), part.text
        self.before.append(f"let mut {text} = {self.value(operands[0])}")
        for side in sides:
            length = f"__builtin_string_len({text})"
            test, bounds = (
                ("str_starts_with", f"1, {length}") if side == "start" else ("__builtin_string_ends_with", f"0, {length} - 1")
            )
            self.before.append(f"while {test}({text}, {sign}) {{ {text} = __builtin_string_slice({text}, {bounds}) }}")
        return Code(text)

    def write_trim_matches(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._trimmed(operands, ("start", "end"), node)

    def write_trim_start_matches(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._trimmed(operands, ("start",), node)

    def write_trim_end_matches(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._trimmed(operands, ("end",), node)

    def write_replace_first(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        whole, old = self.named(self.lower(operands[0]), "whole"), self.named(self.lower(operands[1]), "part")
        place, new = self.fresh("place"), self.value(operands[2])
        first = f"{self.library('string_substring')}({whole}, 0, {place})"
        second = f"string_substring({whole}, {place} + __builtin_string_len({old}), __builtin_string_len({whole}))"
        arms = f"Some({place}) => {first} ++ ({new}) ++ {second}, None => {whole}"
        return Code(f"match {self.library('string_index_of')}({whole}, {old}) {{ {arms} }}", ANY)

    # ---- records ----

    def _member(self, node: n.Member, expected: Type | None) -> Code:
        """Also a property that is computed."""
        kind = head(node.object.ty)
        record, method = self.program.records.get(kind), self.program.methods.get((kind, node.name))
        is_own = kind in self.program.enums or (record is not None and node.name not in record.fields)
        if is_own and method is not None and node.operation is None:
            return Code(f"{method}({self.value(node.object)})")
        return super()._member(node, expected)

    # ---- lists ----

    def _best(self, operands: list[n.Expr], node: n.Expr, sign: str) -> Code:
        """Also by a comparison of two items, of which Rust takes the last of several greatest ones."""
        function = operands[1]
        if not isinstance(function, n.Lambda) or len(function.parameters) != 2:
            return super()._best(operands, node, sign)
        name, item = self.fresh("best"), self.fresh("item")
        source = self.named(self.lower(operands[0]), "whole")
        kind = self.item_type(operands[0])
        with self.captured() as body:
            order = self.applied(function, [item, name], [kind, kind])
        test = f"({order}) {'<' if sign == '<' else '>='} 0"
        if head(argument(function.ty, -1)) != "Int":
            raise Untranslatable("an order by a comparison that is not understood", function.start)
        over = f"for {item} in __builtin_list_tail({source}) {{ " + "\n".join([*body, f"if {test} {{ {name} = {item} }}"]) + " }"
        inside = [f"let mut {name} = list_get({source}, 0)", over]
        if head(node.ty) != "Option":
            self.before += inside
            return Code(name)
        text = "\n".join([*inside, f"Some({name})"])
        return Code(f"if __builtin_list_is_empty({source}) {{ None }} else {{ {text} }}", ANY)

    def write_least_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._first_by(operands, node, is_least=True)

    def write_most_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._first_by(operands, node, is_least=False)

    def _first_by(self, operands: list[n.Expr], node: n.Expr, is_least: bool) -> Code:
        """`xs.min(by: { $0.n < $1.n })`: by whether one comes before another."""
        name, item = self.fresh("best"), self.fresh("item")
        source, kind = self.named(self.lower(operands[0]), "whole"), self.item_type(operands[0])
        pair = [item, name] if is_least else [name, item]
        with self.captured() as body:
            test = self.applied(operands[1], pair, [kind, kind])
        over = f"for {item} in __builtin_list_tail({source}) {{ " + "\n".join([*body, f"if {test} {{ {name} = {item} }}"]) + " }"
        text = "\n".join([f"let mut {name} = list_get({source}, 0)", over, f"Some({name})"])
        return Code(f"if __builtin_list_is_empty({source}) {{ None }} else {{ {text} }}", ANY)

    def _assign(self, statement: n.Assign) -> list[str]:
        target, value = statement.target, statement.value
        if not isinstance(target, n.TupleOf) or isinstance(value, n.TupleOf) or statement.operator:
            return super()._assign(statement)
        # `p, gain = year(p)`: the parts of one value.
        whole = self.named(self.lower(value, target.ty), "parts")
        lines: list[str] = []
        for place, part in enumerate(target.items):
            if not (isinstance(part, n.Name) and part.name == "_"):
                lines += self.assigned(part, f"{whole}.{self.tuple_field(place)}")
        return lines

    def _evaluate(self, node: n.Expr, expected: Type | None) -> list[str]:
        lines = super()._evaluate(node, expected)
        is_call = isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.operation is None
        if is_call and id(node) in self._unused and isinstance(node, n.Call) and isinstance(node.function, n.Name):
            given = self.program.references.get(node.function.name)
            # Nobody uses what the call gives besides the changed value.
            return [] if given is not None and (given.has_result or given.is_value) else lines
        return lines

    # ---- sets ----

    def write_set_insert(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`seen.insert(x)`: gives whether the value is new; the set holds it behind."""
        place = operands[0]
        if root_of(place) == "self":
            self.check_parameter(place)
        item = self.named(self.lower(operands[1], argument(place.ty)), "item")
        text, flag = self.value(place), self.fresh("is_new")
        more = f"list_push({text}, {item})"
        if self.program.sorts_sets:
            more = f"{self.library('list_sort')}({more})"
        self.before.append(f"let {flag} = !{self.library('list_contains')}({text}, {item})")
        self.before.append(f"if {flag} {{ " + "\n".join(self.assigned(place, more)) + " }")
        return Code(flag)

    # ---- numbers ----

    def write_ordered(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._ordered(n.Binary("<=>", operands[0], operands[1], start=node.start, end=node.end))

    def write_int_then(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        first = self.named(self.lower(operands[0]), "order")
        return Code(f"if {first} != 0 {{ {first} }} else {{ {self._inner(operands[1], INT)} }}", ANY)

    def write_int_then_with(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        first = self.named(self.lower(operands[0]), "order")
        return Code(f"if {first} != 0 {{ {first} }} else {{ {self.branch(operands[1], [], [])} }}", ANY)

    def write_checked_div(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        divisor = self.named(self.lower(operands[1]), "divisor")
        return Code(f"if {divisor} == 0 {{ None }} else {{ Some(({self.value(operands[0])}) / {divisor}) }}", ANY)

    def write_checked_rem(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        divisor = self.named(self.lower(operands[1]), "divisor")
        return Code(f"if {divisor} == 0 {{ None }} else {{ Some(({self.value(operands[0])}) % {divisor}) }}", ANY)

    def write_option_is_some_and(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.parameter_name(operands[1], "value")
        inner = self.branch(operands[1], [name], [argument(operands[0].ty)])
        return self._branches(operands, f"Some({name}) => {inner}, None => false")

    def write_ok_or_else(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("value")
        return self._branches(operands, f"Some({name}) => Ok({name}), None => Err({self.branch(operands[1], [], [])})")

    def write_option_map_error(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`s.parse().map_err(|_| …)`: what went wrong is not known any more."""
        name = self.fresh("value")
        inner = self.branch(operands[1], ['"invalid digit found in string"'], [Type("String")])
        return self._branches(operands, f"Some({name}) => Ok({name}), None => Err({inner})")

    def write_result_or_default(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("value")
        return self._branches(operands, f"Ok({name}) => {name}, Err(_) => {self.zero(argument(operands[0].ty))}")

    def write_error_of(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("error")
        return self._branches(operands, f"Ok(_) => None, Err({name}) => Some({name})")

    def write_unwrap_error(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        error = self.fresh("error")
        guard = f'__builtin_guard({self.zero(argument(operands[0].ty, 1))}, false, "a value where there is an error")'
        return self._branches(operands, f"Err({error}) => {error}, Ok(_) => {guard}")

    # ---- keys of maps ----

    def _key_parts(self, kind: Type | None) -> list[tuple[str, Type]]:
        """The fields of a key of several values that a text can hold; none for another type."""
        parts: list[tuple[str, Type]] = []
        if head(kind) == "Tuple" and kind is not None:
            parts = [(self.tuple_field(place), part) for place, part in enumerate(kind.resolved().arguments)]
        elif head(kind) in self.program.records:
            parts = list(self.program.records[head(kind)].fields.items())
        kinds = [head(part) for _, part in parts]
        is_text = set(kinds) <= set(_TEXTS) and kinds.count("String") <= 1 and "String" not in kinds[:-1]
        return parts if is_text else []

    def _is_written(self, kind: Type | None) -> bool:
        """True if a text stands for a key."""
        return bool(self._key_parts(kind))

    def _key_of_text(self, text: str, kind: Type) -> tuple[str, str]:
        """The statement that splits a key's text, and the value that it stands for."""
        pieces = self.fresh("parts")
        values: list[str] = []
        for place, (name, part) in enumerate(self._key_parts(kind)):
            piece = f"list_get({pieces}, {place})"
            if head(part) == "String":
                piece = f'__builtin_string_join(list_drop({pieces}, {place}), ",")'
            shown = {"Int": f"parse_int({piece})", "Bool": f'{piece} == "true"', "String": piece}[head(part)]
            values.append(f"{name}: {shown}")
        record = self.tuple_record(kind) if head(kind) == "Tuple" else head(kind)
        return f'let {pieces} = __builtin_string_split({text}, ",")', f"{record} {{ {', '.join(values)} }}"

    def key(self, node: n.Expr) -> str:
        parts = self._key_parts(node.ty)
        if not parts:
            return super().key(node)
        owner = self.named(self.lower(node), "key")
        texts = [f"{_TEXTS[head(part)]}({owner}.{name})" if head(part) != "String" else f"{owner}.{name}" for name, part in parts]
        return ' ++ "," ++ '.join(texts)

    def write_map_keys(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        kind = argument(operands[0].ty)
        if self._is_written(kind):
            owner, text, listed = self.value(operands[0]), self.fresh("key"), self.fresh("keys")
            split, value = self._key_of_text(text, kind)
            self.before.append(f"let mut {listed}: List<{self.type_text(kind)}> = []")
            self.before.append(
                f"for {text} in __builtin_map_keys({owner}) {{ {split}\n{listed} = list_push({listed}, {value}) }}"
            )
            return Code(listed)
        if head(kind) != "Int":
            return super().write_map_keys(operands, node, expected)
        keys, key = self.fresh("keys"), self.fresh("key")
        self.before.append(f"let mut {keys}: List<Int> = []")
        source = f"__builtin_map_keys({self.value(operands[0])})"
        self.before.append(f"for {key} in {source} {{ {keys} = list_push({keys}, parse_int({key})) }}")
        return Code(f"{self.library('list_sort')}({keys})")

    def write_map_entries(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """Entries whose keys are numbers, in their order; maps here have texts as keys."""
        kind = argument(operands[0].ty)
        if head(kind) != "Int" and not self._is_written(kind):
            return super().write_map_entries(operands, node, expected)
        pair = self.tuple_record(argument(node.ty))
        source = self.named(self.lower(operands[0]), "entries_of")
        keys = self.write_map_keys([n.Name(source, ty=operands[0].ty)], node, None).text if head(kind) == "Int" else ""
        out, key, value = self._collected(node, "entries"), self.fresh("key"), self.fresh("value")
        push = f"{out} = list_push({out}, {pair} {{ first: {key}, second: {value} }})"
        got = f"__builtin_map_get({source}, __builtin_int_to_string({key}))"
        if head(kind) != "Int":
            text = self.fresh("key")
            split, value_of = self._key_of_text(text, kind)
            push = f"{split}\n{out} = list_push({out}, {pair} {{ first: {value_of}, second: {value} }})"
            got, keys, key = f"__builtin_map_get({source}, {text})", f"__builtin_map_keys({source})", text
        self.before.append(f"for {key} in {keys} {{ match {got} {{ Some({value}) => {{ {push} }}, None => {{}} }} }}")
        return Code(out)
