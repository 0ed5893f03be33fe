"""`boruna_policy_validate`: whether a text is a policy document."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.policy import policy_answer
from boruna_ls.mcp.arguments import Argument
from boruna_ls.mcp.schemas import ERRORS, INTEGER
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.run import whole

_POLICY: Final = Argument("policy_json", str, "Text of the policy document", required=True)


def run(call: Call) -> dict[str, Any]:
    return policy_answer(call.arguments["policy_json"])


TOOL: Final = Tool(
    name="boruna_policy_validate",
    title="Check a policy",
    schema_title="PolicyValidateParams",
    description=(
        "Checks a policy document: {schema_version: 1, default_allow, rules: {capability: {allow, budget}}, net_policy, "
        "fs_policy, db_policy}. `ok` says whether it is valid, `errors` the first thing wrong with it. `success` is always true."
    ),
    arguments=(_POLICY,),
    answer_fields={"ok": {"type": "boolean"}, "schema_version": INTEGER, "errors": ERRORS},
    run=run,
    shorten=whole,
    needs_program=False,
)
