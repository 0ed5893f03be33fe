"""Loops of other dialects in `.ax`: over ranges, maps, numbered items, and loops that count."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.lowering.lowering_statements import Statements
from analysis.fixes.dialect.lowering.writer import OR, Loop
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, INT, Type, argument, head, list_of
from analysis.fixes.dialect.tree.untranslatable import OtherMeaning, Untranslatable
from analysis.fixes.dialect.tree.walking import walk

_LIVE: Final = ("python", "javascript", "ruby")
"""Languages whose loops see what is added to their list meanwhile."""
_NAMES: Final = re.compile(r"[a-z_]\w*")
_ASSIGNED: Final = re.compile(r"^[ \t]*+(\w++) = |[{;}]\s*+(\w++) = ", re.MULTILINE)


class ForLoops(Statements):
    """Each kind of loop becomes a `for` over a list or a `while`."""

    def _body_of(self, body: n.Block, step: list[str]) -> tuple[list[str], Loop]:
        """A loop's body with the flags that it needs, then the step."""
        loop = Loop()
        self.loops.append(loop)
        lines = self.lines(body.statements, None, is_value=False)
        lines += self.comments_before(body.end) if body.end else []
        self.loops.pop()
        if loop.skip:
            lines.insert(0, f"let mut {loop.skip} = false")
        return [*lines, *step], loop

    def _while(self, statement: n.While) -> list[str]:
        letting = isinstance(statement.condition, n.LetCondition) or _has_let(statement.condition)
        with self.captured() as before:
            condition = None if letting else self.lower(statement.condition, BOOL)
        if letting or before:
            return self._while_computed(statement)
        assert condition is not None
        body, loop = self._body_of(statement.body, [])
        text = self.condition_text(condition)
        lines: list[str] = []
        if loop.stop:
            lines.append(f"let mut {loop.stop} = false")
            is_true = text == "true"
            plain = f"!{loop.stop} && {condition.at(OR + 2)}"
            text = f"!{loop.stop}" if is_true else plain
            if not is_true and self.can_fail(statement.condition):
                text = f"if {loop.stop} {{ false }} else {{ {condition.text} }}"
        return [*lines, f"while {text} {{ " + "\n".join(body) + "\n}"]

    def _while_computed(self, statement: n.While) -> list[str]:
        """A loop whose condition needs statements: it is computed at the beginning of each round."""
        stop = n.Block([n.Evaluate(n.Jump("break"))])
        test = n.If(statement.condition, statement.body, stop, start=statement.start, end=statement.end)
        loop = n.While(n.Literal("bool", "true", ty=BOOL), n.Block([n.Evaluate(test)], start=statement.start, end=statement.end))
        return self._while(loop)

    def _for(self, statement: n.For) -> list[str]:
        source, pattern = statement.source, statement.pattern
        if statement.is_read_behind:
            raise OtherMeaning("a loop whose variable is read behind it", statement.start)
        counted = _counted(source)
        if isinstance(source, n.Range) or counted is not None:
            return self._for_numbers(statement, counted)
        if _is_enumerated(source) and isinstance(pattern, n.TuplePattern):
            return self._for_enumerated(statement, pattern)
        is_dict = self.program.habit == "python" and isinstance(source, n.Name) and head(source.ty) == "Map"
        if is_dict and head(argument(source.ty)) == "Tuple":
            # It is gone through by its keys.
            kind = list_of(argument(source.ty))
            statement.source = source = n.Name(self.named(self.write_map_keys([source], source, None), "keys"), ty=kind)
        if isinstance(pattern, n.TuplePattern) and head(_without_iterator(source).ty) == "Map":
            return self._for_entries(statement, pattern)
        item = self.spelled(pattern.name) if isinstance(pattern, n.Binding) else self.fresh("item")
        self.used.add(item)
        text = self._source_text(source)
        if statement.is_guess:
            self.guess(f"in {text}", "the loop is read as one over a List")
        with self.captured() as lets:
            if not isinstance(pattern, (n.Binding, n.Wildcard)):
                self.bind(pattern, item, self.item_type(source))
        body, loop = self._body_of(statement.body, [])
        if self.program.habit in _LIVE and isinstance(source, n.Name) and text in _assigned(body):
            self.guess(f"in {text}", f"`{text}` changes while the loop goes through it, which here sees what it was before")
        return self._looped(f"for {item} in {text}", [*lets, *body], loop)

    def _source_text(self, source: n.Expr) -> str:
        code = self.lower(source)
        if head(source.ty) == "String":
            return f"__builtin_string_chars({code.text})"
        if head(source.ty) == "Map" and head(argument(source.ty)) not in ("String", ""):
            return self.write_map_keys([source], source, None).text
        if head(source.ty) == "Map":
            return f"__builtin_map_keys({code.text})"
        return self.condition_text(code)

    def _looped(self, head_text: str, body: list[str], loop: Loop) -> list[str]:
        inner = "\n".join(body)
        if loop.stop:
            return [f"let mut {loop.stop} = false", f"{head_text} {{ if !{loop.stop} {{ {inner}\n}} }}"]
        return [f"{head_text} {{ {inner}\n}}"]

    def _for_numbers(self, statement: n.For, counted: tuple[n.Range, bool, n.Expr | None] | None) -> list[str]:
        """A loop over a range as a loop that counts."""
        source, down, step = counted if counted is not None else (statement.source, False, None)
        assert isinstance(source, n.Range)
        pattern = statement.pattern
        name = self.spelled(pattern.name) if isinstance(pattern, n.Binding) else self.fresh("round")
        self.used.add(name)
        low, high = self._open_bounds(source)
        width = self.value(step, INT, OR + 5) if step is not None else "1"
        begin, sign, bound = low, "<", high
        if down:
            is_range, is_thinned = _is_of_python(statement.source), _thins(statement.source)
            if step is not None and not is_range and not is_thinned:
                raise Untranslatable("a range with steps that goes down", statement.start)
            # `range(high, low, -2)`: the high end comes first and is included.
            is_stepped = step is not None and is_range
            begin, sign, bound = (low, ">", high) if is_stepped else (_minus_one(high), ">=", low)
        body, loop = self._body_of(statement.body, [])
        changed, counter = _assigned(body), name
        lines: list[str] = []
        if changed & set(_NAMES.findall(bound)):
            # The range is made once, before the loop changes what it was made of.
            end = self.fresh("end")
            lines.append(f"let {end} = {bound}")
            bound = end
        if name in changed:
            # The next number does not depend on what the body makes of this one.
            counter = self.fresh("counter")
            body.insert(0, f"let mut {name} = {counter}")
        condition = f"{counter} {sign} {bound}" if bound else "true"
        lines.append(f"let mut {counter} = {begin}")
        if loop.stop:
            lines.append(f"let mut {loop.stop} = false")
            condition = f"!{loop.stop} && {condition}"
        step_line = f"{counter} = {counter} {'-' if down else '+'} {width}"
        return [*lines, f"while {condition} {{ " + "\n".join([*body, step_line]) + "\n}"]

    def _open_bounds(self, source: n.Range) -> tuple[str, str]:
        if source.high is None:
            return self.value(source.low, INT) if source.low is not None else "0", ""
        return self.bounds(source)

    def _for_enumerated(self, statement: n.For, pattern: n.TuplePattern) -> list[str]:
        """`for i, x in enumerate(xs)`: a counter beside the loop."""
        inner = _enumerated(statement.source)
        place, item_pattern = pattern.items[0], pattern.items[1]
        name = self.spelled(place.name) if isinstance(place, n.Binding) else ""
        item = self.spelled(item_pattern.name) if isinstance(item_pattern, n.Binding) else self.fresh("item")
        self.used.update((name, item))
        text = self._source_text(inner)
        with self.captured() as lets:
            if not isinstance(item_pattern, (n.Binding, n.Wildcard)):
                self.bind(item_pattern, item, self.item_type(inner))
        body, loop = self._body_of(statement.body, [f"{name} = {name} + 1"] if name else [])
        start = self._first_number(statement.source)
        return [*([f"let mut {name} = {start}"] if name else []), *self._looped(f"for {item} in {text}", [*lets, *body], loop)]

    def _first_number(self, source: n.Expr) -> str:
        """The number of the first item: 0, or what `enumerate(xs, start)` says."""
        return self.value(source.operands[1], INT) if isinstance(source, n.Call) and len(source.operands) > 1 else "0"

    def _for_entries(self, statement: n.For, pattern: n.TuplePattern) -> list[str]:
        """`for (k, v) in map`."""
        source = _without_iterator(statement.source)
        if head(argument(source.ty)) == "Tuple" or head(argument(source.ty)) in self.program.records:
            kind = Type("Tuple", argument(source.ty, 0), argument(source.ty, 1))
            entries = self.named(self.write_map_entries([source], n.Name("", ty=list_of(kind)), None), "entries")
            statement.source = n.Name(entries, ty=list_of(kind))
            return self._for(statement)
        if head(argument(source.ty)) not in ("String", ""):
            raise Untranslatable("the keys of a map that are no texts", statement.start)
        owner = self.named(self.lower(source), "entries_of")
        key = self.spelled(pattern.items[0].name) if isinstance(pattern.items[0], n.Binding) else self.fresh("key")
        second = pattern.items[1]
        value = self.spelled(second.name) if isinstance(second, n.Binding) else self.fresh("value")
        self.used.update((key, value))
        with self.captured() as lets:
            if not isinstance(second, (n.Binding, n.Wildcard)):
                self.bind(second, value, argument(source.ty, 1))
        body, loop = self._body_of(statement.body, [])
        inner = "\n".join([*lets, *body])
        arms = f"Some({value}) => {{ {inner}\n}}, None => {{}}"
        return self._looped(
            f"for {key} in __builtin_map_keys({owner})", [f"match __builtin_map_get({owner}, {key}) {{ {arms} }}"], loop
        )

    def _counting_for(self, statement: n.CountingFor) -> list[str]:
        first = self._statement(statement.first, None) if statement.first is not None else []
        condition = self.lower(statement.condition, BOOL)
        step = self._statement(statement.step, None) if statement.step is not None else []
        body, loop = self._body_of(statement.body, [])
        if loop.stop and step and not isinstance(statement.first, n.Let):
            # What follows sees the counter as the jump left it.
            step = [f"if !{loop.stop} {{ " + "\n".join(step) + " }"]
        body += step
        text = condition.text
        if loop.stop:
            first.append(f"let mut {loop.stop} = false")
            text = f"!{loop.stop} && {condition.at(OR + 2)}"
        return [*first, f"while {text} {{ " + "\n".join(body) + "\n}"]


