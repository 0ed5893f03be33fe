"""`signature_help`: the signature of the call around a place, and the parameter there."""

from __future__ import annotations

from typing import Any, Final

from analysis.ide.call_signature import call_signature
from analysis.ide.declaration_text import described
from analysis.ide.definition import definition
from analysis.ide.target import target_at
from analysis.semantics.builtins import BUILTINS
from boruna_ls.answers.envelope import success, with_freshness
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.located import PlaceArguments, located


class SignatureHelpParams(PlaceArguments):
    pass


def run(call: Call[SignatureHelpParams]) -> dict[str, Any]:
    file, offset = located(call)
    db = call.host.db
    if call.arguments.symbol is not None:
        return with_freshness(_of_symbol(call, *located(call)), call.host, file)
    signature = call_signature(db, file, offset)
    if signature is None:
        return with_freshness(
            success(signatures=[], active_parameter=None, note="this position is not inside a call"), call.host, file
        )
    parameters = [signature.label[start:end] for start, end in signature.parameters]
    entry = {"label": signature.label, "parameters": parameters, "documentation": signature.doc}
    active = signature.active if signature.active < len(parameters) else None
    answer = success(signatures=[entry], active_parameter=active)
    if active is None and parameters:
        answer["note"] = f"the call has too many arguments: the function takes {len(parameters)}"
    return with_freshness(answer, call.host, file)


def _of_symbol(call: Call[SignatureHelpParams], file: Any, offset: int) -> dict[str, Any]:
    db = call.host.db
    target = target_at(db, file, offset)
    if target is not None and target.name in BUILTINS and not target.places:
        builtin = BUILTINS[target.name]
        labels = [(builtin.signature, builtin.documentation)]
    else:
        labels = [(about.signature, about.doc) for place in definition(db, file, offset) for about in (described(db, place),)]
    return success(signatures=[{"label": label, "documentation": doc} for label, doc in labels], active_parameter=None)


TOOL: Final = Tool(
    name="signature_help",
    title="Signature of a call",
    description="Signature and documentation of the call around a position, and the parameter there; or of a `symbol`.",
    arguments=SignatureHelpParams,
    answer_fields={
        "signatures": {"type": "array", "items": {"type": "object"}},
        "active_parameter": {"type": ["integer", "null"]},
        "note": TEXT,
    },
    run=run,
    example={"code": "fn main() -> Int { list_get([1], ", "position": {"line": 1, "column": 32}},
)
