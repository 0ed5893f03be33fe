"""Asks the user of an agent's host whether a program may have an effect (elicitation); the broker's side of it is
`effects/asking.py`. Only what the form offers counts as an answer; everything else means no.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from boruna_ls.effects.asking import Choice, Question
from boruna_ls.mcp.questions import CannotAsk, Peer

_FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "title": "Answer", "enum": [choice.value for choice in Choice]}},
    "required": ["answer"],
}


class PeerAsker:
    """The client of one call, asked on its own event loop."""

    def __init__(self, peer: Peer, loop: asyncio.AbstractEventLoop) -> None:
        self._peer = peer
        self._loop = loop

    async def ask(self, question: Question) -> Choice:
        """The user's choice; called on the broker's loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._choice(question), self._loop))

    async def _choice(self, question: Question) -> Choice:
        try:
            answer = await self._peer.elicit(question.text, _FORM)
        except CannotAsk:
            return Choice.DENY
        chosen = answer.content.get("answer") if answer.is_accepted else None
        return next((choice for choice in Choice if choice.value == chosen), Choice.DENY)
