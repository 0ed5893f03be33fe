"""Exceptions that end a run: an error of the program, a limit, or an actor that has to wait.

The exceptions carry the texts of chapter 08 section 7 and nothing else; the place of an error (function, instruction, call
stack, steps) is known to the machine that was executing, see `interpreter.Failure`.
"""

from __future__ import annotations


class VmError(Exception):
    """An error of the program; `message` is what the user reads, `kind` the `error_kind` of an answer."""

    kind = "runtime_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class StepLimit(VmError):
    """More turns than `max_steps`."""

    kind = "step_limit_exceeded"

    def __init__(self, limit: int) -> None:
        super().__init__(f"max execution steps exceeded ({limit})")


class LimitExceeded(VmError):
    """A limit of the host: `limit_kind` is "wall_ms", "memory" or "deadline"; `limit` its number, in the unit of the kind."""

    kind = "limit_exceeded"

    def __init__(self, limit_kind: str, limit: int, message: str) -> None:
        super().__init__(message)
        self.limit_kind = limit_kind
        self.limit = limit


class CapabilityDenied(VmError):
    """The policy, the budget or the function's own annotation does not allow a capability."""

    def __init__(self, capability: str, message: str) -> None:
        super().__init__(message)
        self.capability = capability


class Blocked(Exception):
    """Raised by a scheduler's `receive`: the mailbox is empty, the instruction is to be executed again later."""


def type_error(expected: str, got: str) -> VmError:
    """The one form of all type errors."""
    return VmError(f"type error: expected {expected}, got {got}")


def wall_clock(limit: int) -> LimitExceeded:
    """The error of `max_wall_ms`."""
    return LimitExceeded("wall_ms", limit, f"wall-clock execution limit of {limit} ms exceeded")


def memory_limit(limit: int) -> LimitExceeded:
    """The error of the memory ceiling; `limit` in bytes."""
    return LimitExceeded("memory", limit, f"memory limit of {limit // (1 << 20)} MiB exceeded")
