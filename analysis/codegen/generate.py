"""The code of the functions of one chunk, given what its names mean: a query, so an edit of one function costs that one only.

Indexes of constants count from the function's own first constant; spans count from the chunk's start.
"""

from __future__ import annotations

from analysis.bytecode.module import CAPABILITY_BY_SOURCE_NAME, Arm, Constant, LocalName, Op
from analysis.codegen import statements
from analysis.codegen.expressions import EMITTERS
from analysis.codegen.index import Given, Meanings, mentioned
from analysis.codegen.output import MOST, UNIT, Output, Problem
from analysis.codegen.shape import Leaves
from analysis.codegen.want import Want
from analysis.data_classes import dataclass
from analysis.database import Database, query
from analysis.inputs import CHUNK
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.occurrences import GLOBAL, RESULT, Resolved
from analysis.semantics.scopes import resolved
from analysis.syntax import tree as t


@dataclass(frozen=True, slots=True)
class Unit:
    """One function. Code with a `problem`, or of a refused body, must not be used.

    `refused`: its body breaks a rule about names or arity, which comes before all problems of code generation.
    """

    name: str
    arity: int
    locals: int
    code: tuple[Op, ...]
    constants: tuple[Constant, ...]
    capabilities: tuple[str, ...]
    intent: str | None
    match_tables: tuple[tuple[Arm, ...], ...]
    spans: tuple[tuple[int, int], ...]
    field_names: tuple[tuple[int, str], ...]
    parameters: tuple[str, ...]
    local_names: tuple[LocalName, ...]
    refused: bool
    problem: Problem | None


@query(limit=20_000, subject=CHUNK)
def generated(db: Database, text: str, given: Given) -> tuple[Unit, ...]:
    """The functions of a chunk that parses, in source order."""
    meanings = Meanings(mentioned(db, text), given)
    names = resolved(db, text)
    return tuple([_unit(item, meanings, names) for item in chunk_tree(db, text).items if isinstance(item, t.Function)])


def _unit(item: t.Function, meanings: Meanings, names: Resolved) -> Unit:
    out = Output(meanings, names, EMITTERS)
    _function(out, item)
    out.close()
    return Unit(
        item.name,
        len(item.parameters),
        out.slots % 65536,
        tuple(out.code),
        tuple(out.constants),
        tuple(out.capabilities),
        item.intent.raw if item.intent else None,
        tuple(out.tables),
        tuple(out.spans),
        tuple(out.field_names),
        tuple([parameter.name for parameter in item.parameters]),
        tuple(sorted(out.local_names, key=_beginning)),
        out.refused,
        out.problem,
    )


def _beginning(local: LocalName) -> int:
    return local.start


def _function(out: Output, item: t.Function) -> None:
    for capability in item.capabilities:
        definition = CAPABILITY_BY_SOURCE_NAME.get(capability.name)
        if definition is not None:
            out.capabilities.append(definition.enum_name)
    for parameter in item.parameters:
        out.bind(parameter.name, parameter.start, out.slot())
    out.in_contract = True
    for number, clause in enumerate(item.requires):
        _clause(out, clause, f"precondition {number + 1} failed in `{item.name}`", "Requires", number)
    out.in_contract = False
    if item.ensures:
        _body_with_checks(out, item)
    else:
        _body(out, item.body)
    if len(item.parameters) > MOST:
        count = len(item.parameters)
        name = t.Node(item.at, item.at + len(item.name))
        out.refuse(f"function `{item.name}` has {count} parameters; max {MOST}", name)


def _clause(out: Output, clause: t.Expr, message: str, kind: str, number: int) -> None:
    with out.block():
        out.value(clause)
    out.emit(("Assert", out.constant(("String", message)), kind, number), clause)


def _body(out: Output, body: t.Block) -> None:
    leaves = out.shapes.of(body)
    statements.run(out, body, Want.VALUE if leaves is Leaves.MIXED else Want.PLAIN)
    end = t.Node(max(body.end - 1, body.start), body.end)
    if leaves is Leaves.NONE:
        out.push(UNIT, end)
    if leaves is not Leaves.NEVER or not out.code or out.code[-1] != ("Ret",):
        out.emit(("Ret",), end)


def _body_with_checks(out: Output, item: t.Function) -> None:
    """Every exit leads to the checks, with its value on the stack (chapter 26 S13)."""
    body = item.body
    end = t.Node(max(body.end - 1, body.start), body.end)
    out.exits = []
    last = body.statements[-1] if body.statements else None
    if isinstance(last, t.Return):
        statements.run(out, t.Block(body.start, last.start, body.statements[:-1]), Want.NOTHING)
        statements.leave(out, last)
    else:
        leaves = out.shapes.of(body)
        statements.run(out, body, Want.VALUE if leaves is Leaves.MIXED else Want.PLAIN)
        if leaves is Leaves.NONE:
            out.push(UNIT, end)
    exits, out.exits = out.exits, None
    checks = len(out.code)
    result = out.slot()
    out.emit(("StoreLocal", result), end)
    out.slot_of[RESULT] = result
    out.in_contract = True
    for number, clause in enumerate(item.ensures):
        _clause(out, clause, f"postcondition {number + 1} failed in `{item.name}`", "Ensures", number)
    out.emit(("LoadLocal", result), end)
    out.emit(("Ret",), end)
    _land(out, exits, checks, item)


def _land(out: Output, exits: list[tuple[int, int]], checks: int, item: t.Function) -> None:
    """Leads early exits to the checks, which see variables where they are at the body's end.

    Where a name means another slot at an exit (its last `let` comes later), its value is copied on the way.
    """
    own = {at: local for at, local in out.names.locals.items() if item.start <= at < item.body.end and local.level == 0}
    meant = {
        name.name: local
        for clause in item.ensures
        for name in t.walk(clause)
        if isinstance(name, t.Name) and (local := own.get(out.names.uses.get(name.start, GLOBAL))) is not None
    }
    for jump, at in exits:
        before = {local.name: local for local in own.values() if local.is_visible(at)}
        moved = [name for name in sorted(meant) if before.get(name, meant[name]) is not meant[name]]
        out.code[jump] = ("Jmp", len(out.code) if moved else checks)
        for name in moved:
            out.emit(("LoadLocal", out.slot_of[before[name].at]), item.body)
            out.emit(("StoreLocal", out.slot_of[meant[name].at]), item.body)
        if moved:
            out.emit(("Jmp", checks), item.body)
