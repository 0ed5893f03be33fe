"""Problems of a definition that could be read: errors in the reference's order and words, and warnings of ours
(spec chapter 16, section 4 and quirks Q1 to Q13). Every problem has a code, a path in the document and a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from analysis.data_classes import dataclass
from analysis.semantics.spelling import closest
from analysis.workflow.graph import Graph, cycles, graph_of, unordered_reads
from analysis.workflow.json_scanner import Path
from analysis.workflow.reader import GATE, SOURCE, Definition, Document, Step
from analysis.workflow.run_inputs import INPUTS

_OUTPUT: Final = "result"
_NEAR_NAMES_OF: Final = 2000
"""With more steps than this no near names are looked for."""
_MOST_NEAR_NAMES: Final = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """`kind` is the reference's word for an error, "" for a warning. `steps` are the ids that it is about."""

    kind: str
    code: str
    message: str
    path: Path
    steps: tuple[str, ...] = ()
    suggestion: str | None = None
    cycle: tuple[str, ...] = ()
    on_key: bool = False
    """True if its place is the key at `path`, not the value."""


@dataclass(frozen=True, slots=True)
class Validation:
    """A document with its graph and its problems; it is valid without errors."""

    document: Document
    graph: Graph
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def validate(document: Document) -> Validation:
    """Judges a definition."""
    definition = document.definition
    graph = graph_of(definition)
    errors = tuple(_errors(definition, graph))
    return Validation(document, graph, errors, tuple(_warnings(document, graph)))


def _errors(definition: Definition, graph: Graph) -> Iterator[Problem]:
    near = _NearNames(definition)
    if not definition.name:
        yield Problem("MissingField", "empty_name", "workflow name is empty", ("name",))
    if not definition.version:
        yield Problem("MissingField", "empty_version", "workflow version is empty", ("version",))
    if not definition.steps:
        yield Problem("EmptyWorkflow", "no_steps", "workflow has no steps", ("steps",))
    for number, edge in enumerate(definition.edges):
        for end, name in enumerate(edge):
            if name not in definition.steps:
                message = f"edge references unknown step '{name}'"
                yield Problem("UnknownStep", "unknown_step", message, ("edges", number, end), (name,), near.of(name))
    yield from _unknown_dependencies(definition, near)
    yield from _unknown_inputs(definition, near)
    for name in sorted(definition.steps):
        step = definition.steps[name]
        if step.kind == SOURCE and not step.source:
            message = f"step '{name}' has empty source path"
            yield Problem("MissingField", "empty_source", message, ("steps", name, "source"), (name,))
    yield from _repeated_edges(definition)
    if (cycle := graph.cycle_message) is not None:
        yield from _cycle_errors(definition, cycle)


def _unknown_dependencies(definition: Definition, near: _NearNames) -> Iterator[Problem]:
    for name in sorted(definition.steps):
        for number, dependency in enumerate(definition.steps[name].depends_on):
            if dependency not in definition.steps:
                message = f"step '{name}' depends on unknown step '{dependency}'"
                path = ("steps", name, "depends_on", number)
                yield Problem("UnknownStep", "unknown_step", message, path, (name, dependency), near.of(dependency))


def _unknown_inputs(definition: Definition, near: _NearNames) -> Iterator[Problem]:
    for name in sorted(definition.steps):
        inputs = definition.steps[name].inputs
        for key in sorted(inputs):
            read, dot, _ = inputs[key].partition(".")
            path = ("steps", name, "inputs", key)
            if not dot:
                message = f"step '{name}' input '{key}' has invalid ref format '{inputs[key]}' (expected 'step.output')"
                suggestion = f"{read}.{_OUTPUT}" if read in definition.steps else None
                yield Problem("UnknownInput", "invalid_reference", message, path, (name,), suggestion)
            elif read == INPUTS and definition.inputs:
                wanted = inputs[key].partition(".")[2]
                if wanted not in definition.inputs:
                    message = f"step '{name}' input '{key}' references unknown input '{wanted}' of the run"
                    nearest = closest(wanted, list(definition.inputs))
                    suggestion = f"{INPUTS}.{nearest}" if nearest else None
                    yield Problem("UnknownInput", "unknown_input", message, path, (name,), suggestion)
            elif read not in definition.steps:
                message = f"step '{name}' input '{key}' references unknown step '{read}'"
                yield Problem("UnknownInput", "unknown_input", message, path, (name, read), near.of(read))


def _repeated_edges(definition: Definition) -> Iterator[Problem]:
    seen: set[tuple[str, str]] = set()
    for number, edge in enumerate(definition.edges):
        if edge in seen:
            yield Problem("DuplicateEdge", "duplicate_edge", f"duplicate edge: {edge[0]} -> {edge[1]}", ("edges", number), edge)
        seen.add(edge)


