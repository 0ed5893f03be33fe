"""The one way from a program to the outside world: policy, budget, log, then a handler (spec chapter 11 section 3.2).

A gateway belongs to one run. Handlers give tagged constants, so that they need to know nothing of the machine's values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from analysis.bytecode.module import CAPABILITIES, FunctionCode
from boruna_ls.runtime.errors import CapabilityDenied, VmError
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.policy import Policy
from boruna_ls.runtime.values import Value, err, from_constant, ok

RESULTS: Final = frozenset(("net.fetch", "fs.read", "fs.write", "db.query"))
"""Capabilities whose functions in the language answer Ok or Err."""


class HandlerFailure(Exception):
    """A handler failed; the message is the text that the program gets."""


Handler = Callable[[str, Sequence[Any], bool], Any]
"""(canonical name, arguments, whether a function of the language asks) → a tagged constant. Raises HandlerFailure."""


class Gateway:
    """Policy, usage and handler of one run; `log` gets the allowed calls and their results.

    `gives_values`: the handler answers with values of the machine instead of constants, and they are what was pushed.
    """

    def __init__(self, policy: Policy, handler: Handler, log: EventLog | None = None, gives_values: bool = False) -> None:
        self._policy = policy
        self._handler = handler
        self._log = log
        self._gives_values = gives_values
        self.used: dict[str, int] = {}
        """Allowed calls by canonical name, those over the budget, too."""
        self.recent: dict[str, int] = {}
        """Calls since it was last emptied."""

    def call(self, capability: int, args: list[Value], function: FunctionCode) -> Value:
        """The value that a call pushes. Raises VmError."""
        name = CAPABILITIES[capability].name
        rule = self._policy.rule(name)
        if not rule.allow:
            raise CapabilityDenied(name, f"capability denied: {name}")
        self.used[name] = count = self.used.get(name, 0) + 1
        if 0 < rule.budget < count:
            raise CapabilityDenied(name, f"capability budget exceeded: {name}")
        self.recent[name] = self.recent.get(name, 0) + 1
        if self._log is not None:
            self._log.cap_call(name, args)
        value = self._answer(name, args, function.compiled)
        if self._log is not None:
            self._log.cap_result(name, value)
        return value

    def _answer(self, name: str, arguments: list[Value], by_function: bool) -> Value:
        wraps = by_function and name in RESULTS and not self._gives_values
        try:
            answer = self._handler(name, arguments, by_function)
        except HandlerFailure as failure:
            if wraps:
                return err(str(failure))
            raise VmError(f"assertion failed: capability error: {failure}") from None
        value = answer if self._gives_values else from_constant(answer)
        return ok(value) if wraps else value
