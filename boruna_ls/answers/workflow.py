"""The answer about a workflow definition: what is wrong with it and where, or its graph (spec chapter 16, section 2)."""

from __future__ import annotations

from typing import Any, Final

from analysis.database import Database
from analysis.documents.kinds.workflow import between_steps
from analysis.inputs import FileId, source
from analysis.workflow.json_scanner import JsonError
from analysis.workflow.locate import Lines, dotted, span_of
from analysis.workflow.reader import Document, read_definition
from analysis.workflow.validation import Problem, Validation, validate
from boruna_ls.answers.envelope import failure, limit_exceeded, success

LARGEST_DOCUMENT: Final = 2 << 20
"""Characters of a definition: some 15,000 steps."""


def validation_answer(text: str) -> dict[str, Any]:
    """Validation of a workflow's text: its order if it is valid, and all its errors if it can be read."""
    validation = validated(text)
    return validation if isinstance(validation, dict) else described(validation)


def validated(text: str) -> Validation | dict[str, Any]:
    """The validation of a text, or the answer that it cannot be read."""
    if len(text) > LARGEST_DOCUMENT:
        message = f"the workflow has {len(text)} characters; at most {LARGEST_DOCUMENT} are read: split it into several workflows"
        return limit_exceeded("document", LARGEST_DOCUMENT, message)
    try:
        return validate(read_definition(text))
    except JsonError as error:
        place = {"line": error.line, "column": error.column} if error.line else {"line": None, "column": None}
        return failure(
            error_kind="parse_error",
            message=f"invalid workflow JSON: {error}",
            valid=False,
            code="parse_error",
            path=dotted(error.path),
            **place,
        )


def document_answer(db: Database, file: FileId) -> dict[str, Any]:
    """The same for a document in its folder: with what is found in the programs of its steps among the `problems`."""
    text = source(db, file)
    validation = validated(text.text)
    if isinstance(validation, dict):
        return validation
    answer = described(validation)
    more = []
    for diagnostic in between_steps(db, file, validation.document):
        (line, column), (end_line, end_column) = map(text.byte_position, diagnostic.span)
        entry = {"severity": diagnostic.severity.value, "code": diagnostic.code, "message": diagnostic.message}
        place = {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
        more.append({**entry, **place, **({"help": diagnostic.help} if diagnostic.help else {})})
    if more:
        answer["problems"] = [*answer.get("problems", ()), *more]
    return answer


def described(validation: Validation) -> dict[str, Any]:
    """A validation as an answer."""
    document, graph = validation.document, validation.graph
    lines = Lines(document.text)
    warnings = [problem_entry(document, lines, problem) for problem in validation.warnings]
    if validation.errors:
        errors = [problem_entry(document, lines, problem) for problem in validation.errors]
        answer = failure(error_kind="validation_error", valid=False, errors=errors)
    else:
        definition = document.definition
        answer = success(
            valid=True,
            workflow_name=definition.name,
            workflow_version=definition.version,
            steps_count=len(definition.steps),
            edges_count=len(definition.edges),
            execution_order=list(graph.order),
            edges=[list(edge) for edge in graph.edges],
            levels=[list(level) for level in graph.levels],
        )
    if warnings:
        answer["problems"] = warnings
    return answer


def problem_entry(document: Document, lines: Lines, problem: Problem) -> dict[str, Any]:
    """A problem with its place: line from 1, column from 1 in bytes, the end exclusive."""
    start, end = span_of(document, problem)
    line, column = lines.place(start)
    end_line, end_column = lines.place(end)
    entry: dict[str, Any] = {"kind": problem.kind} if problem.kind else {"severity": "warning"}
    entry |= {"code": problem.code, "message": problem.message, "path": dotted(problem.path)}
    entry |= {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
    if problem.steps:
        entry["steps"] = list(problem.steps)
    if problem.cycle:
        entry["cycle"] = list(problem.cycle)
    if problem.suggestion is not None:
        entry["suggestion"] = problem.suggestion
    return entry