def _cycle_errors(definition: Definition, message: str) -> Iterator[Problem]:
    """One error, as the reference has it; it names the first real cycle, if there is one."""
    rings = cycles(definition)
    if not rings:
        # The order is wrong only because of unknown steps, which have errors of their own.
        yield Problem("CycleDetected", "cycle", message, ("steps",))
        return
    cycle = rings[0]
    yield Problem("CycleDetected", "cycle", message, ("steps", cycle[0]), cycle, cycle=cycle, on_key=True)


class _NearNames:
    """Steps whose ids look like a name; a document full of unknown names gets a bounded number of suggestions."""

    def __init__(self, definition: Definition) -> None:
        self._names = list(definition.steps) if len(definition.steps) <= _NEAR_NAMES_OF else []
        self._left = _MOST_NEAR_NAMES

    def of(self, name: str) -> str | None:
        if self._left == 0 or not self._names:
            return None
        self._left -= 1
        return closest(name, self._names)


def _warnings(document: Document, graph: Graph) -> Iterator[Problem]:
    definition = document.definition
    if document.inputs_problem:
        yield Problem("", "invalid_inputs", document.inputs_problem, (INPUTS,), on_key=True)
    for path in document.unknown:
        yield Problem("", "unknown_field", f"field `{path[-1]}` is not known and is ignored", path, on_key=True)
    for path in document.repeated:
        what = "step" if len(path) == 2 else "name"
        message = f"{what} '{path[-1]}' is given more than once: the last one counts"
        yield Problem("", "repeated_name", message, path, on_key=True)
    for name, key, read in unordered_reads(definition, graph):
        message = f"input '{key}' of '{name}' reads '{read}' which is not an ancestor"
        yield Problem("", "unordered_input", message, ("steps", name, "inputs", key), (name, read), f"depends_on: {read}")
    for name in sorted(definition.steps):
        yield from _step_warnings(name, definition.steps[name], definition)
    for extra in cycles(definition)[1:] if graph.cycle_message else ():
        message = f"another cycle: {' -> '.join((*extra, extra[0]))}"
        yield Problem("", "cycle", message, ("steps", extra[0]), extra, cycle=extra, on_key=True)


def _step_warnings(name: str, step: Step, definition: Definition) -> Iterator[Problem]:
    at: Path = ("steps", name)
    if reason := unsafe_name(name):
        yield Problem("", "unsafe_step_id", f"step id '{name}' {reason}", at, (name,), on_key=True)
    if step.kind == SOURCE and step.source and (reason := unsafe_path(step.source)):
        message = f"step '{name}' source '{step.source}' {reason}: a run refuses it"
        yield Problem("", "unsafe_path", message, (*at, "source"), (name,))
    for key in sorted(step.inputs):
        read, dot, output = step.inputs[key].partition(".")
        if dot and read in definition.steps and output != _OUTPUT:
            message = f"input '{key}' of '{name}' reads output '{output}': the only output of a step is '{_OUTPUT}'"
            yield Problem("", "unknown_output", message, (*at, "inputs", key), (name, read), f"{read}.{_OUTPUT}")
    for message, field in _without_effect(step):
        yield Problem("", "no_effect", f"step '{name}': {message}", (*at, *field), (name,))


def _without_effect(step: Step) -> Iterable[tuple[str, Path]]:
    if step.kind == GATE and step.condition is not None:
        yield "`condition` is not evaluated; a person decides", ("condition",)
    if step.budget and step.budget.max_tokens is not None:
        yield "`max_tokens` has no effect", ("budget", "max_tokens")
    if step.outputs and set(step.outputs) != {_OUTPUT}:
        yield f"`outputs` is documentation only; the output is called `{_OUTPUT}`", ("outputs",)
    if step.kind != SOURCE and step.timeout_ms is not None:
        yield "`timeout_ms` holds for programs only", ("timeout_ms",)
    if step.kind != SOURCE and step.retry is not None:
        yield "`retry` holds for programs only", ("retry",)


def unsafe_path(path: str) -> str | None:
    """Reason why the path of a source cannot be followed, None if it can: it must stay below the workflow's folder."""
    if "\0" in path or "\\" in path:
        return "holds a NUL or a backslash"
    if path.startswith("/") or (path[1:2] == ":" and path[:1].isalpha()):
        return "is absolute"
    parts = path.split("/")
    if ".." in parts:
        return "leaves the folder"
    if "" in parts or "." in parts:
        return "has an empty or `.` part"
    return None


def unsafe_name(name: str) -> str | None:
    """Reason why a step's id cannot be the name of a folder, None if it can; runs encode such ids."""
    if not name or name in (".", ".."):
        return "is no file name"
    return "holds a character that file names cannot have" if any(letter in "/\\\0" for letter in name) else None
