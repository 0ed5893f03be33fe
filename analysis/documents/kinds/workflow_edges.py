"""The data along the edges of a workflow: the type that a step returns, against the use that the next one makes of it.

Only what is certain is reported: a declared result that the body keeps to, or the one type that all ends of the body have; an
input that is read by a literal name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from analysis.database import Database, paced
from analysis.diagnostics.diagnostic import Diagnostic, Severity, Tag
from analysis.documents.files import named_files
from analysis.documents.step_programs import HEADS, Reads, Result, Use, clash, step_reads, step_result
from analysis.inputs import FileId, source
from analysis.semantics.spelling import closest
from analysis.syntax.escaping import quoted
from analysis.text.edits import Span
from analysis.workflow.reader import GATE, SOURCE, Definition, Document, Step

_GATE: Final = Result("Map<String, String>", "Map")
_TRIGGER: Final = Result("String", "String")
_OUTPUT: Final = "result"


def edge_diagnostics(db: Database, file: FileId, document: Document) -> Iterator[Diagnostic]:
    """The diagnostics about data that flows between steps."""
    definition = document.definition
    files = {named.path: named.file for named in named_files(db, file) if named.file is not None}
    for name, step in paced(definition.steps.items()):
        program = files.get(step.source) if step.kind == SOURCE else None
        if program is not None:
            yield from _Step(db, document, files, name, step, program).diagnostics()


def output_of(db: Database, definition: Definition, files: Mapping[str, FileId], name: str) -> Result | None:
    """Result of a step; None if it is not certain."""
    step = definition.steps.get(name)
    if step is None:
        return None
    if step.kind != SOURCE:
        return _GATE if step.kind == GATE else _TRIGGER
    program = files.get(step.source)
    return step_result(db, program) if program is not None else None


class _Step:
    """A step whose program exists."""

    def __init__(
        self, db: Database, document: Document, files: Mapping[str, FileId], name: str, step: Step, program: FileId
    ) -> None:
        self._db = db
        self._document = document
        self._files = files
        self._name = name
        self._step = step
        self._program = program

    def diagnostics(self) -> Iterator[Diagnostic]:
        reads = step_reads(self._db, self._program)
        yield from self._missing(reads)
        yield from self._unused(reads)
        reported = set()
        for use in reads.uses:
            given = self._source_of(use.input)
            if given is not None and use.input not in reported and clash(use, given[1]):
                reported.add(use.input)
                yield self._clash(use, *given)

    def _source_of(self, name: str) -> tuple[str, Result] | None:
        """The step that an input comes from, and what that returns."""
        step, dot, output = self._step.inputs.get(name, "").partition(".")
        result = output_of(self._db, self._document.definition, self._files, step) if dot and output == _OUTPUT else None
        return (step, result) if result is not None else None

    def _missing(self, reads: Reads) -> Iterator[Diagnostic]:
        for name, span in reads.names:
            if name not in self._step.inputs:
                message = f"step {quoted(self._name)} reads the input {quoted(name)} ({self._at(span[0])}), which it is not given"
                near = closest(name, self._step.inputs)
                advice = f"did you mean `{near}`?" if near else f'add "{name}": "STEP.{_OUTPUT}" to its `inputs`'
                at, keys = ("steps", self._name), self._document.keys
                place = keys.get((*at, "inputs")) or keys.get(at) or (0, 0)
                yield Diagnostic("missing_input", Severity.WARNING, message, place, advice, name=name)

    def _unused(self, reads: Reads) -> Iterator[Diagnostic]:
        read_names = {name for name, _ in reads.names}
        for name in self._step.inputs if reads.is_all else ():
            if name not in read_names:
                message = f"step {quoted(self._name)} does not read its input {quoted(name)}"
                span = self._document.keys.get(("steps", self._name, "inputs", name), (0, 0))
                yield Diagnostic("unused_input", Severity.HINT, message, span, tags=(Tag.UNNECESSARY,), name=name)

    def _clash(self, use: Use, step: str, given: Result) -> Diagnostic:
        wanted = {
            "cut": f"reads {quoted(use.input)} as {use.meant}",
            "helper": f"reads {quoted(use.input)} as {use.meant}",
            "number": f"takes all of {quoted(use.input)} for a number with `{use.meant}`",
            "compared": f"compares {quoted(use.input)} with {quoted(use.meant)}",
        }[use.kind]
        message = f"step {quoted(self._name)} {wanted} ({self._at(use.offset)}), but {quoted(step)} returns {given.type}"
        shown = f"{HEADS[given.tag]}…}}" if given.tag in HEADS else "tagged JSON"
        advice = f"an input is the JSON text of the value: {shown}"
        if use.kind in ("cut", "helper"):
            advice += f", not {HEADS[use.meant]}…}}"
        span: Span = self._document.spans.get(("steps", self._name, "inputs", use.input), (0, 0))
        return Diagnostic("input_type", Severity.WARNING, message, span, advice, name=use.input)

    def _at(self, offset: int) -> str:
        return f"{self._step.source}:{source(self._db, self._program).position(offset)[0] + 1}"
