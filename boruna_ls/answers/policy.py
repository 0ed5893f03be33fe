"""The answers about capabilities and policies (spec chapter 11 sections 1.1 and 7.6)."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls import __version__
from boruna_ls.answers.envelope import success
from boruna_ls.runtime.capabilities import report
from boruna_ls.runtime.policy import PolicyError, doubts, read_policy

COMPATIBLE: Final = "3.2.0"
"""The release of the reference whose capabilities these are."""


def capabilities_answer() -> dict[str, Any]:
    """Capabilities that programs can request."""
    return success(name="boruna", version=COMPATIBLE, server={"name": "boruna-ls", "version": __version__}, **report())


def policy_answer(text: str) -> dict[str, Any]:
    """Validation of a policy's text; reports the first error."""
    try:
        policy = read_policy(text)
    except PolicyError as error:
        return success(ok=False, schema_version=1, errors=[error.as_dict()])
    answer = success(ok=True, schema_version=1)
    if doubtful := doubts(policy):
        answer["warnings"] = doubtful
    return answer
