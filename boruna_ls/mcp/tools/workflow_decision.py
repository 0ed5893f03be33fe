"""Common parts of approving and rejecting: a caller that may not decide has the user asked, whose answer counts as the
owner's."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.syntax.escaping import quoted
from boruna_ls.answers.envelope import failure
from boruna_ls.mcp.questions import CannotAsk
from boruna_ls.mcp.tool import Call
from boruna_ls.mcp.tools.workflow_calls import RunIdArguments, answered, principal, visible_run
from boruna_ls.mcp.tools.workflow_resume import resumed
from boruna_ls.workflow.decisions import OWNER, NotAllowed, Principal, decide
from boruna_ls.workflow.runner import Runner

_FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "title": "Answer", "enum": ["yes", "no"]}},
    "required": ["answer"],
}


class DecisionArguments(RunIdArguments):
    """A gate of a run."""

    step: str = Field(description="Id of the gate", max_length=1000)
    reason: str | None = Field(None, description="Why, for the record", max_length=4000)


async def decided(call: Call[Any], approve: bool) -> dict[str, Any]:
    """Records a decision and goes on with the run."""
    arguments, who = call.arguments, principal(call)

    def record(by: Principal) -> Any:
        def work(runner: Runner) -> dict[str, Any]:
            visible_run(call, runner, arguments.run_id)
            try:
                decide(runner.store, arguments.run_id, arguments.step, approve, arguments.reason, by, by.name)
            except NotAllowed as error:
                return failure(error_kind="not_allowed", message=str(error))
            return {}

        return work

    problem = await answered(record(who))
    if problem.get("error_kind") == "not_allowed" and await _user_says_yes(call, approve):
        problem = await answered(record(Principal(OWNER, True)))
    return problem or await resumed(call, arguments.run_id)


async def _user_says_yes(call: Call[Any], approve: bool) -> bool:
    """True if the client's user confirms the decision; no answer counts as no."""
    if not call.peer.can("elicit"):
        return False
    word = "Approve" if approve else "Reject"
    text = f"{word} at gate {quoted(call.arguments.step)} of workflow run {quoted(call.arguments.run_id)}?"
    try:
        answer = await call.peer.elicit(text, _FORM)
    except CannotAsk:
        return False
    return answer.is_accepted and answer.content.get("answer") == "yes"