def _assigned(body: list[str]) -> set[str]:
    """The variables to which lines of `.ax` give other values."""
    return {name for groups in _ASSIGNED.findall("\n".join(body)) for name in groups if name}


def _has_let(condition: n.Expr) -> bool:
    return any(isinstance(node, n.LetCondition) for node in walk(condition))


def _counted(source: n.Expr) -> tuple[n.Range, bool, n.Expr | None] | None:
    """A range in a call that turns or thins it: the range, whether it goes down, its step."""
    if isinstance(source, n.Call) and source.operation is not None and source.operation.template == "@range":
        low, high, step = _range_operands(source.operands)
        if isinstance(step, n.Unary) and isinstance(step.operand, n.Literal) and step.operand.text != "1":
            return n.Range(low, high, False), True, step.operand
        if isinstance(step, n.Unary) and isinstance(step.operand, n.Literal):
            above = n.Binary("+", high, n.Literal("int", "1", ty=INT), ty=INT)
            return n.Range(above, n.Binary("+", low, n.Literal("int", "1", ty=INT), ty=INT), False), True, None
        return n.Range(low, high, False), False, step
    if not (isinstance(source, n.Call) and isinstance(source.function, n.Member)):
        return None
    inner = _counted(source.function.object) or (
        (source.function.object, False, None) if isinstance(source.function.object, n.Range) else None
    )
    if inner is None:
        return None
    if source.function.name in ("rev", "reversed", "reverse"):
        return inner[0], not inner[1], inner[2]
    if source.function.name in ("step_by", "step"):
        return inner[0], inner[1], source.arguments[0].value
    return inner if source.function.name in ("iter", "into_iter", "to_list", "toList") else None


