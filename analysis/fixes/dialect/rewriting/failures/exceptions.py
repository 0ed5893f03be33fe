"""Exceptions as Results: functions that throw give a Result, `try` matches on it.

Where nothing is caught, `throw` ends the run.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Final

from analysis.fixes.dialect.rewriting.failures.exception_classes import caught_by_class, said_of, with_thrown_classes
from analysis.fixes.dialect.rewriting.failures.exception_kinds import (
    BAD_DIVISOR,
    BAD_NUMBER,
    CONVERSION,
    catches,
    conversion,
    finds,
    missing,
    said_by,
)
from analysis.fixes.dialect.rewriting.failures.exception_values import (
    as_option,
    divisor_of,
    end_with_ok,
    gives_value,
    leaves,
    loops_in,
    message_of,
    text,
    tried_conversion,
    uses,
    wrapped,
)
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.attempts import Attempt, follow_attempts
from analysis.fixes.dialect.tree.types import BOOL, Type, head
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import children, replace_below, walk

_PARSING: Final = frozenset("to_int toInt to_number parse_number toDouble toLong".split())
"""Methods that fail for a text that is no number."""
_BASES: Final = {
    "": ("RuntimeError",),
    "KeyError": ("LookupError",),
    "IndexError": ("LookupError",),
    "ZeroDivisionError": ("ArithmeticError",),
    CONVERSION: BAD_NUMBER,
}
"""The classes that a class is one of; a text is thrown as a RuntimeError in Ruby."""
_SEVERAL: Final = "exceptions of several classes"
_MOST: Final = 40
"""Statements that are guarded in one `try`: what follows a branch is written in each of its ways."""


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
    caught_by_class(attempts)
    if not any(each.kinds for each in attempts):
        _Settling(items, attempts).run()
        return items
    first = deepcopy(items)
    try:
        _Settling(first, _attempts_of(first)).run()
    except Untranslatable as error:
        if error.reason != _SEVERAL:
            raise
        items, as_thrown = with_thrown_classes(items)
        settling = _Settling(items, _attempts_of(items))
        settling.as_thrown = as_thrown
        settling.run()
        return items
    return first


def _attempts_of(items: list[n.Item]) -> list[Attempt]:
    return [node for item in items if not isinstance(item, n.Verbatim) for node in walk(item) if isinstance(node, Attempt)]


def _stopped(node: n.Node) -> n.Node:
    if isinstance(node, n.Jump) and node.kind == "throw":
        said = said_of(node.value)
        reason = n.Argument(said if said is not None else text(""))
        return n.Call(n.Name("panic", start=node.start, end=node.start), [reason], start=node.start, end=node.end)
    return node


class _Settling:
    """One program; `error` is the type of what is thrown."""

    def __init__(self, items: list[n.Item], attempts: list[Attempt]) -> None:
        self.error = Type()
        self.as_thrown: Callable[[n.Expr], n.Expr] = lambda message: message
        self.functions: dict[str, list[n.Function]] = {}
        """By their names: methods of several classes may share one, and then all of them give Results if one may throw."""
        self.count = 0
        self.catches = False
        for item in items:
            for function in item.functions if isinstance(item, n.Implementation) else [item]:
                if isinstance(function, n.Function):
                    self.functions.setdefault(function.name, []).append(function)
        self.reached = self._reached(attempts)
        self.throwing: set[str] = set()
        while True:
            callers = {
                name
                for name, several in self.functions.items()
                if name != "main" and any(self._throws(each.body, name in self.reached) for each in several)
            }
            if callers <= self.throwing:
                break
            self.throwing |= callers
        self.classes = self._classes()

    def run(self) -> None:
        for name, function in [(name, each) for name, several in self.functions.items() for each in several]:
            follow_attempts(function)
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
        return self._reached_from({name for attempt in attempts for name in self._called(attempt.body)})

    def _reached_from(self, names: set[str]) -> set[str]:
        reached: set[str] = set()
        waiting = sorted(names)
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += [called for each in self.functions[name] for called in self._called(each.body)]
        return reached

    def _throws(self, node: n.Node, parsing: bool = False) -> bool:
        """True if something is thrown that nothing in a node catches."""
        waiting: list[n.Node] = [node]
        while waiting:
            part = waiting.pop()
            if isinstance(part, n.Jump) and part.kind == "throw":
                return True
            if isinstance(part, n.Call) and (self._may_throw(part) or (parsing and conversion(part))):
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
        if conversion(call) or finds(call):
            return True
        return isinstance(call.function, n.Member) and call.function.name in _PARSING and not call.arguments

    # ---- functions that throw ----

    def _as_result(self, function: n.Function) -> None:
        has_value = head(function.result) != "Unit" if function.result is not None else gives_value(function.body)
        for node in walk(function.body):
            if isinstance(node, n.Jump) and node.kind == "return" and node.value is not None:
                has_value = True
        kind = (function.result or Type()) if has_value else BOOL
        function.result, function.is_open = Type("Result", kind, self.error), False

        def change(node: n.Node) -> n.Node:
            if isinstance(node, n.Jump) and node.kind == "throw":
                return n.Jump("return", wrapped("Err", node.value or text("")), start=node.start, end=node.end)
            if isinstance(node, n.Jump) and node.kind == "return":
                node.value = wrapped("Ok", node.value or n.Literal("bool", "true", start=node.start, end=node.end))
            elif isinstance(node, n.Call) and self._may_throw(node):
                return n.Try(node, start=node.start, end=node.end)
            elif isinstance(node, n.Call) and conversion(node) and not getattr(node, "is_caught", False):
                return tried_conversion(node, self.as_thrown)
            return node

        replace_below(function.body, change)
        if has_value:
            end_with_ok(function.body)
        elif not leaves(function.body):
            end = function.body.end
            true = n.Literal("bool", "true", start=end, end=end)
            function.body.statements.append(n.Evaluate(wrapped("Ok", true), start=end, end=end))

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
        replace_below(node.handler, message_of(node.name))
        for clause in node.others:
            replace_below(clause.handler, message_of(clause.name))
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
                chosen = self._chosen(attempt, {getattr(statement.value, "type_name", "")}, statement)
                return [*statements[:place], *self._caught(statement.value.value, chosen)]
            call = self._first_call(statement)
            condition = self._failing(statement, attempt) if call is None else None
            if condition is not None:
                return [*statements[:place], self._tested(condition, [statement, *rest], attempt)]
            if call is not None:
                return [*statements[:place], self._matched(call, [statement, *rest], attempt)]
            if isinstance(statement, n.Evaluate) and isinstance(statement.value, n.If) and self._is_risky(statement.value):
                choice = statement.value
                otherwise = choice.otherwise.statements if choice.otherwise is not None else []
                choice.then.statements = self._guarded([*choice.then.statements, *deepcopy(rest)], attempt)
                choice.otherwise = n.Block(self._guarded([*otherwise, *rest], attempt), start=choice.end, end=choice.end)
                return [*statements[:place], statement]
            if isinstance(statement, (n.For, n.While)) and self._is_risky(statement):
                return [*statements[:place], *self._guarded_loop(statement, rest, attempt)]
            if self._is_risky(statement):
                raise Untranslatable("an exception that leaves a loop or a branch of an expression", statement.start)
        return statements if attempt.otherwise is None else [*statements, *deepcopy(attempt.otherwise.statements)]

    def _failing(self, statement: n.Statement, attempt: Attempt) -> tuple[n.Expr, Attempt] | None:
        """The condition under which a division or a look-up of a statement fails, and what catches it."""
        for each in _clauses_of(attempt):
            clause = each.of_failure("Division_by_zero")
            divisor = divisor_of(statement) if catches(clause.kinds, *BAD_DIVISOR) else None
            if divisor is not None and not uses(clause.handler, clause.name):
                zero = n.Literal("int", "0", start=divisor.start, end=divisor.start)
                return n.Binary("==", deepcopy(divisor), zero, start=divisor.start, end=divisor.end), clause
            absent = missing(statement, clause.kinds) if not isinstance(statement, (n.For, n.While, n.Local)) else None
            if absent is not None and not uses(clause.handler, clause.name):
                return absent, clause
        return None

    def _tested(self, failing: tuple[n.Expr, Attempt], statements: list[n.Statement], attempt: Attempt) -> n.Statement:
        """A failing condition as an `if`: the handler in one branch, the rest of the statements in the other."""
        condition, chosen = failing
        then = n.Block(self._caught(None, chosen), start=condition.start, end=condition.start)
        rest = [statements[0], *self._guarded(statements[1:], attempt)]
        otherwise = n.Block(rest, start=condition.start, end=statements[-1].end)
        return n.Evaluate(n.If(condition, then, otherwise, start=condition.start, end=statements[-1].end))

    def _chosen(self, attempt: Attempt, thrown: set[str], node: n.Node) -> Attempt:
        """The one clause that catches all classes in `thrown`; Untranslatable if they have different clauses or none."""
        chosen = [
            next((clause for clause in _clauses_of(attempt) if catches(clause.kinds, name, *_BASES.get(name, ()))), None)
            for name in sorted(thrown)
        ]
        first = chosen[0] if chosen else _clauses_of(attempt)[0]
        if first is None or any(each is None or each.handler is not first.handler for each in chosen):
            raise Untranslatable(_SEVERAL, node.start)
        return first

    def _classes(self) -> dict[str, set[str]]:
        """The classes of what each function may throw, itself or by what it calls."""
        classes: dict[str, set[str]] = {}
        callers: dict[str, set[str]] = {}
        for name, function in [(name, each) for name, several in self.functions.items() for each in several]:
            classes.setdefault(name, set())
            for node in walk(function.body):
                if isinstance(node, n.Jump) and node.kind == "throw":
                    classes[name].add(getattr(node, "type_name", ""))
                elif isinstance(node, n.Call) and conversion(node):
                    classes[name].add(CONVERSION)
            for called in self._called(function.body):
                callers.setdefault(called, set()).add(name)
        waiting = list(classes)
        while waiting:
            name = waiting.pop()
            for caller in callers.get(name, ()):
                if not classes[name] <= classes[caller]:
                    classes[caller] |= classes[name]
                    waiting.append(caller)
        return classes

    def _thrown_by(self, call: n.Call) -> set[str]:
        function = call.function
        return self.classes.get(function.name, set()) if isinstance(function, (n.Name, n.Member, n.Path)) else set()

    def _guarded_loop(self, loop: n.For | n.While, rest: list[n.Statement], attempt: Attempt) -> list[n.Statement]:
        """A loop that may throw: where it does, it ends, and the handler runs in place of the rest."""
        if isinstance(loop, n.While) and self._is_risky(loop.condition):
            raise Untranslatable("an exception in the condition of a loop", loop.start)
        if not attempt.others and leaves(attempt.handler):
            loop.body.statements = self._guarded(loop.body.statements, replace(attempt, otherwise=None))
            return [loop, *self._guarded(rest, attempt)]
        if attempt.others or uses(attempt.handler, attempt.name) or loops_in(loop.body):
            raise Untranslatable("an exception that leaves a loop", loop.start)
        start, end = loop.start, loop.end
        self.count += 1
        flag = f"failed_{start}_{self.count}"
        false = n.Literal("bool", "false", start=start, end=start)
        true = n.Literal("bool", "true", start=start, end=start)
        note = n.Assign(n.Name(flag, start=start, end=start), "", true, start=start, end=start)
        leave = n.Evaluate(n.Jump("break", start=start, end=start), start=start, end=start)
        inner = Attempt(attempt.body, "", n.Block([note, leave], start=start, end=start), attempt.kinds, start=start, end=end)
        loop.body.statements = self._guarded(loop.body.statements, inner)
        handler = n.Block(deepcopy(attempt.handler.statements), start=end, end=end)
        otherwise = n.Block(self._guarded(rest, attempt), start=end, end=rest[-1].end if rest else end)
        choice = n.If(n.Name(flag, start=end, end=end), handler, otherwise, start=end, end=otherwise.end)
        return [
            n.Let(n.Binding(flag), None, false, True, start=start, end=start),
            loop,
            n.Evaluate(choice, start=end, end=choice.end),
        ]

    def _is_risky(self, node: n.Node) -> bool:
        return self._throws(node) or any(isinstance(part, n.Call) and self._parses(part) for part in walk(node))

    def _caught(self, value: n.Expr | None, attempt: Attempt) -> list[n.Statement]:
        self.catches = True
        handler = deepcopy(attempt.handler.statements)
        if not uses(attempt.handler, attempt.name):
            return handler
        return [n.Let(n.Binding(attempt.name), None, value or text(""), start=attempt.start, end=attempt.start), *handler]

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
            if value is not None and (call := self._first_in(value)) is not None:
                return call
        return None

    def _first_in(self, node: n.Node) -> n.Call | None:
        if isinstance(node, (n.Lambda, n.If, n.Match, n.Block, n.Comprehension, Attempt)):
            return None
        if isinstance(node, n.Binary) and node.operator in ("&&", "||", "??"):
            return self._first_in(node.left)
        for child in children(node):
            if (call := self._first_in(child)) is not None:
                return call
        if isinstance(node, n.Call) and (self._may_throw(node) or self._parses(node)):
            return node
        return None

    def _matched(self, call: n.Call, statements: list[n.Statement], attempt: Attempt) -> n.Statement:
        """A match on what a call gives: the statements with its value in its place, or the handler."""
        self.catches = True
        is_parsing = self._parses(call) and not self._may_throw(call)
        chosen = self._chosen(attempt, {CONVERSION} if is_parsing else self._thrown_by(call), call)
        if is_parsing:
            chosen = chosen.of_failure(finds(call) or "Failure")
        name = f"value_{call.start}_{self.count}"
        value = n.Name(name, start=call.start, end=call.end)
        first = n.Block([statements[0]], start=call.start, end=call.end)
        replace_below(first, lambda node: value if node is call else node)
        inner = self._guarded([first.statements[0], *statements[1:]], attempt)
        start, end = call.start, statements[-1].end if attempt.otherwise is None else attempt.otherwise.end
        handler = deepcopy(chosen.handler.statements)
        used = uses(chosen.handler, chosen.name)
        if is_parsing and used:
            said = said_by(call)
            if said is None:
                raise Untranslatable("the message of a failed conversion", call.start)
            handler.insert(0, n.Let(n.Binding(chosen.name), None, self.as_thrown(said), start=start, end=start))
        if is_parsing:
            as_option(call)
        good, bad = ("Some", "None") if is_parsing else ("Ok", "Err")
        setattr(call, "is_caught", True)  # noqa: B010
        error: n.Pattern = n.Binding(chosen.name) if used else n.Wildcard()
        failed = n.VariantPattern("", bad, [] if is_parsing else [error], start=start, end=start)
        is_used = any(isinstance(node, n.Name) and node.name == name for each in inner for node in walk(each))
        held: n.Pattern = n.Binding(name) if is_used else n.Wildcard()
        if inner and isinstance(inner[0], n.Evaluate) and inner[0].value is value and len(inner) > 1:
            inner = inner[1:]
        arms = [
            n.Arm(n.VariantPattern("", good, [held], start=start, end=start), None, n.Block(inner, start=start, end=end)),
            n.Arm(failed, None, n.Block(handler, start=end, end=end)),
        ]
        return n.Evaluate(n.Match(call, arms, start=start, end=end), start=start, end=end)


def _clauses_of(attempt: Attempt) -> list[Attempt]:
    """Every part that catches, as an attempt of its own."""
    others = [
        Attempt(attempt.body, each.name, each.handler, each.kinds, start=each.start, end=each.end) for each in attempt.others
    ]
    return [attempt, *others]
