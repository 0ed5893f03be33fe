"""Policies of runs: as text in the store, and as they hold for one step (spec chapter 16, section 7)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from analysis.data_classes import replace
from analysis.workflow.canonical import compact
from analysis.workflow.reader import Step
from boruna_ls.runtime.policy import ALLOW_ALL, DENY_ALL, Policy, PolicyError, Rule, read_policy
from boruna_ls.workflow.folders import NOT_UTF8, WorkflowError, read_text

_INPUT: Final = "step.input"
_UNLIMITED: Final = 2**64 - 1


def policy_json(policy: Policy) -> dict[str, Any]:
    """A policy as a document, fields in the order of the format."""
    document: dict[str, Any] = {
        "schema_version": 1,
        "rules": {name: {"allow": rule.allow, "budget": rule.budget} for name, rule in sorted(policy.rules.items())},
        "default_allow": policy.default_allow,
        "net_policy": None if policy.net is None else _plain(asdict(policy.net)),
    }
    if policy.fs is not None:
        document["fs_policy"] = _plain(asdict(policy.fs))
    if policy.db is not None:
        document["db_policy"] = _plain(asdict(policy.db))
    return document


def policy_text(policy: Policy) -> str:
    """A policy as the store and bundles keep it."""
    return compact(policy_json(policy))


def for_step(policy: Policy, step: Step) -> Policy:
    """Policy of a step: inputs are allowed unless a rule denies them; a budget restricts the capabilities it names."""
    rules = dict(policy.rules)
    if step.budget is not None and step.budget.max_calls is not None:
        for name in step.capabilities:
            # A budget never grants what the run's policy does not; inputs are always granted.
            if name not in rules and (policy.default_allow or name == _INPUT):
                rules[name] = Rule(True, step.budget.max_calls)
    rules.setdefault(_INPUT, Rule(True, _UNLIMITED))
    return replace(policy, rules=rules)


def policy_option(value: str) -> Policy:
    """The policy that a command line names: `allow-all`, `deny-all` or a file. Raises WorkflowError."""
    if value in ("allow-all", "deny-all"):
        return ALLOW_ALL if value == "allow-all" else DENY_ALL
    try:
        text = read_text(value)
    except WorkflowError as error:
        reason = NOT_UTF8 if str(error) == NOT_UTF8 else error
        raise WorkflowError(f"policy.io_error: {value}: {reason}") from None
    try:
        return read_policy(text)
    except PolicyError as error:
        raise WorkflowError(error.message) from None


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
