"""Constant evaluation: W109 constants that certainly fail, W504 conditions that are always the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final, TypeAlias

from analysis.database import checkpoint, discard, paced, set_aside
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.constant_calls import PARSERS, SLICE, empty_slice, impossible_parse
from analysis.semantics.occurrences import LocalKind
from analysis.semantics.rule_context import TextContext
from analysis.syntax import tree as t
from analysis.syntax.lexer import decoded
from analysis.syntax.node import REGION

Value: TypeAlias = int | float | str | bool
_HIGHEST: Final = 2**63 - 1
_MANY: Final = 5_000
"""Values that are freed piece by piece."""
_OFTEN: Final = 4096
"""Links of a chain between two checkpoints on the way down."""
_LONGEST: Final = 10_000
"""Characters of a text that is followed further."""
_LENGTHS: Final = frozenset(("list_len", "__builtin_list_len"))
_WORDS: Final = {"+": "addition", "-": "subtraction", "*": "multiplication", "/": "division", "%": "remainder"}


class Constants:
    """The values of a chunk's constant expressions: literals, operators on constants, variables that are never assigned."""

    def __init__(self, context: TextContext) -> None:
        self._context = context
        self._values: defaultdict[int, dict[int, Value | None]] = defaultdict(dict)
        """By where the node ends (`node.REGION`) and its identity; nodes of a tree live as long as this does."""
        self._locals: dict[int, Value] = {}
        self.lengths: dict[int, int] = {}
        """The lengths of lists that variables are declared with, by where those are declared."""
        self.failures: list[tuple[t.Node, str]] = []
        self.wasted: list[tuple[t.Node, str]] = []
        """Calls that never give what they are called for, and why."""
        unassigned = {
            local.at
            for local in paced(context.summary.locals, 1_000)
            if local.declared.kind is LocalKind.VARIABLE and not local.writes
        }
        for _, nodes in context.walked:
            for node in paced(nodes.of(t.Let, t.Binary, t.Call), 1_000):
                if isinstance(node, t.Let):
                    if node.at in unassigned:
                        self._let(node)
                elif isinstance(node, t.Binary):
                    self.of(node)
                else:
                    self._call(node)

    def of(self, node: t.Node) -> Value | None:
        """The value of an expression; None if it is not constant. Variables are known from their declarations on."""
        if isinstance(node, t.IntLiteral):
            # Read again more quickly than looked up.
            return int(node.text)
        rule = _RULES.get(type(node))
        if rule is None:
            return None
        values = self._values[node.end >> REGION]
        if id(node) not in values:
            values[id(node)] = rule(self, node)
        return values[id(node)]

    def is_large(self) -> bool:
        """True if freeing it in one go takes long."""
        return sum(map(len, self._values.values())) > _MANY

    def _let(self, node: t.Let) -> None:
        value = self.of(node.value)
        if value is not None:
            self._locals[node.at] = value
        elif isinstance(node.value, t.ListLiteral):
            self.lengths[node.at] = len(node.value.items)

    def _name(self, node: t.Name) -> Value | None:
        return self._locals.get(self._context.names.uses.get(node.start, -1))

    def _string(self, node: t.StringLiteral) -> str | None:
        return decoded(node.raw) if len(node.raw) < _LONGEST else None

    def _unary(self, node: t.Unary) -> Value | None:
        value = self.of(node.operand)
        if value is None or isinstance(value, str):
            return None
        if node.operator == "!":
            return not value
        return -value if not isinstance(value, bool) else None

    def _binary(self, node: t.Binary) -> Value | None:
        # Chains lean to the left and can be thousands long: down the spine in a loop.
        spine = [node]
        while isinstance(inner := spine[-1].left, t.Binary) and id(inner) not in self._values[inner.end >> REGION]:
            spine.append(inner)
            if not len(spine) % _OFTEN:
                checkpoint()
        if len(spine) > _OFTEN:
            set_aside()
        left = self.of(spine[-1].left)
        for part in paced(reversed(spine)):
            left = self._values[part.end >> REGION][id(part)] = self._operation(part, left)
        return left

    def _operation(self, node: t.Binary, left: Value | None) -> Value | None:
        is_division = node.operator in ("/", "%")
        if left is None and not is_division:
            return None
        right = self.of(node.right)
        if is_division and right is not None and _is_number(right) and right == 0:
            self.failures.append((node, "division by zero"))
            return None
        if left is None or right is None:
            return None
        if node.operator in _WORDS:
            return self._arithmetic(node, left, right)
        if node.operator == "++":
            joined = left + right if isinstance(left, str) and isinstance(right, str) else None
            return joined if joined is not None and len(joined) < _LONGEST else None
        return _compared(node.operator, left, right)

    def _arithmetic(self, node: t.Binary, left: Value, right: Value) -> Value | None:
        if not _is_int(left) or not _is_int(right):
            return None
        assert isinstance(left, int)
        assert isinstance(right, int)
        match node.operator:
            case "+":
                value = left + right
            case "-":
                value = left - right
            case "*":
                value = left * right
            case "/":
                value = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            case _:
                value = abs(left) % abs(right) * (1 if left >= 0 else -1)
        if -_HIGHEST - 1 <= value <= _HIGHEST:
            return value
        self.failures.append((node, f"integer overflow in {_WORDS[node.operator]}"))
        return None

    def _call(self, node: t.Call) -> None:
        callee = node.callee
        if not isinstance(callee, t.Name) or callee.start in self._context.names.uses or self._context.is_function(callee.name):
            return
        match callee.name, node.arguments:
            case "list_get", (items, place):
                self._item(node, items, place)
            case name, (t.StringLiteral() as literal,) if name in PARSERS and (text := self._string(literal)) is not None:
                self._note(node, impossible_parse(name, text))
            case name, arguments if name == SLICE:
                match [self.of(argument) for argument in arguments]:
                    case [str(text), int(start), int(end)] if _is_int(start) and _is_int(end):
                        self._note(node, empty_slice(text, start, end))

    def _note(self, node: t.Call, wasted: str | None) -> None:
        if wasted is not None:
            self.wasted.append((node, wasted))

    def _item(self, node: t.Call, items: t.Expr, place: t.Expr) -> None:
        uses = self._context.names.uses
        index = self.of(place)
        length = len(items.items) if isinstance(items, t.ListLiteral) else None
        if isinstance(items, t.Name):
            length = self.lengths.get(uses.get(items.start, -1))
        if index is not None and isinstance(index, int) and _is_int(index):
            if index < 0 or (length is not None and index >= length):
                of_what = "" if length is None else f", length {length}"
                self.failures.append((node, f"list index out of bounds: index {index}{of_what}"))
        elif isinstance(items, t.Name) and items.start in uses and self._is_length(place, uses[items.start]):
            self.failures.append((node, "list index out of bounds: the last index is the length minus 1"))

    def _is_length(self, node: t.Expr, local: int) -> bool:
        """True for `list_len(xs)` of a local."""
        match node:
            case t.Call(callee=t.Name(name=name, start=start), arguments=[t.Name(start=first)]) if name in _LENGTHS:
                uses = self._context.names.uses
                return start not in uses and not self._context.is_function(name) and uses.get(first) == local
        return False


