"""The effect broker with tools of MCP servers: what views that start live runs use. The library is imported at the first call."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Final

from analysis.bytecode.module import Constant
from analysis.semantics.tools.modules import CAPABILITY
from boruna_ls.effects.broker import Broker, shared_broker
from boruna_ls.effects.effect import Effect, Target
from boruna_ls.effects.table import Handler

if TYPE_CHECKING:
    from boruna_ls.workspace import Host


_hosts: Final[weakref.WeakSet[Host]] = weakref.WeakSet()


def live_broker(host: Host | None = None) -> Broker:
    """The broker of this process; `host` is notified when the tools of a server are listed anew."""
    broker = shared_broker()
    if CAPABILITY not in broker.handlers:
        broker.register(CAPABILITY, Handler(_perform, _target))
    if host is not None:
        _hosts.add(host)
        broker.let_pass = host.shared.precedence.let_pass
    return broker


async def _perform(effect: Effect) -> Constant:
    from boruna_ls.upstream import calls
    from boruna_ls.upstream.keeper import shared_keeper

    for host in list(_hosts):
        calls.tell(host.settings.tools_changed)
    shared_keeper().let_pass = shared_broker().let_pass
    return await calls.perform(effect)


async def _target(effect: Effect) -> Target | None:
    from boruna_ls.upstream import calls

    return await calls.target(effect)
