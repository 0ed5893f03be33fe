"""Questions to the person in front of a client: may this program have this effect? A view implements `Asker`.

No answer, or a client that cannot ask, means no. What a question shows of programs and targets is quoted.
"""

from __future__ import annotations

import hashlib
from enum import Enum
from typing import Final, Protocol

from analysis.data_classes import dataclass
from boruna_ls.effects.effect import Target
from boruna_ls.runtime.quoting import quoted

PATIENCE: Final = 45.0
"""Seconds in which a person answers; they do not count as the run's."""


_WHOLE: Final = 1_000
"""Characters of a text of others that a question shows whole; of a longer one it shows `_END` characters at both ends."""
_END: Final = 400
_DIGEST: Final = 16


class Choice(Enum):
    """Possible answers of a person; the value is the label."""

    ONCE = "Allow once"
    SESSION = "Allow for this session"
    ALWAYS = "Always allow"
    DENY = "Deny"


@dataclass(frozen=True, slots=True)
class Question:
    """Question to the user: a program of a workspace wants an effect that is not in the owner's ceiling."""

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
    """A text of others, quoted. Of a long one both ends, and outside the quotes, where its author writes nothing, how much is
    missing: the user sees that there is more, and can compare the digest with that of the file's text."""
    if len(text) <= _WHOLE:
        return quoted(text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    missing = f"[{len(text) - 2 * _END} of {len(text)} characters are not shown, SHA-256 {digest}…: read them first]"
    return f"{quoted(text[:_END])} {missing} {quoted(text[-_END:])}"


class Asker(Protocol):
    """A client that can ask its user. Called on the broker's loop; an implementation hands over to its own."""

    async def ask(self, question: Question) -> Choice:
        """The user's choice."""
        ...