def _is_int(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Value) -> bool:
    return isinstance(value, float) or _is_int(value)


def _compared(operator: str, left: Value, right: Value) -> bool | None:
    if type(left) is not type(right):
        return None
    match operator:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "&&":
            return left and right if isinstance(left, bool) and isinstance(right, bool) else None
        case "||":
            return left or right if isinstance(left, bool) and isinstance(right, bool) else None
    if isinstance(left, bool) or isinstance(right, bool) or isinstance(left, str) or isinstance(right, str):
        return None
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}.get(operator)


_RULES: Final[dict[type[t.Node], Callable[..., Value | None]]] = {
    t.FloatLiteral: lambda constants, node: float(node.text),
    t.StringLiteral: Constants._string,
    t.BoolLiteral: lambda constants, node: node.value,
    t.Name: Constants._name,
    t.Unary: Constants._unary,
    t.Binary: Constants._binary,
}


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Failures first, then conditions."""
    constants = Constants(context)
    for node, failure in constants.failures:
        yield diagnostic(
            "W109",
            (node.start, node.end),
            f"this always fails: {failure}",
            help="use values within range",
            why=f"the run ends here with the error: {failure}",
        )
    for node, wasted in constants.wasted:
        why = "such a slice is empty, not an error" if wasted.startswith("this slice") else "the run continues with that value"
        help = "use values within range"
        yield diagnostic("W109", (node.start, node.end), wasted, severity=Severity.HINT, help=help, why=why)
    for item, nodes in context.walked:
        clauses = chain.from_iterable(map(t.walk, (*item.requires, *item.ensures)))
        for node in chain(nodes.of(t.If, t.While), clauses):
            if not isinstance(node, (t.If, t.While)):
                continue
            condition = node.condition
            value = constants.of(condition)
            if not isinstance(value, bool) or (isinstance(node, t.While) and isinstance(condition, t.BoolLiteral) and value):
                continue
            yield diagnostic(
                "W504",
                (condition.start, condition.end),
                f"this condition is always {'true' if value else 'false'}",
                severity=Severity.HINT,
                help=f"remove the `{'if' if isinstance(node, t.If) else 'while'}`, or write the intended condition",
            )
    if constants.is_large():
        discard(constants)
