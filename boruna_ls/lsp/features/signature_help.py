"""textDocument/signatureHelp: the parameters of the call that is being written."""

from __future__ import annotations

from typing import Final

from lsprotocol import types

from analysis.ide.call_signature import call_signature
from boruna_ls.lsp.session import Session

OPTIONS: Final = types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=[")"])


def signature_help(session: Session, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """The signature of the innermost call, the parameter at the cursor marked."""
    file = session.file(params.text_document.uri)
    call = call_signature(session.db, file, session.offset(session.text(file), params.position))
    if call is None:
        return None
    knows_offsets = session.supports(
        "text_document.signature_help.signature_information.parameter_information.label_offset_support"
    )
    labels = [span if knows_offsets else call.label[slice(*span)] for span in call.parameters]
    doc = types.MarkupContent(types.MarkupKind.Markdown, call.doc) if call.doc else None
    signature = types.SignatureInformation(call.label, doc, [types.ParameterInformation(label) for label in labels])
    return types.SignatureHelp([signature], active_signature=0, active_parameter=call.active)
