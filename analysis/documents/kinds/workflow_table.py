"""The fields of `workflow.json` (spec chapter 16, section 1), for completion and hover; `analysis/workflow` reads and judges."""

from __future__ import annotations

from typing import Final

from analysis.bytecode.module import CAPABILITIES
from analysis.config.schema import Field, Flag, ListOf, MapOf, Table, Text, Whole
from analysis.workflow.reader import GATE, SOURCE, TRIGGER

_MOST: Final = 2**64 - 1
_CAPABILITIES: Final = {kind.name: "" for kind in CAPABILITIES}
_STEP_ID: Final = Text()

RETRY: Final = Table(
    {
        "max_attempts": Field(Whole(0, 2**32 - 1), "How often the program is started at most.", is_required=True),
        "on_transient": Field(Flag(), "Whether only transient failures (network, time) are retried.", False),
        "retry_on": Field(ListOf(Text()), "Classes of failures that are retried."),
    }
)
BUDGET: Final = Table(
    {
        "max_calls": Field(Whole(0, _MOST), "How often each capability of the step may be called."),
        "max_tokens": Field(Whole(0, _MOST), "Has no effect: tokens are not counted."),
    }
)
STEP: Final = Table(
    {
        "kind": Field(
            Text(
                choices={
                    SOURCE: "Runs a program.",
                    GATE: "Waits until somebody with a role approves or rejects.",
                    TRIGGER: "Waits for an event from outside, whose payload is its output.",
                }
            ),
            "What the step is.",
            is_required=True,
        ),
        "source": Field(Text(), "The program that a `source` step runs, relative to the folder of the workflow."),
        "required_role": Field(Text(), "The role that decides at an `approval_gate`."),
        "inputs": Field(
            MapOf(Text()), 'What the program reads with `step_input(name)`: `"step.result"` for each name. Inputs add no order.'
        ),
        "depends_on": Field(ListOf(_STEP_ID), "Steps that come before this one."),
        "timeout_ms": Field(Whole(0, _MOST), "Milliseconds after which the program is stopped."),
        "retry": Field(RETRY, "When a failed program is retried."),
        "budget": Field(BUDGET, "How much the program may use; it restricts the policy of the run, and never grants."),
        "capabilities": Field(ListOf(Text(examples=_CAPABILITIES)), "Capabilities that `budget` limits."),
        "outputs": Field(MapOf(Text()), "Documentation only: the one output of a step is `result`."),
        "required_capability_versions": Field(MapOf(Text()), "Versions by capability; part of the hash, without effect."),
        "self_approval": Field(Flag(), "Whether the person who started the run may decide at this gate.", False),
        "condition": Field(Text(), "Text for people: nothing evaluates it."),
        "description": Field(Text(), "What an `external_trigger` waits for."),
    }
)
TABLE: Final = Table(
    {
        "schema_version": Field(Whole(0, 1), "The version of this format: 1.", is_required=True),
        "name": Field(Text(), "The name of the workflow.", is_required=True),
        "version": Field(Text(), "Its version.", is_required=True),
        "description": Field(Text(), "What it is for.", ""),
        "steps": Field(MapOf(STEP), "The steps by id.", is_required=True),
        "edges": Field(ListOf(ListOf(_STEP_ID)), 'Pairs `["from", "to"]` of ids; the same as `depends_on`.', is_required=True),
    }
)
OF_KIND: Final = {SOURCE: {"source"}, GATE: {"required_role", "self_approval", "condition"}, TRIGGER: {"description"}}
"""Fields that only steps of a kind have."""
