"""`refactor_code`: every other refactoring by its name; without one it tells which apply."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from analysis.ide.refactor.change import Change, Refusal, tried
from analysis.ide.refactor.change_signature import Wanted, change_signature
from analysis.ide.refactor.move_item import move_item, with_library
from analysis.ide.refactor.table import offered, performed
from analysis.ide.rename import unparsed
from analysis.inputs import FileId
from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import FIRST_ERROR, Arguments, Name, refusal
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.editing import EDIT_FIELDS, EDITS, EditingArguments, Plan, Range, answered, planned, span_of
from boruna_ls.mcp.tools.located import PlaceArguments, located, others, program
from boruna_ls.workspace import Priority

Kind = Literal[
    "extract_variable", "inline_function", "if_to_match", "match_to_if", "while_to_for", "for_to_while", "flip_binary",
    "add_missing_arms", "add_missing_fields", "create_function", "create_record", "create_variant", "remove_parameter",
    "move_parameter_left", "move_parameter_right", "change_signature", "move_item",
]  # fmt: skip


class ParameterChange(Arguments):
    """A parameter of the new signature: a present one by its number, or a new one."""

    number: int | None = Field(None, description="Present parameter, from 0", ge=0, le=254)
    name: Name | None = Field(None, description="Or the new one's name")
    type: Annotated[str, Field(max_length=1000)] | None = Field(None, description="Its type")
    value: Annotated[str, Field(max_length=10_000)] | None = Field(None, description="What calls pass")


class RefactorCodeParams(EditingArguments, PlaceArguments):
    kind: Kind | None = Field(None, description="Refactoring to do (default: list those possible here)")
    range: Range | None = Field(None, description="Instead of a position: a selection")
    new_name: str = Field("", description="Of an extracted variable", max_length=200)
    parameters: Annotated[list[ParameterChange], FIRST_ERROR] | None = Field(
        None, description="For change_signature: the new parameters", max_length=255
    )
    library: Name | None = Field(None, description="For move_item: the library, created if missing")


def _place(call: Call[RefactorCodeParams]) -> tuple[FileId, tuple[int, int]]:
    if call.arguments.range is None:
        file, offset = located(call)
        return file, (offset, offset)
    if call.arguments.position is not None or call.arguments.symbol is not None:
        raise refusal("range", "give one of `range`, `position` and `symbol`")
    file = program(call)
    return file, span_of(call, file, call.arguments.range, "range")


def _plan(call: Call[RefactorCodeParams]) -> Plan:
    file, span = _place(call)
    db, arguments = call.host.db, call.arguments
    if arguments.kind is None:
        offers = [
            {"kind": offer.refactoring.name, "title": offer.refactoring.title}
            | ({"refused": offer.refusal.reason} if offer.refusal is not None else {})
            for offer in offered(db, file, span)
        ]
        if not offers and (refused := unparsed(db, file, span[0])):
            return planned(call, file, refused)
        return Plan(success(refactorings=offers, freshness=call.host.freshness(file).as_dict()))
    looked_at: list[FileId] = []
    base = db
    change: Change | Refusal | None
    if arguments.kind == "change_signature":
        looked_at = list(others(call, file))
        if arguments.parameters is None:
            raise refusal(
                "parameters", "argument `parameters` is missing: change_signature needs all parameters of the new signature"
            )
        wanted = [
            Wanted(parameter.number, parameter.name or "", parameter.type or "", parameter.value or "")
            for parameter in arguments.parameters
        ]
        change = change_signature(db, file, span[0], wanted, looked_at)
        change = tried(db, change, looked_at) if isinstance(change, Change) else change
    elif arguments.kind == "move_item":
        looked_at = list(others(call, file))
        if not arguments.library:
            raise refusal("library", "argument `library` is missing: move_item needs the name of a library")
        change = move_item(db, file, span[0], arguments.library)
        if isinstance(change, Change):
            if change.new_files:
                base = db.branch()
                with_library(base, file, change)
            change = tried(base, change, looked_at)
    else:
        change = performed(db, file, span, arguments.kind, lambda: others(call, file), arguments.new_name)
    change = change or unparsed(db, file, span[0]) or Refusal(f"`{arguments.kind}` does not apply here")
    return planned(call, file, change, looked_at, base)


async def run(call: Call[RefactorCodeParams]) -> dict[str, Any]:
    return await answered(call, _plan)


TOOL: Final = Tool(
    name="refactor_code",
    title="Refactor",
    description=(
        "Refactorings that preserve the meaning: extract variable, inline function, `if` to `match` "
        "and back, `while` to `for` and back, flip operands, missing arms and fields, create function, record or variant, change "
        "signature with all callers, move to a library. Without `kind` it lists which apply, and why others do not."
    ),
    arguments=RefactorCodeParams,
    answer_fields=EDIT_FIELDS | {"refactorings": {"type": "array", "items": {"type": "object"}}},
    run=run,
    priority=Priority.WORKSPACE,
    example={"path": "app.ax", "kind": "flip_binary", "position": {"line": 3, "column": 10}},
    hints=EDITS,
)
