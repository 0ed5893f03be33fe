"""Live effects of a run that the owner starts at a terminal: bounded by the targets that the owner's policy
names; for a kind of effect of which it names none, by the owner's ceiling."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping

from boruna_ls.cli.output import complain
from boruna_ls.deadline import Deadline
from boruna_ls.runtime.gateway import Handler
from boruna_ls.runtime.policy import Policy
from boruna_ls.runtime.remote import Remote
from boruna_ls.workspace.roots import DiskView


def typed_by_owner(yes: bool) -> bool:
    """True if a command that gives rights was typed at a terminal, or confirmed with `--yes`."""
    return yes or (sys.stdin is not None and sys.stdin.isatty())


def may_act(yes: bool) -> bool:
    """True if the run was typed at a terminal, or confirmed with `--yes`; else False, after a message about both."""
    if typed_by_owner(yes):
        return True
    complain("run --live causes real effects: type it at a terminal, or add --yes")
    return False


def live_handler(policy: Policy, inputs: Mapping[str, str] | None, program: str) -> Handler:
    """The handler of a gateway whose calls the broker of this process performs."""
    # Most runs have no effects.
    from boruna_ls.effects import trust
    from boruna_ls.effects.ceiling import NOTHING
    from boruna_ls.effects.effect import Bounds
    from boruna_ls.effects.grants import Grant
    from boruna_ls.upstream.broker import live_broker

    workspace = workspace_of(program)
    problem, permitted = "", NOTHING
    try:
        permitted = trust.ceiling_of(workspace)
    except trust.TrustError as error:
        problem = str(error)
    bounds = Bounds(policy, None, workspace=workspace)
    grant = Grant(program, workspace, bounds, Deadline(math.inf), problem=problem, unnamed=permitted)
    return Remote(live_broker().effects_of(grant).answer, inputs)


def workspace_of(program: str) -> str:
    """The workspace of a program, as `check`, `trust` and `mcp-servers` see it: without settings or a repository the current
    folder around the program, else the program's own folder."""
    look = DiskView()
    path = look.canonical(os.path.abspath(program))
    return look.root(path, (look.canonical(os.getcwd()),)) or os.path.dirname(path)
