"""Evaluates programs on their syntax tree, straight from what the language means: an oracle for compiler and virtual machine.

It knows no bytecode, no slots, no steps. What it leaves out (capabilities but `step_input`, most builtins) the programs that are
compared with it leave out, too; its builtins are in `evaluator_builtins`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from analysis.syntax import tree as t
from analysis.syntax.lexer import decoded
from analysis.syntax.parser import parse
from tests.support.evaluator_builtins import BUILTINS, LARGEST, UNIT, Failure, Value, truthy, type_error

MAX_FRAMES = 256


class Returned(Exception):
    """A `return` on its way out."""

    def __init__(self, value: Value) -> None:
        self.value = value


@dataclass
class Scope:
    """Variables of a block; what it does not know the block around it may."""

    outer: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)

    def holder(self, name: str) -> Scope | None:
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope


class Evaluator:
    """One program."""

    def __init__(self, text: str) -> None:
        items = parse(text).items
        self.functions = {item.name: item for item in items if isinstance(item, t.Function)}
        self.types = {item.name: item for item in items if isinstance(item, (t.Record, t.Enum))}
        self.numbers = {item.name: number for number, item in enumerate(i for i in items if isinstance(i, (t.Record, t.Enum)))}
        self.order = {item.name: number for number, item in enumerate(i for i in items if isinstance(i, t.Function))}
        self.ui: list[str] = []
        self.actors = 0
        self.depth = 0

    def run(self) -> tuple[str, list[str]]:
        """The value or the message of the error, and what was emitted."""
        try:
            return self.display(self.call("main", [])), self.ui
        except Failure as failure:
            return str(failure), []

    # ---- functions ----------------------------------------------------------------------------------------------

    def call(self, name: str, arguments: list[Value]) -> Value:
        if self.depth == MAX_FRAMES:
            raise Failure(f"stack overflow (max {MAX_FRAMES})")
        self.depth += 1
        try:
            return self._called(name, arguments)
        finally:
            self.depth -= 1

    def _called(self, name: str, arguments: list[Value]) -> Value:
        function = self.functions[name]
        given = [*arguments, *[UNIT] * len(function.parameters)][: len(function.parameters)]
        scope = Scope(names={parameter.name: value for parameter, value in zip(function.parameters, given, strict=True)})
        body = Scope(scope)
        try:
            self.clauses(function, function.requires, "precondition", scope)
            result = self.body(function, body)
            # Clauses behind the body mean its names, those that an early return did not get to as well.
            for statement in function.body.statements:
                if isinstance(statement, t.Let) and body.holder(statement.name) is None:
                    body.names[statement.name] = UNIT
            self.clauses(function, function.ensures, "postcondition", Scope(body, {"result": result}))
        except Returned as returned:
            # A clause can hold a block with a `return`; nothing is checked behind it.
            return returned.value
        return result

    def body(self, function: t.Function, scope: Scope) -> Value:
        try:
            return self.statements(function.body, scope)
        except Returned as returned:
            return returned.value

    def clauses(self, function: t.Function, clauses: tuple[t.Expr, ...], word: str, scope: Scope) -> None:
        for number, clause in enumerate(clauses, 1):
            if not truthy(self.value(clause, scope)):
                parameters: Scope = scope
                while parameters.outer is not None:
                    parameters = parameters.outer
                shown = ", ".join(self.display(parameters.names[parameter.name]) for parameter in function.parameters)
                raise Failure(f'"{word} {number} failed in `{function.name}`" [counterexample: ({shown})]')

    # ---- statements ---------------------------------------------------------------------------------------------

    def statements(self, block: t.Block, scope: Scope) -> Value:
        """Executes a block in a scope that was made for it."""
        last = UNIT
        for statement in block.statements:
            last = UNIT
            match statement:
                case t.Let(name=name, value=value):
                    scope.names[name] = self.value(value, scope)
                case t.Assign(name=name, value=value):
                    found = self.value(value, scope)
                    holder = scope.holder(name)
                    assert holder is not None
                    holder.names[name] = found
                case t.Return(value=given):
                    raise Returned(self.value(given, scope) if given is not None else UNIT)
                case t.While(condition=condition, body=body):
                    while truthy(self.value(condition, scope)):
                        self.statements(body, Scope(scope))
                case t.For(name=name, iterable=iterable, body=body):
                    items = self.value(iterable, scope)
                    if items[0] != "List":
                        raise type_error("List", items)
                    for item in items[1]:
                        self.statements(body, Scope(Scope(scope, {name: item})))
                case t.Expr():
                    last = self.value(statement, scope)
        return last

    # ---- expressions --------------------------------------------------------------------------------------------

    def value(self, node: t.Expr, scope: Scope) -> Value:
        match node:
            case t.IntLiteral(text=text):
                return "Int", int(text)
            case t.FloatLiteral(text=text):
                return "Float", float(text)
            case t.StringLiteral(raw=raw):
                return "String", decoded(raw)
            case t.BoolLiteral(value=value):
                return "Bool", value
            case t.NoneLiteral():
                return ("None",)
            case t.Name(name=name):
                holder = scope.holder(name)
                return holder.names[name] if holder is not None else ("FnRef", name)
            case t.Binary(operator=operator, left=left, right=right):
                return binary(operator, self.value(left, scope), self.value(right, scope))
            case t.Unary(operator=operator, operand=operand):
                return unary(operator, self.value(operand, scope))
            case t.Block():
                return self.statements(node, Scope(scope))
            case t.If(condition=condition, then_block=then_block, else_block=else_block):
                if truthy(self.value(condition, scope)):
                    return self.value(then_block, scope)
                return self.value(else_block, scope) if else_block is not None else UNIT
            case t.Match(value=matched, arms=arms):
                return self.matched(self.value(matched, scope), arms, scope)
            case t.ListLiteral(items=items):
                return "List", tuple([self.value(item, scope) for item in items])
            case t.Wrap(kind=kind, operand=operand):
                return kind, self.value(operand, scope)
            case t.Emit(operand=operand):
                emitted = self.value(operand, scope)
                self.ui.append(self.display(emitted))
                return emitted
            case t.Spawn():
                self.actors += 1
                return "ActorId", self.actors - 1
            case t.Send(target=target, message=message):
                actor, _ = self.value(target, scope), self.value(message, scope)
                if actor[0] != "ActorId":
                    raise type_error("ActorId", actor)
                return UNIT
            case t.Receive():
                return UNIT
            case t.VariantLiteral(enum=enum, variant=variant, payload=payload):
                return "Enum", enum, variant, self.value(payload, scope) if payload is not None else UNIT
            case t.RecordLiteral():
                return self.record(node, scope)
            case t.FieldAccess(object=inner, name=name):
                return self.field(self.value(inner, scope), name)
            case t.Call():
                return self.called(node, scope)
        raise AssertionError(node)

    def called(self, node: t.Call, scope: Scope) -> Value:
        callee = node.callee
        arguments = [self.value(argument, scope) for argument in node.arguments]
        if isinstance(callee, t.Name) and scope.holder(callee.name) is None:
            if callee.name in self.functions:
                return self.call(callee.name, arguments)
            return BUILTINS[callee.name](*arguments)
        function = self.value(callee, scope)
        if function[0] != "FnRef":
            raise type_error("function reference", function)
        return self.call(function[1], arguments)

    def record(self, node: t.RecordLiteral, scope: Scope) -> Value:
        declared = self.types.get(node.name)
        base = self.value(node.spread, scope) if node.spread is not None else None
        written = {init.name: self.value(init.value, scope) for init in node.fields}
        if not isinstance(declared, t.Record):
            return "Record", None, tuple(written.items())
        names = [member.name for member in declared.fields]
        missing = [name for name in names if name not in written]
        written |= {name: self.field(base, name) if base is not None else UNIT for name in missing}
        return "Record", node.name, tuple((name, written[name]) for name in names)

    def field(self, value: Value, name: str) -> Value:
        if value[0] != "Record":
            raise type_error("Record", value)
        found: dict[str, Value] = dict(value[2])
        if name not in found:
            kind = value[1] if value[1] is not None else "{" + ", ".join(found) + "}"
            raise Failure(f"no field '{name}' on {kind}")
        return found[name]

    def matched(self, value: Value, arms: tuple[t.Arm, ...], scope: Scope) -> Value:
        for arm in arms:
            names: dict[str, Value] = {}
            if fits(arm.pattern, value, names):
                return self.value(arm.body, Scope(scope, names))
        raise Failure("no match found for value")

    # ---- display ------------------------------------------------------------------------------------------------

    def display(self, value: Value) -> str:
        match value:
            case ("Int", number):
                return str(number)
            case ("Float", real):
                return shown(real)
            case ("ActorId", number):
                return f"Actor#{number}"
            case ("Map", entries):
                return f"{{{', '.join(f'{key}: {self.display(item)}' for key, item in entries)}}}"
            case ("Bool", yes):
                return "true" if yes else "false"
            case ("String", text):
                return f'"{text}"'
            case ("Unit",):
                return "()"
            case ("None",):
                return "None"
            case ("List", items):
                return f"[{', '.join(map(self.display, items))}]"
            case ("Record", name, fields):
                inner = ", ".join(self.display(item) for _, item in fields)
                return f"Record#{self.numbers.get(name, 0)}{{{inner}}}"
            case ("Enum", name, variant, payload):
                declared = self.types[name]
                assert isinstance(declared, t.Enum)
                position = [known.name for known in declared.variants].index(variant)
                return f"Enum#{self.numbers[name]}::{position}({self.display(payload)})"
            case ("FnRef", name):
                return f"Fn#{self.order[name]}"
        return f"{value[0]}({self.display(value[1])})"


def fits(pattern: t.Pattern, value: Value, names: dict[str, Value]) -> bool:
    """True if a value matches a pattern; binds the names in it."""
    match pattern:
        case t.WildcardPattern():
            return True
        case t.NamePattern(name=name):
            names[name] = value
            return True
        case t.IntPattern(text=text):
            return value == ("Int", int(text))
        case t.StringPattern(raw=raw):
            return value == ("String", decoded(raw))
        case t.BoolPattern(value=wanted):
            return value == ("Bool", wanted)
        case t.NonePattern():
            return value == ("None",)
        case t.WrapPattern(kind=kind, inner=inner):
            return value[0] == kind and fits(inner, value[1], names)
        case t.VariantPattern(name=name, payload=payload):
            if value[0] != "Enum" or value[2] != name:
                return False
            return payload is None or fits(payload, value[3], names)
    raise AssertionError(pattern)


def shown(real: float) -> str:
    """Positional, the shortest digits that read back."""
    if not math.isfinite(real):
        return "NaN" if math.isnan(real) else str(real)
    return format(Decimal(repr(real)), "f").removesuffix(".0")


def equal(a: Value, b: Value) -> bool:
    """Floats as IEEE has it, which Python's tuples do not: they compare by identity first."""
    if len(a) != len(b):
        return False
    if a[:1] == ("Record",) == b[:1]:
        # By type and position; anonymous ones have no other type than their names.
        if a[1] != b[1] or (a[1] is None and [name for name, _ in a[2]] != [name for name, _ in b[2]]):
            return False
        return equal(tuple([item for _, item in a[2]]), tuple([item for _, item in b[2]]))
    pairs = zip(a, b, strict=True)
    return all(equal(x, y) if isinstance(x, tuple) and isinstance(y, tuple) else x == y for x, y in pairs)


