"""`boruna_policy_validate`: whether a text is a policy document."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.policy import policy_answer
from boruna_ls.mcp.arguments import JSON_LIMIT, Arguments
from boruna_ls.mcp.schemas import ERRORS, INTEGER
from boruna_ls.mcp.tool import Call, Tool


class PolicyValidateParams(Arguments):
    policy_json: str = Field(description="Text of the policy document", max_length=JSON_LIMIT)


def run(call: Call[PolicyValidateParams]) -> dict[str, Any]:
    return policy_answer(call.arguments.policy_json)


TOOL: Final = Tool(
    name="boruna_policy_validate",
    title="Check a policy",
    description=(
        "Checks a policy document: {schema_version: 1, default_allow, rules: {capability: {allow, budget}}, net_policy, "
        "fs_policy, db_policy}. `ok` says whether it is valid, `errors` has the first error. `success` is always true."
    ),
    arguments=PolicyValidateParams,
    answer_fields={"ok": {"type": "boolean"}, "schema_version": INTEGER, "errors": ERRORS},
    run=run,
    example={"policy_json": '{"schema_version": 1, "default_allow": false}'},
)
