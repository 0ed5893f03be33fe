"""The canonical text of a definition, its hash, and the ids of runs (spec chapter 16, section 10).

Layout, key order and unknown fields do not matter; the texts of the programs are not covered.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

from analysis.workflow.reader import GATE, SOURCE, Definition, Step

NO_INPUTS: Final = sha256(b"{}").hexdigest()


def compact(value: Any) -> str:
    """JSON without blanks, keys in the order of the data, nothing escaped but what must be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def canonical_text(definition: Definition) -> str:
    """The document as it was understood, defaults written out."""
    return compact(
        {
            "schema_version": definition.schema_version,
            "name": definition.name,
            "version": definition.version,
            "description": definition.description,
            "steps": {name: _step(definition.steps[name]) for name in sorted(definition.steps)},
            "edges": [list(edge) for edge in definition.edges],
            # An extension, see `_step`.
            **({"inputs": _inputs(definition)} if definition.inputs else {}),
        }
    )


def workflow_hash(definition: Definition) -> str:
    """SHA-256 of the canonical text."""
    return sha256(canonical_text(definition).encode()).hexdigest()


def run_id(definition_hash: str, counter: int, inputs_hash: str = NO_INPUTS) -> str:
    """The id of the run of a definition that `counter` runs came before."""
    return sha256(f"{definition_hash}:{inputs_hash}:".encode() + counter.to_bytes(8, "little")).hexdigest()[:16]


def _step(step: Step) -> dict[str, Any]:
    return {
        "kind": step.kind,
        **_own(step),
        "capabilities": list(step.capabilities),
        "inputs": _sorted(step.inputs),
        "outputs": _sorted(step.outputs),
        "depends_on": list(step.depends_on),
        "timeout_ms": step.timeout_ms,
        "retry": step.retry
        and {
            "max_attempts": step.retry.max_attempts,
            "on_transient": step.retry.on_transient,
            "retry_on": list(step.retry.retry_on),
        },
        "budget": step.budget and {"max_tokens": step.budget.max_tokens, "max_calls": step.budget.max_calls},
        "required_capability_versions": _sorted(step.required_capability_versions),
        # An extension: absent where it is not used, so that the hash of other documents stays the reference's.
        **({"self_approval": True} if step.self_approval else {}),
    }


def _inputs(definition: Definition) -> dict[str, Any]:
    return {
        name: {"type": declared.type, "secret": declared.secret, "default": declared.default, "description": declared.description}
        for name, declared in sorted(definition.inputs.items())
    }


def _own(step: Step) -> dict[str, Any]:
    if step.kind == SOURCE:
        return {"source": step.source}
    if step.kind == GATE:
        return {"required_role": step.required_role, "condition": step.condition}
    return {"description": step.description}


def _sorted(values: Any) -> dict[str, str]:
    return {name: values[name] for name in sorted(values)}