def unary(operator: str, value: Value) -> Value:
    if operator == "!":
        return "Bool", not truthy(value)
    if value[0] == "Float":
        return "Float", -value[1]
    if value[0] != "Int":
        raise type_error("numeric", value)
    return bounded(-value[1], "negation")


def bounded(number: int, word: str) -> Value:
    if not -LARGEST - 1 <= number <= LARGEST:
        raise Failure(f"integer overflow in {word}")
    return "Int", number


def binary(operator: str, a: Value, b: Value) -> Value:
    match operator:
        case "==" | "!=":
            return "Bool", equal(a, b) == (operator == "==")
        case "&&":
            return "Bool", truthy(a) and truthy(b)
        case "||":
            return "Bool", truthy(a) or truthy(b)
        case "++":
            if (a[0], b[0]) != ("String", "String"):
                raise type_error("String", b if a[0] == "String" else a)
            return "String", a[1] + b[1]
        case "<" | "<=" | ">" | ">=":
            if a[0] != b[0] or a[0] not in ("Int", "Float", "String"):
                raise type_error("comparable", a)
            if a[0] == "Float" and (math.isnan(a[1]) or math.isnan(b[1])):
                return "Bool", operator in ("<=", ">=")
            return "Bool", _COMPARE[operator](a[1], b[1])
    return _arithmetic(operator, a, b)


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_REAL: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}
_WORDS = {"+": "addition", "-": "subtraction", "*": "multiplication"}


def _arithmetic(operator: str, a: Value, b: Value) -> Value:
    if operator == "/" and b[0] in ("Int", "Float") and b[1] == 0:
        raise Failure("division by zero")
    if operator != "%" and "Float" in (a[0], b[0]) and {a[0], b[0]} <= {"Int", "Float"}:
        return "Float", _REAL[operator](float(a[1]), float(b[1]))
    if operator != "%" and a[0] == "Float":
        raise type_error("numeric", b)
    if a[0] != "Int" or b[0] != "Int":
        raise type_error("Int" if operator == "%" else "numeric", b if a[0] == "Int" else a)
    x, y = a[1], b[1]
    if operator in _WORDS:
        return bounded(x + y if operator == "+" else x - y if operator == "-" else x * y, _WORDS[operator])
    if y == 0:
        raise Failure("division by zero")
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return bounded(quotient, "division") if operator == "/" else ("Int", x - quotient * y)
