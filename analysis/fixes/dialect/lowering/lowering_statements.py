"""Statements of other dialects in `.ax`: `break` and `continue`, assignments to parts of values, patterns in declarations."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect.lowering.lowering_conditions import Conditions
from analysis.fixes.dialect.lowering.writer import UNARY
from analysis.fixes.dialect.rewriting.jumps.early_returns import with_choices
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, Type, argument, head, is_known
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import children, gets_value_first, tails, walk
from analysis.fixes.dialect.typing.program import builtin_signatures
from analysis.suggestions.operation import Operation

_UPDATES: Final = frozenset(
    "list_push __builtin_list_append __builtin_list_concat __builtin_list_reverse __builtin_map_set __builtin_map_remove "
    "list_set list_insert list_remove_at list_sort".split()
)


_TAKING: Final = ("@list_pop", "@list_shift", "@set_insert", "@splice", "@pop_at", "@map_pop", "@map_take")
"""Operations that change a value and give a part of it."""


class Statements(Conditions):
    """`block_text` writes a block; `rest` of a block goes where a jump out of a loop leaves it to run."""

    def block_text(self, block: n.Block, expected: Type | None) -> str:
        lines = self.lines(block.statements, expected)
        lines += self.comments_before(block.end) if block.end else []
        inner = "\n".join(lines)
        has_comment = any(line.startswith("//") for line in lines)
        return f"{{\n{inner}\n}}" if has_comment else f"{{ {inner} }}"

    def inlined(self, block: n.Block, expected: Type | None) -> str:
        """A closure's block in place: its statements before, its last value as text; a `return` at its end is that value."""
        statements = with_choices(block.statements)
        if not statements:
            return "{}"
        last = statements.pop()
        if any(isinstance(node, n.Jump) and node.kind == "return" for each in statements for node in walk(each)):
            raise Untranslatable("a closure that returns early", block.start)
        self.before += self.lines(statements, None, is_value=False)
        if isinstance(last, n.Evaluate):
            value = last.value
            if isinstance(value, n.Jump) and value.kind == "return" and value.value is not None:
                value = value.value
            if any(isinstance(node, n.Jump) and node.kind == "return" for node in walk(value)):
                raise Untranslatable("a closure that returns early", block.start)
            if not self._is_update(value):
                return self.value(value, expected)
        self.before += self.lines([last], None, is_value=False)
        return "{}"

    def lines(self, statements: list[n.Statement], expected: Type | None, is_value: bool = True) -> list[str]:
        """Statements as lines; the last one is the block's value where one is wanted."""
        lines: list[str] = []
        for statement in statements if not is_value else statements[:-1]:
            if isinstance(statement, n.Evaluate):
                self._unused |= tails(statement.value)
        for place, statement in enumerate(statements):
            rest = statements[place + 1 :]
            if statement.start:
                lines += self.comments_before(statement.start)
            self.spend()
            is_last = not rest
            with self.captured() as before:
                taken = self._with_rest(statement, rest, expected)
                written = taken if taken is not None else self._statement(statement, expected if is_last and is_value else None)
            if isinstance(statement, n.Let) and statement.value is None and isinstance(statement.pattern, n.Binding):
                self._note_first_value(statement.pattern.name, written, rest)
            lines += before
            lines += self._separated(written) if lines and isinstance(statement, n.Evaluate) else written
            if taken is not None:
                return lines
            if rest and self.loops and (kinds := _jumps(statement)):
                return lines + self._guarded(kinds, rest, expected)
        return lines

    def _separated(self, lines: list[str]) -> list[str]:
        """A line that begins with a parenthesis or a sign would continue the one before it."""
        if not lines or lines[0][:1] not in ("(", "-"):
            return lines
        name = self.fresh("value")
        return [f"let {name} = {lines[0]}", name, *lines[1:]]

    @abstractmethod
    def _while(self, statement: n.While) -> list[str]: ...

    @abstractmethod
    def _for(self, statement: n.For) -> list[str]: ...

    @abstractmethod
    def _counting_for(self, statement: n.CountingFor) -> list[str]: ...

    # ---- what the rest of a block depends on ----

    def _with_rest(self, statement: n.Statement, rest: list[n.Statement], expected: Type | None) -> list[str] | None:
        """Statements after which the rest of the block goes into a branch."""
        if isinstance(statement, n.Let) and statement.otherwise is not None and statement.value is not None:
            body = n.Block(rest, start=statement.end, end=rest[-1].end if rest else statement.end)
            arms = [n.Arm(statement.pattern, None, body), n.Arm(n.Wildcard(), None, statement.otherwise)]
            return [self.matched(n.Match(statement.value, arms, ty=expected), expected).text]
        if isinstance(statement, n.Let) and isinstance(statement.value, n.Match) and self.loops and _jumps(statement):
            return self._let_match(statement, statement.value, rest, expected)
        if not rest or not self.loops:
            return None
        if isinstance(statement, n.Evaluate) and isinstance(statement.value, n.If):
            return self._if_that_jumps(statement.value, rest, expected)
        return None

    def _let_match(self, statement: n.Let, value: n.Match, rest: list[n.Statement], expected: Type | None) -> list[str]:
        """`let x = match v { Some(y) => y, None => continue }`: the rest goes into the arms that give a value."""
        arms = []
        for arm in value.arms:
            body = arm.body
            if _jumps(n.Evaluate(body)):
                arms.append(arm)
                continue
            again = n.Let(statement.pattern, statement.type, body, statement.mutable)
            arms.append(n.Arm(arm.pattern, arm.guard, n.Block([again, *rest]), start=arm.start))
        if sum(not _jumps(n.Evaluate(arm.body)) or isinstance(arm.body, n.Block) for arm in arms) > len(value.arms):
            raise Untranslatable("a match that leaves a loop", value.start)
        return [self.matched(n.Match(value.value, arms, ty=expected, start=value.start), expected).text]

    def _if_that_jumps(self, node: n.If, rest: list[n.Statement], expected: Type | None) -> list[str] | None:
        """`if c { … continue }` and the rest: the rest becomes the other branch."""
        last = node.then.statements[-1] if node.then.statements else None
        if node.otherwise is not None or not (isinstance(last, n.Evaluate) and isinstance(last.value, n.Jump)):
            return None
        if last.value.kind == "return" or any(_jumps(each) for each in node.then.statements[:-1]):
            return None
        kept = node.then.statements[:-1]
        if kept and isinstance(kept[-1], n.Evaluate):
            # The jump stood behind it: nobody uses its value.
            self._unused |= tails(kept[-1].value)
        if last.value.kind == "break":
            kept = [*kept, last]
        otherwise = n.Block(rest, start=rest[0].start, end=rest[-1].end)
        if not kept and not isinstance(node.condition, n.LetCondition):
            condition = self.lower(node.condition, BOOL)
            return [f"if !{condition.at(UNARY)} {self.block_text(otherwise, expected)}"]
        then = n.Block(kept, start=node.then.start, end=node.then.end)
        return [self.conditional(n.If(node.condition, then, otherwise, start=node.start, end=node.end), expected).text]

    def _guarded(self, kinds: set[str], rest: list[n.Statement], expected: Type | None) -> list[str]:
        """The rest of a loop's body behind a statement that may leave it."""
        loop = self.loops[-1]
        flags = []
        if "break" in kinds:
            flags.append(self.stop_flag())
        if "continue" in kinds:
            loop.skip = loop.skip or self.fresh("skip")
            flags.append(loop.skip)
        condition = " && ".join(f"!{flag}" for flag in flags)
        return [f"if {condition} {{ " + "\n".join(self.lines(rest, expected)) + " }"]

    def stop_flag(self) -> str:
        loop = self.loops[-1]
        loop.stop = loop.stop or self.fresh("stop")
        return loop.stop

    # ---- one statement ----

    def _statement(self, statement: n.Statement, expected: Type | None) -> list[str]:
        match statement:
            case n.Let():
                return self._let(statement)
            case n.Assign():
                return self._assign(statement)
            case n.Evaluate():
                return self._evaluate(statement.value, expected)
            case n.While():
                return self._while(statement)
            case n.For():
                return self._for(statement)
            case n.CountingFor():
                return self._counting_for(statement)
            case n.Local():
                self.inner_function(statement.function)
                return []
        raise Untranslatable("a statement that has no counterpart", statement.start)

    def inner_function(self, function: n.Function) -> None:
        """A function inside of another one becomes one of the file."""
        raise Untranslatable("a function inside of a function", function.start)

    def closure_variable(self, name: str, function: n.Lambda) -> bool:
        """True if a variable that holds a closure became a function."""
        return False

    def _let(self, statement: n.Let) -> list[str]:
        pattern = statement.pattern
        if (
            isinstance(pattern, n.Binding)
            and isinstance(statement.value, n.Lambda)
            and self.closure_variable(pattern.name, statement.value)
        ):
            return []
        mutable = (
            "mut " if statement.mutable or (isinstance(pattern, n.Binding) and pattern.name in self.assigned_names()) else ""
        )
        if statement.value is None:
            return self._declared(pattern, statement.type)
        if isinstance(pattern, n.Wildcard):
            return self._evaluate(statement.value, None)
        if isinstance(pattern, n.TuplePattern) and isinstance(statement.value, n.TupleOf):
            return self._let_each(pattern.items, statement.value.items, statement)
        wanted = statement.type
        if (
            wanted is None
            and isinstance(pattern, n.Binding)
            and head(pattern.type) in ("Map", "List")
            and isinstance(statement.value, n.Block)
        ):
            wanted = pattern.type
        value = self.lower(statement.value, wanted)
        if isinstance(pattern, n.Binding) and pattern.inner is None:
            name = self.spelled(pattern.name)
            self.used.add(name)
            annotation = self.type_or_nothing(statement.type) if statement.type is not None else ""
            if not annotation and value.text in ("[]", "None", "map_new()"):
                annotation = self.type_or_nothing(pattern.type)
            return [f"let {mutable}{name}{annotation} = {value.text}"]
        text = self.named(value, "parts")
        kind = statement.type if is_known(statement.type) else statement.value.ty
        with self.captured() as lets:
            self.bind(pattern, text, kind)
        assigned = self.assigned_names()
        return [f"let mut {line[4:]}" if line.split()[1] in assigned else line for line in lets]

    def _declared(self, pattern: n.Pattern, kind: Type | None) -> list[str]:
        """`let x: Int;`: a variable that gets its value later."""
        default = {
            "Int": "0",
            "Float": "0.0",
            "String": '""',
            "Bool": "false",
            "List": "[]",
            "Map": "map_new()",
            "Option": "None",
        }
        if not isinstance(pattern, n.Binding) or head(kind or pattern.type) not in default:
            raise Untranslatable("a variable without a value", pattern.start)
        self.used.add(pattern.name)
        variable_type = kind or pattern.type
        return [f"let mut {self.spelled(pattern.name)}{self.type_or_nothing(variable_type)} = {default[head(variable_type)]}"]

    def _note_first_value(self, name: str, written: list[str], rest: list[n.Statement]) -> None:
        """A value that nobody can read before the variable gets its own is not invented."""
        if written and gets_value_first(name, rest) is False:
            self.added.first_values.append((self.spelled(name), written[-1].partition(" = ")[2]))

    def _let_each(self, patterns: list[n.Pattern], values: list[n.Expr], statement: n.Let) -> list[str]:
        """`let (a, b) = (c, d)`: every value before the first name."""
        names = [self.named(self.lower(value), "part") for value in values]
        lines: list[str] = []
        for pattern, name, value in zip(patterns, names, values, strict=False):
            if isinstance(pattern, n.Binding):
                self.used.add(pattern.name)
                mutable = "mut " if statement.mutable or pattern.name in self.assigned_names() else ""
                lines.append(f"let {mutable}{self.spelled(pattern.name)} = {name}")
            else:
                with self.captured() as lets:
                    self.bind(pattern, name, value.ty)
                lines += lets
        return lines

    def assigned_names(self) -> frozenset[str]:
        """The names that the function at hand assigns."""
        return frozenset()

    def _evaluate(self, node: n.Expr, expected: Type | None) -> list[str]:
        if isinstance(node, n.Jump):
            return self._jump(node)
        if isinstance(node, n.Lambda) and id(node) in self._unused:
            raise Untranslatable("a closure that nothing calls", node.start)
        if self._is_update(node):
            assert isinstance(node, n.Call)
            target = node.operands[0] if node.operation is not None else node.arguments[0].value
            if node.operation is not None and node.operation.template in (*_TAKING, "@get_or_put"):
                self.value(node)
                return []
            if not isinstance(target, (n.Name, n.Member, n.Index)):
                return self._updated_inside(node, target)
            self.check_parameter(target)
            value = self.value(node)
            return self.assigned(target, value)
        text = self.value(node, expected)
        if text == "{}" and self.before:
            return []
        return [text]

    def _updated_inside(self, node: n.Call, target: n.Expr) -> list[str]:
        """`m.get(k).add(x)`, `b.append(x).append(y)`: what is changed is the place that the calls lead to."""
        inner = target
        while isinstance(inner, n.Call) and inner.operation is not None and inner.operands and _changes(inner.operation):
            if head(inner.operands[0].ty) == "Map":
                break
            inner = inner.operands[0]
        place = self.place_of(inner)
        if not isinstance(place, (n.Name, n.Member, n.Index)) or head(place.ty) != head(target.ty):
            raise Untranslatable("a value that is changed in place", node.start)
        if place is not inner:
            if inner is not target or node.operation is None:
                raise Untranslatable("a value that is changed in place", node.start)
            node.operands[0] = place
            if node.operation.name == "derived":
                node.operands[0] = inner
                raise Untranslatable("a value that is changed in place", node.start)
        self.check_parameter(place)
        return self.assigned(place, self.value(node))

    def _is_update(self, node: n.Expr) -> bool:
        """True if an expression that stands alone is meant to change its value: `xs.push(1)`, `list_push(xs, 1)`."""
        if not isinstance(node, n.Call):
            return False
        if node.operation is not None:
            if not node.operation.mutates:
                return False
            return id(node) in self._unused
        name = node.function.name if isinstance(node.function, n.Name) else ""
        if name in self.program.changing and node.arguments:
            return id(node) in self._unused
        if name not in _UPDATES or name in self.program.functions or name not in builtin_signatures():
            return False
        return bool(node.arguments) and isinstance(node.arguments[0].value, n.Name) and id(node) in self._unused

    def check_parameter(self, target: n.Expr) -> None:
        """A parameter that is changed in place would have to change for the caller, too."""
        root = target
        while isinstance(root, (n.Member, n.Index)):
            root = root.object
        function = self.function
        if not isinstance(root, n.Name) or function is None or root.name not in {part.name for part in function.parameters}:
            return
        given = self.program.references.get(function.name)
        if given is not None and root.name in {function.parameters[place].name for place in given.places}:
            return
        if root.name == "self" and function.name in self.program.methods.values():
            # Of a method its value has to be what it returns: a field of it is not enough.
            if any(not isinstance(value, n.Name) or value.name != "self" for value in self._returned()) or not self._returned():
                raise Untranslatable("`self` is changed for the caller: return it instead", target.start)
            return
        if not any(root.name in _handed_on(value) for value in self._returned()):
            raise Untranslatable(f"`{root.name}` is changed for the caller: return it instead", target.start)

    def _returned(self) -> list[n.Expr]:
        """Expressions that the function returns: those of `return`, and its last value."""
        if self.function is None:
            return []
        body = self.function.body
        lines = [
            node.value for node in walk(body) if isinstance(node, n.Jump) and node.kind == "return" and node.value is not None
        ]
        last = body.statements[-1] if body.statements else None
        return [*lines, last.value] if isinstance(last, n.Evaluate) else lines

    def _jump(self, node: n.Jump) -> list[str]:
        if node.kind == "return":
            return [f"return {self.value(node.value, self.result)}" if node.value is not None else "return"]
        if not self.loops:
            raise Untranslatable(f"`{node.kind}` outside of a loop", node.start)
        if node.kind == "break":
            if node.value is not None:
                raise Untranslatable("`break` with a value", node.start)
            return [f"{self.stop_flag()} = true"]
        loop = self.loops[-1]
        loop.skip = loop.skip or self.fresh("skip")
        return [f"{loop.skip} = true"]

    # ---- assignments ----

    def _assign(self, statement: n.Assign) -> list[str]:
        target, value = statement.target, statement.value
        if isinstance(target, n.TupleOf) and isinstance(value, n.TupleOf):
            names = [self.fresh("part") for _ in value.items]
            lines = [f"let {name} = {self.value(part)}" for name, part in zip(names, value.items, strict=True)]
            for part, name in zip(target.items, names, strict=False):
                lines += self.assigned(part, name)
            return lines
        if statement.operator == "??":
            inner = argument(target.ty) if head(target.ty) == "Option" != head(value.ty) else target.ty
            value = n.Binary("??", target, value, ty=inner)
        elif statement.operator:
            value = n.Binary(statement.operator, target, value, ty=target.ty, start=statement.start, end=statement.end)
        if not isinstance(target, n.Name):
            self.check_parameter(target)
        return self.assigned(target, self.value(value, target.ty))

    def assigned(self, target: n.Expr, value: str) -> list[str]:
        match target:
            case n.Name():
                return [f"{self.spelled(target.name)} = {value}"]
            case n.Index(index=n.Literal(kind="string")) if head(target.object.ty) in self.program.records:
                name = target.index.text[1:-1] if isinstance(target.index, n.Literal) else ""
                return self.assigned(n.Member(target.object, name, start=target.start, end=target.end), value)
            case n.Index():
                owner = self.value(target.object)
                if head(target.object.ty) == "Map":
                    return self.assigned(target.object, f"__builtin_map_set({owner}, {self.key(target.index)}, {value})")
                index = self._place(target.index, owner, "List")
                return self.assigned(target.object, f"{self.library('list_set')}({owner}, {index}, {value})")
            case n.Member():
                owner, kind = self.value(target.object), head(target.object.ty)
                if kind == "Tuple":
                    kind = self.tuple_record(target.object.ty or Type())
                if not kind:
                    raise Untranslatable("a field of a value whose type cannot be told", target.start)
                fields = self.program.records[kind].fields if kind in self.program.records else {}
                base = "" if len(fields) == 1 else f"..{owner}, "
                return self.assigned(target.object, f"{kind} {{ {base}{target.name}: {value} }}")
        raise Untranslatable("an assignment to this", target.start)

    # ---- loops ----


def _changes(operation: Operation) -> bool:
    return operation.mutates or operation.template in ("@sort_by", "@sort_by_descending")


def _jumps(node: n.Node) -> set[str]:
    """The kinds of jumps in a statement that leave the loop around it."""
    jumps: set[str] = set()
    waiting: list[n.Node] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, n.Jump) and part.kind != "return":
            jumps.add(part.kind)
        if not isinstance(part, (n.While, n.For, n.CountingFor, n.Lambda, n.Local)):
            waiting += children(part)
    return jumps


def _handed_on(value: n.Expr) -> set[str]:
    """The names whose whole values a value holds, or hands to a function: not those that are only counted or looked into."""
    names: set[str] = set()
    waiting: list[n.Node] = [value]
    while waiting:
        node = waiting.pop()
        reads = isinstance(node, n.Call) and node.operation is not None and not node.operation.mutates
        reads &= not (isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in ("Ok", "Some"))
        if isinstance(node, n.Name):
            names.add(node.name)
        elif not reads and not isinstance(node, (n.Member, n.Index)):
            waiting += children(node)
    return names
