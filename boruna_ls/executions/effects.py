"""Effects of executions, by the effect broker: inside policy and the ceiling that the owner's file has at the first of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from boruna_ls.deadline import Deadline
from boruna_ls.effects.asking import Asker
from boruna_ls.effects.broker import Broker
from boruna_ls.effects.grants import SessionGrants, granted
from boruna_ls.executions.logged import Effects, Performs
from boruna_ls.executions.records import Execution
from boruna_ls.runtime.policy import Policy


def performs_of(
    broker: Callable[[], Broker], is_confined: bool, asker: Asker | None = None, session: SessionGrants | None = None
) -> Callable[[Execution, Policy, Deadline], Performs]:
    """For a client that drives: `asker` is its user, asked where the ceiling has a gap. `broker` is called for the first effect.

    Clients over the network cause no effects, neither in their own executions nor in others'.
    """

    def of(execution: Execution, policy: Policy, deadline: Deadline) -> Performs:
        def performs(used: Mapping[str, int]) -> Effects:
            workspace = "" if is_confined or execution.owner != "local" else execution.workspace
            name = f"(execution) {execution.program_id}"
            grant = granted(name, workspace, policy, deadline, asker, session or SessionGrants())
            return broker().effects_of(grant, used)

        return performs

    return of
