"""Grant of one run: its policy within the owner's ceiling, and the effects that the client's user allows beside it."""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
from typing import Final

from analysis.data_classes import dataclass, field, replace
from boruna_ls.deadline import Deadline
from boruna_ls.effects import trust
from boruna_ls.effects.asking import PATIENCE, Asker, Choice, Question
from boruna_ls.effects.ceiling import NOTHING, Ceiling, Section
from boruna_ls.effects.effect import Bounds, Target
from boruna_ls.runtime.errors import CapabilityDenied
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.policy import Policy
from boruna_ls.runtime.quoting import quoted

_NAMED_IN: Final[dict[Section, str]] = {
    "net_hosts": '`"net_policy": {"allowed_domains": […]}`',
    "fs_read": '`"fs_policy": {"allowed_roots": […]}`',
    "fs_write": '`"fs_policy": {"allowed_roots": […]}`',
    "databases": '`"db_policy": {"path": …}`',
    "mcp_servers": '`"mcp_policy": {…}`',
}
"""Where a policy that the owner writes names targets."""
_log = logging.getLogger(__name__)


class SessionGrants:
    """Targets that a client's user has allowed for as long as the client is connected, by workspace."""

    def __init__(self) -> None:
        self._allowed: dict[str, set[Target]] = {}
        self.asking = asyncio.Lock()
        """Held while a question is open: a person answers one after the other."""

    def of(self, workspace: str) -> frozenset[Target]:
        """Targets allowed in a workspace."""
        return frozenset(self._allowed.get(workspace, ()))

    def add(self, workspace: str, target: Target) -> None:
        """Allows something from now on."""
        self._allowed.setdefault(workspace, set()).add(target)


@dataclass(slots=True)
class Grant:
    """Rights of one run. `workspace` is "" for a program without one: then no effect is allowed, and the user is not asked.

    `deadline` is the run's, which stops while the person is asked; `problem` is the reason why no ceiling could be read from an
    existing file, "" if there is none. `unnamed` is the ceiling for what the owner's own policy names no targets of; None if the
    owner did not write the policy.
    """

    program: str
    workspace: str
    bounds: Bounds
    deadline: Deadline
    asker: Asker | None = None
    session: SessionGrants = field(default_factory=SessionGrants)
    problem: str = ""
    unnamed: Ceiling | None = None

    def bounds_of(self, capability: str) -> Bounds:
        """The bounds of the calls of a capability, before a person is asked for more."""
        if self.unnamed is None or self.bounds.policy.names_targets(capability):
            return self.bounds
        return replace(self.bounds, ceiling=self.unnamed, folder=self.workspace)

    async def bounds_for(self, capability: str, target: Target) -> Bounds:
        """The bounds in which an effect on a target is performed. Raises CapabilityDenied, HandlerFailure."""
        bounds = self.bounds_of(capability)
        ceiling = bounds.ceiling
        if ceiling is None or ceiling.allows(target.section, target.value):
            return bounds
        if not self.workspace:
            raise self._denial(capability, target)
        try:
            for entry in (*self.session.of(self.workspace), target):
                ceiling = ceiling.with_entry(entry.section, entry.value)
        except ValueError as error:
            # No user may allow this, so the user is not asked.
            raise HandlerFailure(trust.reason_of(error)) from None
        if target not in self.session.of(self.workspace) and not await self._is_allowed_by_user(capability, target):
            raise self._denial(capability, target)
        return replace(bounds, ceiling=ceiling)

    async def _is_allowed_by_user(self, capability: str, target: Target) -> bool:
        if self.asker is None or self.problem:
            return False
        question = Question(self.program, self.workspace, capability, target)
        try:
            async with self.session.asking:
                if target in self.session.of(self.workspace):
                    return True
                with self.deadline.paused():
                    async with asyncio.timeout(PATIENCE):
                        choice = await self.asker.ask(question)
        except TimeoutError:
            return False
        except Exception as error:
            # Whatever a view cannot do is no answer, and no answer means no.
            _log.warning("the user could not be asked: %s", type(error).__name__)
            return False
        if choice is Choice.SESSION:
            self.session.add(self.workspace, target)
        elif choice is Choice.ALWAYS:
            self.session.add(self.workspace, target)
            try:
                await asyncio.to_thread(trust.allow, self.workspace, target.section, target.value)
            except (trust.TrustError, ValueError) as error:
                # It holds for this session; the next one asks again.
                _log.warning("the user's permission could not be stored: %s", error)
        return choice is not Choice.DENY

    def _denial(self, capability: str, target: Target) -> CapabilityDenied:
        shown = quoted(target.value)
        if not self.workspace:
            advice = "the program belongs to no workspace; give its `path` in a folder of the client"
            return CapabilityDenied(capability, f"capability denied: {capability} of {shown}: {advice}")
        if self.problem:
            return CapabilityDenied(capability, f"capability denied: {capability} of {shown}: {self.problem}")
        command = command_to_allow(self.workspace, target)
        message = f"capability denied: {capability} of {shown}: not allowed by the owner. To allow it, the owner types: {command}"
        if self.unnamed is not None:
            message += f" (or names it in {_NAMED_IN[target.section]} of a --policy document)"
        return CapabilityDenied(capability, message)


def granted(
    program: str, workspace: str, policy: Policy, deadline: Deadline, asker: Asker | None, session: SessionGrants
) -> Grant:
    """The grant of a run that a client starts, from the owner's file as it is now. Reads the disk."""
    problem, ceiling = "", NOTHING
    try:
        ceiling = trust.ceiling_of(workspace) if workspace else NOTHING
    except trust.TrustError as error:
        problem = str(error)
    return Grant(program, workspace, Bounds(policy, ceiling, workspace or os.sep, workspace), deadline, asker, session, problem)


def command_to_allow(workspace: str, target: Target) -> str:
    """The command line that allows a target for good."""
    words = ("boruna-ls", "trust", "allow", trust.WORDS[target.section], target.value, "--workspace", workspace)
    return " ".join(shlex.quote(word) for word in words)