def _is_of_python(source: n.Expr) -> bool:
    """`range(high, low, -2)`."""
    return isinstance(source, n.Call) and source.operation is not None and source.operation.template == "@range"


def _thins(source: n.Expr) -> bool:
    """`(low..high).reversed().step_by(2)`: turned first, so the steps begin at the high end."""
    return isinstance(source, n.Call) and isinstance(source.function, n.Member) and source.function.name in ("step_by", "step")


def _range_operands(operands: list[n.Expr]) -> tuple[n.Expr, n.Expr, n.Expr | None]:
    if len(operands) == 1:
        return n.Literal("int", "0", ty=INT), operands[0], None
    return operands[0], operands[1], operands[2] if len(operands) > 2 else None


def _minus_one(text: str) -> str:
    if text.endswith(" + 1"):
        return text.removesuffix(" + 1")
    return str(int(text) - 1) if text.isdigit() else f"{text} - 1"


def _is_enumerated(source: n.Expr) -> bool:
    return isinstance(source, n.Call) and source.operation is not None and source.operation.template == "@enumerate"


def _enumerated(source: n.Expr) -> n.Expr:
    return source.operands[0] if isinstance(source, n.Call) and source.operands else source


def _without_iterator(source: n.Expr) -> n.Expr:
    """`m.items()`, `m.iter()`: the map itself."""
    if isinstance(source, n.Call) and source.operation is not None and source.operation.template == "@map_entries":
        return source.operands[0]
    if isinstance(source, n.Member) and source.operation is not None and source.operation.template == "@map_entries":
        return source.object
    return source
