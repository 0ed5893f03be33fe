"""Rows of the store as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from analysis.data_classes import dataclass, field
from boruna_ls.executions.names import THINK, Budgets

HEAD: Final = 1000
"""Characters of a prompt that lists can show."""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A program that was checked and compiled. `module` is pickled; `places` is JSON of `places.py`."""

    program_id: str
    name: str
    source: str
    module: bytes = field(repr=False)
    fingerprint: str
    places: str = field(repr=False)
    workspace: str
    warnings: tuple[str, ...] = ()
    """Warnings of the checker, not stored."""


@dataclass(frozen=True, slots=True)
class Version:
    """A stored version of a program; the same fields and what the store adds. Times are seconds since 1970."""

    key: int
    program_id: str
    version: int
    source: str = field(repr=False)
    module: bytes = field(repr=False)
    fingerprint: str
    places: str = field(repr=False)
    workspace: str
    loaded: float


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution as it is on disk. `inputs` and `policy` are JSON; `outcome` is what its last drive left."""

    key: int
    owner: str
    execution_id: str
    version_key: int
    program_id: str
    workspace: str
    state: str
    inputs: str
    policy: str
    budgets: Budgets
    secret: str
    created: float
    updated: float
    steps: int
    tokens: int
    answered: int
    """Tasks that were answered."""
    outcome: Mapping[str, Any]
    is_live: bool = False
    """True if the owner began it at a terminal with a policy of his own as the only bound of its effects."""

    def task_id(self, number: int) -> str:
        """The name of a call of `llm.call`, which no other execution has, nor one that had the same id before."""
        return f"task-{number + 1}-{self.secret}"


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """A capability call of an execution: `arguments` as JSON, `result` as the JSON of a RESULT frame, None without one."""

    number: int
    actor: int
    capability: str
    arguments: str
    asked: float
    result: str | None
    answered: float | None
    answer_order: int | None
    attempts: int
    refused: int
    refusal: str | None

    @property
    def is_task(self) -> bool:
        """True if the call waits for an answer by a model or a person."""
        return self.capability == THINK

    @property
    def is_open(self) -> bool:
        """True if the call has no result."""
        return self.result is None

    @property
    def prompt(self) -> str:
        """The prompt of a task."""
        return self._text(0) or ""

    @property
    def schema(self) -> str | None:
        """The JSON schema of a task's answer, if the program asks for one; it was found valid when the task was opened."""
        return self._text(1)

    def _text(self, index: int) -> str | None:
        return _argument(self.arguments, index)


@dataclass(frozen=True, slots=True)
class Summary:
    """An execution in a list; `prompt` is the beginning of that of its oldest open task."""

    key: int
    execution_id: str
    program_id: str
    state: str
    created: float
    updated: float
    steps: int
    answered: int
    task: int | None
    prompt: str | None
    secret: str
    is_current: bool


def head_of(arguments: str) -> str:
    """The beginning of a task's prompt, as JSON: its characters need not be ones that a database takes."""
    return json.dumps((_argument(arguments, 0) or "")[:HEAD])


def _argument(arguments: str, index: int) -> str | None:
    given = json.loads(arguments)
    value = given[index] if index < len(given) else None
    return value.get("String") if isinstance(value, dict) else None
