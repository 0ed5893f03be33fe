"""Matches of other dialects in `.ax`: guards, tuples, lists, ranges, alternatives, several payloads.

A match becomes rows of patterns over named values. The first row decides what is tested next; the other rows go into the branches
where they can still match (as decision trees are made). Bodies may be written more than once, within a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from analysis.fixes.dialect.lowering.lowering_patterns import Patterns
from analysis.fixes.dialect.lowering.writer import ANY, COMPARE, Code, braced, mentions
from analysis.fixes.dialect.rewriting.data_types.large_matches import TOO_LARGE
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, Type, argument, head, is_known
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_MOST_BODIES: Final = 200
_WRAPPERS: Final = {"Option": ("Some", "None"), "Result": ("Ok", "Err")}


@dataclass
class Column:
    """A value that is tested: its name, its type."""

    text: str
    type: Type


@dataclass
class Row:
    """Patterns that are left to test, names that are bound, and what follows."""

    tests: list[tuple[Column, n.Pattern]]
    guard: n.Expr | None
    body: n.Expr
    bound: list[tuple[str, str]] = field(default_factory=list)


Lengths = dict[str, tuple[int, int | None]]
"""Known lengths of lists: minimum, and maximum or None."""


class Matches(Patterns):
    """`matched` writes every `match`."""

    _bodies = 0

    def matched(self, node: n.Match, expected: Type | None) -> Code:
        wanted = expected if head(expected) else node.ty
        if all(self._is_plain(arm) for arm in node.arms) and not isinstance(node.value, n.TupleOf):
            return self._plain_match(node, wanted)
        if isinstance(node.value, n.TupleOf):
            tests = [Column(self.named(self.lower(part), "value"), part.ty or Type()) for part in node.value.items]
            rows = [row for arm in node.arms for row in self._tuple_rows(arm, tests, node.value)]
        else:
            column = Column(self.named(self.lower(node.value), "value"), node.value.ty or Type())
            rows = [Row([(column, arm.pattern)], arm.guard, arm.body) for arm in node.arms]
        self._bodies = 0
        return Code(self._decided(rows, wanted, {}), ANY)

    def _tuple_rows(self, arm: n.Arm, columns: list[Column], value: n.Expr) -> list[Row]:
        """The rows of an arm: one for each alternative."""
        rows: list[Row] = []
        for pattern in arm.pattern.options if isinstance(arm.pattern, n.OrPattern) else [arm.pattern]:
            if isinstance(pattern, n.TuplePattern) and len(pattern.items) == len(columns):
                rows.append(Row(list(zip(columns, pattern.items, strict=True)), arm.guard, arm.body))
            elif isinstance(pattern, n.Wildcard):
                rows.append(Row([], arm.guard, arm.body))
            elif isinstance(pattern, n.Binding) and pattern.inner is None and is_known(value.ty):
                fields = ", ".join(f"{self.tuple_field(place)}: {column.text}" for place, column in enumerate(columns))
                whole = f"{self.tuple_record(value.ty or Type())} {{ {fields} }}"
                rows.append(Row([], arm.guard, arm.body, [(self.spelled(pattern.name), whole)]))
            else:
                raise Untranslatable("a tuple under one name", arm.start)
        return rows

    # ---- matches that `.ax` has ----

    def _is_plain(self, arm: n.Arm) -> bool:
        return arm.guard is None and self._is_plain_pattern(arm.pattern)

    def _is_plain_pattern(self, pattern: n.Pattern) -> bool:
        match pattern:
            case n.Wildcard():
                return True
            case n.Binding():
                return pattern.inner is None
            case n.LiteralPattern():
                value = pattern.value
                return isinstance(value, n.Literal) and value.kind in ("int", "string", "bool") and not value.text.startswith("-")
            case n.VariantPattern():
                variant = self.program.variant(pattern.owner, pattern.name)
                if variant is not None and self.is_bundled(variant[1]) and (pattern.items or pattern.named is not None):
                    return False
                return pattern.named is None and len(pattern.items) <= 1 and all(map(self._is_plain_pattern, pattern.items))
        return False

    def _plain_match(self, node: n.Match, expected: Type | None) -> Code:
        value = self.value(node.value)
        if isinstance(node.value, n.RecordOf):
            value = f"({value})"
        arms = []
        for arm in node.arms:
            lines = self.comments_before(arm.start)
            lines.append(f"{self._pattern_text(arm.pattern)} => {self.arm_text(arm.body, expected)},")
            arms.append("\n".join(lines))
        return Code(f"match {value} {{ " + "\n".join(arms) + "\n}", ANY)

    def _pattern_text(self, pattern: n.Pattern) -> str:
        match pattern:
            case n.Binding():
                self.used.add(pattern.name)
                return self.spelled(pattern.name)
            case n.LiteralPattern(value=n.Literal(text=text)):
                return text
            case n.VariantPattern():
                return f"{pattern.name}({self._pattern_text(pattern.items[0])})" if pattern.items else pattern.name
        return "_"

    def arm_text(self, body: n.Expr, expected: Type | None) -> str:
        """An arm's body: a value, or a block where statements run first."""
        if isinstance(body, n.Block) and (body.statements or head(expected) not in ("Map", "List")):
            return self.block_text(body, expected)
        if isinstance(body, n.Jump):
            return self.block_text(n.Block([n.Evaluate(body)], start=body.start, end=body.end), expected)
        if isinstance(body, n.Call) and id(body) in self._unused:
            return self.block_text(n.Block([n.Evaluate(body)], start=body.start, end=body.end), expected)
        with self.captured() as before:
            text = self.value(body, expected)
        return "{ " + "\n".join([*before, text]) + " }" if before else text

    # ---- decisions ----

    def _decided(self, rows: list[Row], expected: Type | None, lengths: Lengths) -> str:
        """The value of the first row that matches, as an expression."""
        self.spend()
        if not rows:
            return f'__builtin_guard({self.any_value(expected) or "{}"}, false, "no match found for value")'
        row = self._simplified(rows[0])
        if not row.tests:
            return self._body(row, rows[1:], expected, lengths)
        rows = [row, *rows[1:]]
        column, pattern = row.tests[0]
        match pattern:
            case n.OrPattern():
                split = [
                    replace(row, tests=[(column, option), *row.tests[1:]], bound=list(row.bound)) for option in pattern.options
                ]
                return self._decided([*split, *rows[1:]], expected, lengths)
            case n.VariantPattern():
                return self._on_variants(rows, column, expected, lengths)
            case n.LiteralPattern():
                return self._on_literal(rows, column, pattern, expected, lengths)
            case n.RangePattern():
                return self._on_range(rows, column, pattern, expected, lengths)
            case n.ListPattern():
                return self._on_list(rows, column, pattern, expected, lengths)
        raise Untranslatable("a pattern that has no counterpart", pattern.start)

    def _simplified(self, row: Row) -> Row:
        """A row without the tests that always hold; tuples and records become tests of their parts."""
        tests: list[tuple[Column, n.Pattern]] = []
        waiting = list(row.tests)
        bound = list(row.bound)
        while waiting:
            column, pattern = waiting.pop(0)
            match pattern:
                case n.Wildcard():
                    continue
                case n.Binding():
                    if pattern.name != column.text:
                        bound.append((self.spelled(pattern.name), column.text))
                    if pattern.inner is not None:
                        waiting.insert(0, (column, pattern.inner))
                case n.TuplePattern() if head(column.type) == "List":
                    tests.append((column, n.ListPattern(pattern.items, start=pattern.start, end=pattern.end)))
                case n.TuplePattern() | n.ListPattern() if isinstance(pattern, n.TuplePattern) or head(column.type) == "Tuple":
                    parts = [
                        (Column(f"{column.text}.{self.tuple_field(place)}", argument(column.type, place)), part)
                        for place, part in enumerate(pattern.items)
                    ]
                    waiting = [*parts, *waiting]
                case n.RecordPattern():
                    record = self.program.records.get(pattern.name or head(column.type))
                    types = record.fields if record is not None else {}
                    fields = [
                        (Column(f"{column.text}.{name}", types.get(name, Type())), part) for name, part in pattern.fields.items()
                    ]
                    waiting = [*fields, *waiting]
                case _:
                    tests.append((column, pattern))
        return Row(tests, row.guard, row.body, bound)

    def _body(self, row: Row, rest: list[Row], expected: Type | None, lengths: Lengths) -> str:
        self._bodies += 1
        if self._bodies > _MOST_BODIES:
            raise Untranslatable(TOO_LARGE, row.body.start)
        lets = [f"let {name} = {text}" for name, text in row.bound if name != "_" and name != text]
        self.used.update(name for name, _ in row.bound)
        with self.captured() as before:
            guard = self.value(row.guard, BOOL) if row.guard is not None else ""
        body = self.arm_text(row.body, expected)
        if row.guard is not None:
            other = self._decided(rest, expected, lengths)
            body = f"if {guard} {braced(body)} else {braced(other)}"
        lines = [*lets, *before]
        return "{ " + "\n".join([*lines, body]) + " }" if lines else body

    def _columns_of(self, row: Row, column: Column) -> tuple[n.Pattern | None, list[tuple[Column, n.Pattern]]]:
        """A row's pattern for a value, and the row's other tests."""
        for place, (other, pattern) in enumerate(row.tests):
            if other.text == column.text:
                return pattern, row.tests[:place] + row.tests[place + 1 :]
        return None, row.tests

    # ---- tests by kind ----

    def _on_variants(self, rows: list[Row], column: Column, expected: Type | None, lengths: Lengths) -> str:
        rows = self._split_alternatives(rows, column)
        names: list[str] = []
        for row in rows:
            pattern, _ = self._columns_of(row, column)
            if isinstance(pattern, n.VariantPattern) and pattern.name not in names:
                names.append(pattern.name)
            elif pattern is not None and not isinstance(pattern, (n.VariantPattern, n.Wildcard, n.Binding)):
                raise Untranslatable("patterns of different kinds for one value", pattern.start)
        arms = [self._variant_arm(rows, column, name, expected, lengths) for name in names]
        if set(names) != set(self._all_variants(column, names)):
            rest = [row for row in rows if not isinstance(self._columns_of(row, column)[0], n.VariantPattern)]
            arms.append(f"_ => {self._decided(rest, expected, lengths)},")
        return f"match {column.text} {{ " + "\n".join(arms) + "\n}"

    def _split_alternatives(self, rows: list[Row], column: Column) -> list[Row]:
        """Rows with alternatives for a value as several rows."""
        split: list[Row] = []
        for row in rows:
            pattern, others = self._columns_of(self._simplified(row), column)
            simple = self._simplified(row)
            if isinstance(pattern, n.OrPattern):
                split += [
                    Row([(column, option), *others], simple.guard, simple.body, list(simple.bound)) for option in pattern.options
                ]
            else:
                split.append(simple)
        return split

    def _all_variants(self, column: Column, names: list[str]) -> tuple[str, ...]:
        kind = head(column.type)
        for wrapper, both in _WRAPPERS.items():
            if kind == wrapper or names[0] in both:
                return both
        named = self.program.variant(kind if kind in self.program.enums else "", names[0])
        return tuple(variant.name for variant in named[0].variants) if named is not None else ()

    def _variant_arm(self, rows: list[Row], column: Column, name: str, expected: Type | None, lengths: Lengths) -> str:
        types, fields = self._payload(column, name)
        payload = ""
        inner: list[Row] = []
        bundle = bool(fields)
        if types:
            payload = self._payload_name(rows, column, name, bundle)
        for row in rows:
            pattern, others = self._columns_of(row, column)
            if isinstance(pattern, n.VariantPattern):
                if pattern.name == name:
                    parts = self._payload_tests(pattern, payload, types, fields)
                    inner.append(Row([*parts, *others], row.guard, row.body, list(row.bound)))
            else:
                inner.append(row)
        text = self._decided(inner, expected, lengths)
        is_used = payload and mentions(text, payload)
        head_text = f"{name}({payload if is_used else '_'})" if payload else name
        return f"{head_text} => {text},"

    def _payload(self, column: Column, name: str) -> tuple[list[Type], list[str]]:
        """The types of a variant's values, and the fields of the record that bundles them."""
        if name in ("Some", "Ok"):
            return [argument(column.type)], []
        if name == "Err":
            return [argument(column.type, 1)], []
        if name == "None":
            return [], []
        kind = head(column.type)
        declared = self.program.variant(kind if kind in self.program.enums else "", name)
        if declared is None:
            raise Untranslatable(f"the variant `{name}` is not known here")
        variant = declared[1]
        return variant.payload, self.payload_fields(variant) if self.is_bundled(variant) else []

    def _payload_name(self, rows: list[Row], column: Column, name: str, bundle: bool) -> str:
        if not bundle:
            for row in rows:
                pattern, _ = self._columns_of(row, column)
                if isinstance(pattern, n.VariantPattern) and pattern.name == name and len(pattern.items) == 1:
                    only = pattern.items[0]
                    if isinstance(only, n.Binding) and only.inner is None:
                        self.used.add(only.name)
                        return self.spelled(only.name)
                    break
        return self.fresh("payload" if bundle else "inner")

    def _payload_tests(
        self, pattern: n.VariantPattern, payload: str, types: list[Type], fields: list[str]
    ) -> list[tuple[Column, n.Pattern]]:
        if pattern.named is not None:
            kinds = dict(zip(fields, types, strict=False))
            return [(Column(f"{payload}.{name}", kinds.get(name, Type())), part) for name, part in pattern.named.items()]
        if fields:
            return [
                (Column(f"{payload}.{name}", kind), part) for name, kind, part in zip(fields, types, pattern.items, strict=False)
            ]
        return [(Column(payload, kind), part) for kind, part in zip(types, pattern.items, strict=False)]

    def _on_literal(
        self, rows: list[Row], column: Column, pattern: n.LiteralPattern, expected: Type | None, lengths: Lengths
    ) -> str:
        value = pattern.value
        text = value.text if isinstance(value, n.Literal) else self.value(value)
        then, otherwise = [], []
        for row in rows:
            own, others = self._columns_of(row, column)
            literal = own.value if isinstance(own, n.LiteralPattern) else None
            if own is pattern or (isinstance(literal, n.Literal) and literal.text == text):
                then.append(Row(others, row.guard, row.body, list(row.bound)))
            elif literal is not None:
                otherwise.append(row)
            else:
                then.append(row)
                otherwise.append(row)
        if isinstance(value, n.Literal) and value.kind == "bool":
            condition = column.text if text == "true" else f"!{column.text}"
        else:
            condition = f"{column.text} == {self._literal_for(column, text)}"
        return self._if_text(condition, self._decided(then, expected, lengths), self._decided(otherwise, expected, lengths))

    def _literal_for(self, column: Column, text: str) -> str:
        if head(column.type) == "Float" and text.lstrip("-").isdigit():
            return f"{text}.0"
        return f"({text})" if text.startswith("-") else text

    def _if_text(self, condition: str, then: str, otherwise: str) -> str:
        return f"if {condition} {braced(then)} else {braced(otherwise)}"

    def _on_range(self, rows: list[Row], column: Column, pattern: n.RangePattern, expected: Type | None, lengths: Lengths) -> str:
        parts = []
        if pattern.low is not None:
            parts.append(f"{column.text} >= {self.value(pattern.low, None, COMPARE + 1)}")
        if pattern.high is not None:
            parts.append(f"{column.text} {'<=' if pattern.inclusive else '<'} {self.value(pattern.high, None, COMPARE + 1)}")
        _, others = self._columns_of(rows[0], column)
        then = [Row(others, rows[0].guard, rows[0].body, list(rows[0].bound)), *rows[1:]]
        return self._if_text(
            " && ".join(parts), self._decided(then, expected, lengths), self._decided(rows[1:], expected, lengths)
        )

    def _on_list(self, rows: list[Row], column: Column, pattern: n.ListPattern, expected: Type | None, lengths: Lengths) -> str:
        if isinstance(pattern.rest, n.ListPattern):
            raise Untranslatable("a list pattern in the rest of another", pattern.start)
        wanted = len(pattern.items) + len(pattern.last)
        low, high = lengths.get(column.text, (0, None))
        is_exact = pattern.rest is None
        if (high is not None and wanted > high) or (is_exact and wanted < low):
            return self._decided(rows[1:], expected, lengths)
        if wanted <= low and (not is_exact or high == wanted):
            return self._decided([self._with_items(rows[0], column, pattern), *rows[1:]], expected, lengths)
        text = column.text
        is_text = head(column.type) == "String"
        if is_text:
            raise Untranslatable("a list pattern for a text", pattern.start)
        condition = f"list_len({text}) == {wanted}" if is_exact else f"list_len({text}) >= {wanted}"
        if wanted == 0 and is_exact:
            condition = f"__builtin_list_is_empty({text})"
        elif wanted == 1 and not is_exact:
            condition = f"!__builtin_list_is_empty({text})"
        inside = dict(lengths)
        inside[text] = (wanted, wanted) if is_exact else (wanted, high)
        outside = dict(lengths)
        if is_exact and wanted == low:
            outside[text] = (low + 1, high)
        elif not is_exact:
            outside[text] = (low, wanted - 1)
        then = self._decided([self._with_items(rows[0], column, pattern), *rows[1:]], expected, inside)
        return self._if_text(condition, then, self._decided(rows[1:], expected, outside))

    def _with_items(self, row: Row, column: Column, pattern: n.ListPattern) -> Row:
        """A row whose list is long enough: tests of its items, the rest bound."""
        _, others = self._columns_of(row, column)
        item = argument(column.type)
        text = column.text
        bound = list(row.bound)
        tests: list[tuple[Column, n.Pattern]] = []
        for place, part in enumerate(pattern.items):
            self._item_test(f"list_get({text}, {place})", part, item, bound, tests)
        for place, part in enumerate(reversed(pattern.last), 1):
            self._item_test(f"list_get({text}, list_len({text}) - {place})", part, item, bound, tests)
        if isinstance(pattern.rest, n.Binding):
            taken = len(pattern.items)
            rest = f"__builtin_list_tail({text})" if taken == 1 else f"{self.library('list_drop')}({text}, {taken})"
            if pattern.last:
                rest = f"{self.library('list_slice')}({text}, {taken}, list_len({text}) - {len(pattern.last)})"
            bound.append((self.spelled(pattern.rest.name), rest if taken or pattern.last else text))
        return Row([*tests, *others], row.guard, row.body, bound)

    def _item_test(
        self, text: str, part: n.Pattern, kind: Type, bound: list[tuple[str, str]], tests: list[tuple[Column, n.Pattern]]
    ) -> None:
        """Binds an item's name, or has it tested under a name of its own."""
        if isinstance(part, n.Binding) and part.inner is None:
            bound.append((self.spelled(part.name), text))
        elif not isinstance(part, n.Wildcard):
            tests.append((Column(text, kind), part))

    # ---- patterns that always match ----

    def _only_variant(self, row: Row, column: Column, pattern: n.VariantPattern) -> Row:
        """Tests of the values in the only variant of an enum."""
        types, fields = self._payload(column, pattern.name)
        _, others = self._columns_of(row, column)
        if not types:
            return Row(others, row.guard, row.body, list(row.bound))
        payload = self.fresh("payload")
        inner = self.fresh("inner")
        self.before.append(f"let {payload} = match {column.text} {{ {pattern.name}({inner}) => {inner} }}")
        tests = [*self._payload_tests(pattern, payload, types, fields), *others]
        return Row(tests, row.guard, row.body, list(row.bound))

    def bind(self, pattern: n.Pattern, text: str, kind: Type | None) -> None:
        """The names of a pattern that a value always matches, before the expression at hand."""
        row = self._simplified(Row([(Column(text, kind or Type()), pattern)], None, n.Block([])))
        while row.tests:
            column, part = row.tests[0]
            if isinstance(part, n.ListPattern):
                row = self._simplified(self._with_items(row, column, part))
                continue
            if isinstance(part, n.VariantPattern) and len(self._all_variants(column, [part.name])) == 1:
                row = self._simplified(self._only_variant(row, column, part))
                continue
            raise Untranslatable("a pattern that may not match", part.start)
        for name, value in row.bound:
            if name not in ("_", value):
                self.used.add(name)
                self.before.append(f"let {name} = {value}")
