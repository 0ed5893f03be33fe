"""Fixes of capabilities that concern several items: W401 on a whole chain of calls, W403 in the policies of an app."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from analysis.database import Database
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.file_rules.app_effects import capabilities_field, policy_literal
from analysis.diagnostics.file_rules.file_problems import file_problems
from analysis.diagnostics.file_rules.problem import Problem
from analysis.diagnostics.file_rules.unused_capabilities import file_reached, with_capability
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree, file_declarations
from analysis.semantics.environment import environment
from analysis.semantics.literal_values import file_literals
from analysis.syntax.tree import Function, ListLiteral, RecordLiteral, walk
from analysis.text.edits import Confidence, Edit, Fix


def capability_fixes(db: Database, file: FileId, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The fixes of a W401 or a W403 besides its own, with absolute spans."""
    if diagnostic.code == "W401":
        yield from _on_the_chain(db, file, diagnostic.name)
    elif diagnostic.capability:
        yield from _allowed(db, file, diagnostic.capability)


# ---- W401 -------------------------------------------------------------------------------------------------------------


def _on_the_chain(db: Database, file: FileId, name: str) -> Iterator[Fix]:
    """Declares what a function lacks on all functions that call it, or that it calls, and lack it as well."""
    lacking = {item.name: (number, item, set(problem.rename.split(", "))) for number, item, problem in _undeclared(db, file)}
    if name not in lacking:
        return
    wanted = lacking[name][2]
    reached = file_reached(db, file)
    callers: defaultdict[str, list[str]] = defaultdict(list)
    for caller, others in reached.items():
        for other in others or ():
            callers[other].append(caller)
    chain = _closure(name, {caller: others or () for caller, others in reached.items()}) | _closure(name, callers)
    edits: list[Edit] = []
    names: list[str] = []
    text = source(db, file)
    for other, (number, item, missing) in lacking.items():
        common = sorted(missing & wanted)
        if other in chain and common:
            base = text.offsets[number]
            names.append(other)
            own_edits = with_capability(item, ", ".join(common)).edits
            edits += [Edit((edit.span[0] + base, edit.span[1] + base), edit.new_text) for edit in own_edits]
    if len(names) > 1:
        listed = ", ".join(f"'{function}'" for function in names)
        description = f"declare {', '.join(sorted(wanted))} on the whole chain: {listed}"
        yield Fix("W401-declare-chain", description, Confidence.MEDIUM, "these functions call each other", tuple(edits))


def _undeclared(db: Database, file: FileId) -> Iterator[tuple[int, Function, Problem]]:
    text = source(db, file)
    starts = text.grouped.starts
    for number, problems in enumerate(file_problems(db, file)):
        for index, problem in problems.rows:
            if problem.code == "W401":
                chunk = starts[number] + index
                functions = [item for item in chunk_tree(db, text.chunks[chunk].text).items if isinstance(item, Function)]
                yield chunk, functions[problem.place.number], problem


def _closure(name: str, leads: Mapping[str, Iterable[str]]) -> set[str]:
    callers = {name}
    todo = [name]
    while todo:
        for other in leads.get(todo.pop(), ()):
            if other not in callers:
                callers.add(other)
                todo.append(other)
    return callers


# ---- W403 -------------------------------------------------------------------------------------------------------------


def _allowed(db: Database, file: FileId, capability: str) -> Iterator[Fix]:
    """Adds a capability to the list that `policies` answers."""
    literals = [(chunk, literal) for chunk, literal in file_literals(db, file) if literal.function == "policies"]
    results = [
        function.result for fact in file_declarations(db, file) for function in fact.functions if function.name == "policies"
    ]
    declared = environment(db, file).types.get(results[-1] or "") if results else None
    if declared is None or policy_literal([literal for _, literal in literals], declared) is None:
        return
    chunk = next(chunk for chunk, literal in literals if literal.type == declared.name)
    text = source(db, file)
    field = capabilities_field(declared)
    for item in chunk_tree(db, text.chunks[chunk].text).items:
        for node in walk(item):
            if isinstance(node, RecordLiteral) and node.name == declared.name:
                given = next((entry.value for entry in node.fields if entry.name == field), None)
                if isinstance(given, ListLiteral):
                    base = text.offsets[chunk]
                    at = given.items[-1].end if given.items else given.start + 1
                    new = f', "{capability}"' if given.items else f'"{capability}"'
                    rationale = "the host refuses effects that the policies do not allow"
                    edits = (Edit((base + at, base + at), new),)
                    yield Fix(f"W403-allow-{capability}", f"allow {capability}", Confidence.LOW, rationale, edits)
                    return
