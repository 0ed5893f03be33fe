"""Words and bounds of executions: states, ids, tasks, limits (spec chapter 22)."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any, Final

from analysis.data_classes import dataclass

READY: Final = "READY"
RUNNING: Final = "RUNNING"
AWAITING: Final = "AWAITING_COGNITIVE_RESULT"
COMPLETED: Final = "COMPLETED"
ERROR: Final = "ERROR"
STATES: Final = (READY, RUNNING, AWAITING, COMPLETED, ERROR)
ENDED: Final = frozenset((COMPLETED, ERROR))

THINK: Final = "llm.call"
"""The capability that waits for a mind."""
FREE: Final = (THINK, "ui.render", "step.input")
"""Capabilities that every execution has unless its policy has a rule for them."""
ABANDONED: Final = '{"failure":"nobody waits for this answer any more"}'
"""The result of a task whose actor has failed."""
TEXT_LIMIT: Final = 1_048_576
"""Bytes of a prompt, and of an answer."""
TOKEN_BYTES: Final = 4
"""Bytes of an answer that count as one token."""
MOST_EXECUTIONS: Final = 100_000
MOST_PROGRAMS: Final = 10_000
MOST_PROGRAM_BYTES: Final = 512 * 1024 * 1024
"""Bytes of all programs of an owner, as text and as bytecode, with the versions that executions still have."""
_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
ID_RULE: Final = "1 to 128 letters, digits, `.`, `_`, `-`"


def is_id(text: str) -> bool:
    """True if a text can be the id of a program or an execution."""
    return _ID.fullmatch(text) is not None


class ExecutionError(Exception):
    """A call that cannot be done: nothing has changed. `kind` is a word for programs, the message says what to do."""

    def __init__(self, kind: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.details = details


@dataclass(frozen=True, slots=True)
class Budgets:
    """Budgets of an execution from its start to its end; `seconds` by the wall clock, waiting included. None: no bound."""

    tasks: int | None = None
    tokens: int | None = None
    seconds: int | None = None
    steps: int = 100_000_000

    def as_dict(self) -> dict[str, int]:
        """The budgets that are set."""
        values = {bound.name: getattr(self, bound.name) for bound in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def tokens_of(text: str) -> int:
    """Number of tokens that an answer counts as."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // TOKEN_BYTES)
