"""Questions to the person in front of a client: may this program have this effect? A view implements `Asker`.

No answer, or a client that cannot ask, means no. What a question shows of programs and targets is quoted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from boruna_ls.effects.effect import Target
from boruna_ls.runtime.quoting import quoted

PATIENCE: Final = 45.0
"""Seconds in which a person answers; they do not count as the run's."""


_LONGEST: Final = 300
"""Characters of a text of others in a question."""


class Choice(Enum):
    """What a person can answer; the value is the label."""

    ONCE = "Allow once"
    SESSION = "Allow for this session"
    ALWAYS = "Always allow"
    DENY = "Deny"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a program of a workspace wants an effect that the owner's ceiling does not hold."""

    program: str
    workspace: str
    capability: str
    target: Target

    @property
    def text(self) -> str:
        """The question as a sentence, everything that others wrote quoted."""
        program, workspace, target = map(_shown, (self.program, self.workspace, self.target.value))
        note = f" ({_shown(self.target.note)})" if self.target.note else ""
        return f"The program {program} in {workspace} asks for {self.capability}: {target}{note}. Allow it?"


def _shown(text: str) -> str:
    """A text of others, quoted; a long one by its ends, so that it pushes nothing out of sight."""
    half = _LONGEST // 2
    return quoted(text if len(text) <= _LONGEST else f"{text[:half]}…{text[-half:]}")


class Asker(Protocol):
    """A client that can ask its user. Called on the broker's loop; an implementation hands over to its own."""

    async def ask(self, question: Question) -> Choice:
        """What the user chose."""
        ...
