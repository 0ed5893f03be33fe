"""Text form of logged calls, and the message for a replay that departs from its log; used in worker processes, too."""

from __future__ import annotations

import json
from typing import Any


def text_of(value: Any) -> str:
    """JSON as the log holds it: compact ASCII, so that any text of a program can be stored."""
    return json.dumps(value, separators=(",", ":"))


def diverged(number: int, logged: str, capability: str) -> dict[str, Any]:
    """The error of a replay whose call of a number, from 1, is another one than the log's."""
    what = f"was {logged}, now it is {capability}" if logged != capability else f"of {capability} has other arguments"
    message = f"the replay diverged from the log: call {number} {what}"
    return {"kind": "replay_diverged", "message": message}


def spent(name: str, limit: int) -> dict[str, Any]:
    """Error of an execution that has used up one of its budgets, or another limit on its whole run."""
    return {"kind": "budget_exceeded", "budget": name, "message": f"the budget of {limit} {name} is used up"}
