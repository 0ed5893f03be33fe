"""Exceptions as Results: functions that throw give a Result, `try` matches on it.

Where nothing is caught, `throw` ends the run.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from analysis.fixes.dialect import nodes as n
from analysis.fixes.dialect.types import BOOL, Type, head
from analysis.fixes.dialect.untranslatable import Untranslatable
from analysis.fixes.dialect.walking import children, replace_below, walk

_PARSING: Final = frozenset("to_int toInt to_number parse_number toDouble toLong".split())
"""Methods that fail for a text that is no number."""
_MESSAGES: Final = frozenset("getMessage message what toString to_string localizedMessage getLocalizedMessage".split())
_MOST: Final = 40
"""Statements that are guarded in one `try`: what follows a branch is written in each of its ways."""


@dataclass(eq=False)
class Attempt(n.Expr):
    """`try { body } catch (name) { handler }`."""

    body: n.Block
    name: str
    handler: n.Block


def settle_exceptions(items: list[n.Item]) -> list[n.Item]:
    """Rewrites `throw` and `try` of a program; functions that cannot be rewritten keep them and are refused later."""
    nodes = [node for item in items if not isinstance(item, n.Verbatim) for node in walk(item)]
    attempts = [node for node in nodes if isinstance(node, Attempt)]
    throws = [node for node in nodes if isinstance(node, n.Jump) and node.kind == "throw"]
    if not attempts and not throws:
        return items
    if not attempts:
        for item in items:
            if not isinstance(item, n.Verbatim):
                replace_below(item, _stopped)
        return items
    _Settling(items, attempts).run()
    return items


def _stopped(node: n.Node) -> n.Node:
    if isinstance(node, n.Jump) and node.kind == "throw":
        reason = n.Argument(node.value or _text(""))
        return n.Call(n.Name("panic", start=node.start, end=node.start), [reason], start=node.start, end=node.end)
    return node


def _text(text: str) -> n.Expr:
    return n.Literal("string", f'"{text}"')


class _Settling:
    """One program; `error` is the type of what is thrown."""

    def __init__(self, items: list[n.Item], attempts: list[Attempt]) -> None:
        self.error = Type()
        self.functions: dict[str, n.Function] = {}
        self.count = 0
        self.catches = False
        for item in items:
            for function in item.functions if isinstance(item, n.Implementation) else [item]:
                if isinstance(function, n.Function):
                    self.functions.setdefault(function.name, function)
        self.reached = self._reached(attempts)
        self.throwing: set[str] = set()
        while True:
            found = {name for name, each in self.functions.items() if self._throws(each.body) and name != "main"}
            if found <= self.throwing:
                break
            self.throwing |= found

    def run(self) -> None:
        for name, function in self.functions.items():
            replace_below(function, self._settled)
            if name in self.throwing:
                self._as_result(function)
            else:
                replace_below(function, _stopped)
                replace_below(function, self._unwrapped)

    # ---- which functions throw ----

    def _called(self, node: n.Node) -> set[str]:
        names: set[str] = set()
        for part in walk(node):
            if isinstance(part, n.Call):
                function = part.function
                names.add(function.name if isinstance(function, (n.Name, n.Member, n.Path)) else "")
        return names & set(self.functions)

    def _reached(self, attempts: list[Attempt]) -> set[str]:
        reached: set[str] = set()
        waiting = [name for attempt in attempts for name in self._called(attempt.body)]
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += self._called(self.functions[name].body)
        return reached

    def _throws(self, node: n.Node) -> bool:
        """Whether something is thrown that nothing in a node catches."""
        waiting: list[n.Node] = [node]
        while waiting:
            part = waiting.pop()
            if isinstance(part, n.Jump) and part.kind == "throw":
                return True
            if isinstance(part, n.Call) and self._may_throw(part):
                return True
            if isinstance(part, Attempt):
                waiting.append(part.handler)
            elif not isinstance(part, n.Local):
                waiting += children(part)
        return False

    def _may_throw(self, call: n.Call) -> bool:
        function = call.function
        return isinstance(function, (n.Name, n.Member, n.Path)) and function.name in self.throwing

    def _parses(self, call: n.Call) -> bool:
        return isinstance(call.function, n.Member) and call.function.name in _PARSING and not call.arguments

    # ---- functions that throw ----

    def _as_result(self, function: n.Function) -> None:
        has_value = function.result is not None and head(function.result) != "Unit"
        for node in walk(function.body):
            if isinstance(node, n.Jump) and node.kind == "return" and node.value is not None:
                has_value = True
        kind = (function.result or Type()) if has_value else BOOL
        function.result, function.is_open = Type("Result", kind, self.error), False

        def change(node: n.Node) -> n.Node:
            if isinstance(node, n.Jump) and node.kind == "throw":
                return n.Jump("return", _wrapped("Err", node.value or _text("")), start=node.start, end=node.end)
            if isinstance(node, n.Jump) and node.kind == "return":
                node.value = _wrapped("Ok", node.value or n.Literal("bool", "true", start=node.start, end=node.end))
            elif isinstance(node, n.Call) and self._may_throw(node):
                return n.Try(node, start=node.start, end=node.end)
            return node

        replace_below(function.body, change)
        if has_value:
            _end_with_ok(function.body)
        elif not _leaves(function.body):
            end = function.body.end
            true = n.Literal("bool", "true", start=end, end=end)
            function.body.statements.append(n.Evaluate(_wrapped("Ok", true), start=end, end=end))

    def _unwrapped(self, node: n.Node) -> n.Node:
        """A call that may throw where nothing catches it: the run ends there."""
        if isinstance(node, n.Call) and self._may_throw(node) and not getattr(node, "is_caught", False):
            return n.Call(n.Member(node, "unwrap", start=node.start, end=node.end), [], start=node.start, end=node.end)
        return node

    # ---- what is caught ----

    def _settled(self, node: n.Node) -> n.Node:
        if not isinstance(node, Attempt):
            return node
        self.count, self.catches = 0, False
        replace_below(node.handler, _message_of(node.name))
        statements = self._guarded(node.body.statements, node)
        if not self.catches:
            raise Untranslatable("an exception that nothing here throws", node.start)
        only = statements[0] if len(statements) == 1 else None
        if isinstance(only, n.Evaluate):
            return only.value
        return n.Block(statements, start=node.start, end=node.end)

    def _guarded(self, statements: list[n.Statement], attempt: Attempt) -> list[n.Statement]:
        """Statements up to the first that may throw; the rest goes where it did not."""
        for place, statement in enumerate(statements):
            rest = statements[place + 1 :]
            self.count += 1
            if self.count > _MOST:
                raise Untranslatable("a `try` of so many statements", attempt.start)
            if isinstance(statement, n.Evaluate) and isinstance(statement.value, n.Jump) and statement.value.kind == "throw":
                return [*statements[:place], *self._caught(statement.value.value, attempt)]
            call = self._first_call(statement)
            divisor = _divisor(statement) if call is None else None
            if divisor is not None and not _uses(attempt.handler, attempt.name):
                return [*statements[:place], self._divided(divisor, [statement, *rest], attempt)]
            if call is not None:
                return [*statements[:place], self._matched(call, [statement, *rest], attempt)]
            if isinstance(statement, n.Evaluate) and isinstance(statement.value, n.If) and self._is_risky(statement.value):
                choice = statement.value
                otherwise = choice.otherwise.statements if choice.otherwise is not None else []
                choice.then.statements = self._guarded([*choice.then.statements, *deepcopy(rest)], attempt)
                choice.otherwise = n.Block(self._guarded([*otherwise, *rest], attempt), start=choice.end, end=choice.end)
                return [*statements[:place], statement]
            if self._is_risky(statement):
                raise Untranslatable("an exception that leaves a loop or a branch of an expression", statement.start)
        return statements

    def _divided(self, divisor: n.Expr, statements: list[n.Statement], attempt: Attempt) -> n.Statement:
        """A division that a divisor of zero would end: the handler in its place."""
        zero = n.Literal("int", "0", start=divisor.start, end=divisor.start)
        condition = n.Binary("==", deepcopy(divisor), zero, start=divisor.start, end=divisor.end)
        then = n.Block(self._caught(None, attempt), start=divisor.start, end=divisor.start)
        rest = [statements[0], *self._guarded(statements[1:], attempt)]
        otherwise = n.Block(rest, start=divisor.start, end=statements[-1].end)
        return n.Evaluate(n.If(condition, then, otherwise, start=divisor.start, end=statements[-1].end))

    def _is_risky(self, node: n.Node) -> bool:
        return self._throws(node) or any(isinstance(part, n.Call) and self._parses(part) for part in walk(node))

    def _caught(self, value: n.Expr | None, attempt: Attempt) -> list[n.Statement]:
        self.catches = True
        handler = deepcopy(attempt.handler.statements)
        if not _uses(attempt.handler, attempt.name):
            return handler
        return [n.Let(n.Binding(attempt.name), None, value or _text(""), start=attempt.start, end=attempt.start), *handler]

    def _first_call(self, statement: n.Statement) -> n.Call | None:
        """The first call of a statement that may throw and is evaluated in any case."""
        values: list[n.Node | None] = []
        match statement:
            case n.Let() if statement.otherwise is None:
                values = [statement.value]
            case n.Assign():
                values = [statement.value]
            case n.Evaluate(value=n.If()):
                values = [statement.value.condition] if isinstance(statement.value, n.If) else []
            case n.Evaluate(value=n.Jump() as jump):
                values = [jump.value]
            case n.Evaluate(value=n.Match() as match):
                values = [match.value]
            case n.Evaluate():
                values = [statement.value]
        for value in values:
            if value is not None and (found := self._first_in(value)) is not None:
                return found
        return None

    def _first_in(self, node: n.Node) -> n.Call | None:
        if isinstance(node, (n.Lambda, n.If, n.Match, n.Block, n.Comprehension, Attempt)):
            return None
        if isinstance(node, n.Binary) and node.operator in ("&&", "||", "??"):
            return self._first_in(node.left)
        for child in children(node):
            if (found := self._first_in(child)) is not None:
                return found
        if isinstance(node, n.Call) and (self._may_throw(node) or self._parses(node)):
            return node
        return None

    def _matched(self, call: n.Call, statements: list[n.Statement], attempt: Attempt) -> n.Statement:
        """A match on what a call gives: the statements with its value in its place, or the handler."""
        self.catches = True
        is_parsing = self._parses(call) and not self._may_throw(call)
        name = f"value_{call.start}_{self.count}"
        value = n.Name(name, start=call.start, end=call.end)
        first = n.Block([statements[0]], start=call.start, end=call.end)
        replace_below(first, lambda node: value if node is call else node)
        inner = self._guarded([first.statements[0], *statements[1:]], attempt)
        start, end = call.start, statements[-1].end
        if is_parsing:
            if _uses(attempt.handler, attempt.name):
                raise Untranslatable("the message of a failed conversion", call.start)
            assert isinstance(call.function, n.Member)
            word = "to_float" if call.function.name in ("parse_number", "toDouble") else "to_int"
            call.function.name = word if call.function.name != "to_number" else "to_int"
        good, bad = ("Some", "None") if is_parsing else ("Ok", "Err")
        setattr(call, "is_caught", True)  # noqa: B010
        used = _uses(attempt.handler, attempt.name)
        error: n.Pattern = n.Binding(attempt.name) if used else n.Wildcard()
        failed = n.VariantPattern("", bad, [] if is_parsing else [error], start=start, end=start)
        is_used = any(isinstance(node, n.Name) and node.name == name for each in inner for node in walk(each))
        held: n.Pattern = n.Binding(name) if is_used else n.Wildcard()
        if inner and isinstance(inner[0], n.Evaluate) and inner[0].value is value and len(inner) > 1:
            inner = inner[1:]
        arms = [
            n.Arm(n.VariantPattern("", good, [held], start=start, end=start), None, n.Block(inner, start=start, end=end)),
            n.Arm(failed, None, n.Block(deepcopy(attempt.handler.statements), start=end, end=end)),
        ]
        return n.Evaluate(n.Match(call, arms, start=start, end=end), start=start, end=end)


def _divisor(statement: n.Statement) -> n.Expr | None:
    """What a statement divides by, if it is a name or a field."""
    value = statement.value if isinstance(statement, (n.Let, n.Assign, n.Evaluate)) else None
    value = value.value if isinstance(value, n.Jump) else value
    if value is None or isinstance(value, (n.If, n.Match, n.Block)):
        return None
    for node in walk(value):
        if isinstance(node, n.Lambda):
            return None
        if isinstance(node, n.Binary) and node.operator in ("/", "%") and isinstance(node.right, (n.Name, n.Member)):
            return node.right
    return None


def _uses(block: n.Block, name: str) -> bool:
    return bool(name) and any(isinstance(node, n.Name) and node.name == name for node in walk(block))


def _message_of(name: str) -> Callable[[n.Node], n.Node]:
    """`e.getMessage()`, `e.message`: what was thrown is its message here."""

    def change(node: n.Node) -> n.Node:
        inner = node.function if isinstance(node, n.Call) and not node.arguments else node
        owner = inner.object if isinstance(inner, n.Member) and inner.name in _MESSAGES else None
        if isinstance(owner, n.Name) and owner.name == name:
            return owner
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name == name and not node.arguments:
            return node.function
        if isinstance(node, n.Binary) and node.operator == "??" and isinstance(node.left, n.Name) and node.left.name == name:
            return node.left
        return node

    return change


def _wrapped(word: str, value: n.Expr) -> n.Expr:
    return n.Call(n.Name(word, start=value.start, end=value.start), [n.Argument(value)], start=value.start, end=value.end)


def _leaves(block: n.Block) -> bool:
    last = block.statements[-1] if block.statements else None
    return isinstance(last, n.Evaluate) and isinstance(last.value, n.Jump)


def _end_with_ok(block: n.Block) -> None:
    last = block.statements[-1] if block.statements else None
    if isinstance(last, n.Evaluate):
        last.value = _good(last.value)


def _good(value: n.Expr) -> n.Expr:
    """A last value as that of a Result, in every branch that gives one."""
    match value:
        case n.Jump():
            return value
        case n.Block():
            _end_with_ok(value)
            return value
        case n.If() if value.otherwise is not None:
            _end_with_ok(value.then)
            _end_with_ok(value.otherwise)
            return value
        case n.Match():
            for arm in value.arms:
                arm.body = _good(arm.body)
            return value
        case n.Call(function=n.Name(name="panic")) | n.If():
            return value
    return _wrapped("Ok", value)
