"""Tasks as questions to a person: the asking program, the prompt quoted as data, a schema as a form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from analysis.ide.markdown import visible
from analysis.syntax.escaping import quoted
from boruna_ls.executions.records import Execution, LoggedCall

TEXT_FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "title": "Answer"}},
    "required": ["answer"],
}
"""The form of a task whose answer is not a form by itself."""
_PLAIN: Final = frozenset(("string", "integer", "number", "boolean"))


def question_of(execution: Execution, task: LoggedCall) -> str:
    """Text of a task as a person sees it: the prompt is the program's, not ours."""
    head = f"The program {quoted(execution.program_id)} (execution {quoted(execution.execution_id)}) asks:"
    refusal = f"\n\n(The last answer was refused: {visible(task.refusal)})" if task.refusal is not None else ""
    return f"{head}\n\n{visible(task.prompt)}{refusal}"


def form_of(schema: str | None) -> dict[str, Any] | None:
    """The form that a schema is by itself, an object whose properties are plain; None for any other."""
    if schema is None:
        return None
    wanted = json.loads(schema)
    properties = wanted.get("properties") if isinstance(wanted, dict) and wanted.get("type") == "object" else None
    if not isinstance(properties, dict) or not properties:
        return None
    if any(not isinstance(field, dict) or field.get("type") not in _PLAIN for field in properties.values()):
        return None
    return {"type": "object", "properties": properties, "required": wanted.get("required", [])}


def answer_in(content: Mapping[str, Any], schema: str | None) -> Any:
    """The answer of a task in its filled form; None if there is none."""
    return content.get("answer") if form_of(schema) is None else dict(content)
