"""Asks the person in front of an editor whether a program may have an effect (`window/showMessageRequest`); the broker's side
of it is `effects/asking.py`. Only a button that was offered counts as an answer; everything else means no.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from boruna_ls.effects.asking import Choice, Question

if TYPE_CHECKING:
    from boruna_ls.lsp.session import Session


class EditorAsker:
    """The editor of a session, asked on its own event loop."""

    def __init__(self, session: Session, loop: asyncio.AbstractEventLoop) -> None:
        self._session = session
        self._loop = loop

    async def ask(self, question: Question) -> Choice:
        """The user's choice; called on the broker's loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._choice(question), self._loop))

    async def _choice(self, question: Question) -> Choice:
        actions = [types.MessageActionItem(choice.value) for choice in Choice]
        params = types.ShowMessageRequestParams(types.MessageType.Warning, question.text, actions)
        chosen = await self._session.connection.ask(params)
        # Parsed JSON, of any shape.
        title = chosen.get("title") if isinstance(chosen, dict) else None
        return next((choice for choice in Choice if choice.value == title), Choice.DENY)
