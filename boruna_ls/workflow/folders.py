"""Workflows on disk: the document of a folder, and all documents below one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

from analysis.workflow.json_scanner import JsonError
from analysis.workflow.reader import NO_SCHEMA_VERSION, Document, read_definition
from analysis.workflow.validation import validate
from boruna_ls import given
from boruna_ls.runtime.strict_json import JsonDefect, read_json
from boruna_ls.workspace.disk import read_regular

DOCUMENT: Final = "workflow.json"
LARGEST: Final = 16 << 20
"""Bytes of a document."""
OUTSIDE: Final = "the path leaves the workflow's folder"
NOT_UTF8: Final = "stream did not contain valid UTF-8"


class WorkflowError(Exception):
    """A command about workflows cannot be carried out; the message is a sentence."""


def os_error_text(error: OSError) -> str:
    """The system's text for an error about a file: `No such file or directory (os error 2)`."""
    return f"{error.strerror} (os error {error.errno})"


def read_text(path: str) -> str:
    """The text of a file, its line ends kept. Raises WorkflowError with the system's words."""
    try:
        return given.read(path).decode()
    except OSError as error:
        raise WorkflowError(os_error_text(error)) from None
    except UnicodeDecodeError:
        raise WorkflowError(NOT_UTF8) from None


def read_below(folder: str, path: str, limit: int) -> str:
    """The text of a regular file below a folder, which may have come from anywhere: a link that leads out is not followed.

    Raises WorkflowError with the system's words, or because the path leaves the folder or the file is larger than `limit` bytes.
    """
    place = placed_below(folder, path)
    try:
        data, _, _ = read_regular(place, limit)
        if len(data) > limit:
            raise WorkflowError(f"has more than {limit} bytes")
        return data.decode()
    except OSError as error:
        raise WorkflowError(os_error_text(error) if error.errno else f"it {error}") from None
    except UnicodeDecodeError:
        raise WorkflowError(NOT_UTF8) from None


def placed_below(folder: str, path: str) -> str:
    """Real path of a path below a folder. Raises WorkflowError if that is outside of the folder."""
    if "\0" in path:
        raise WorkflowError(OUTSIDE)
    inside = os.path.realpath(folder)
    place = os.path.realpath(os.path.join(inside, path))
    if place != inside and not place.startswith(os.path.join(inside, "")):
        raise WorkflowError(OUTSIDE)
    return place


def read_document(folder: str) -> str:
    """The text of a workflow's document. Raises WorkflowError."""
    return read_below(folder, DOCUMENT, LARGEST)


def read_folder(folder: str) -> Document:
    """The document of a workflow's folder. Raises WorkflowError."""
    path = f"{folder}/{DOCUMENT}"
    try:
        text = read_document(folder)
    except WorkflowError as error:
        raise WorkflowError(f"cannot read {path}: {error}") from None
    try:
        return read_definition(text)
    except JsonError as error:
        raise WorkflowError(f"invalid workflow.json: {error}") from None


def find(folder: str) -> list[dict[str, Any]]:
    """Every workflow below a folder, by path, with what is wrong with it."""
    paths = sorted(_documents(folder))
    return [{"path": path, **_summary(os.path.join(folder, os.path.dirname(path)))} for path in paths]


def _documents(folder: str) -> Iterator[str]:
    for place, _, names in os.walk(folder):
        if DOCUMENT in names:
            yield os.path.relpath(os.path.join(place, DOCUMENT), folder).replace(os.sep, "/")


def _summary(folder: str) -> dict[str, Any]:
    text = ""
    try:
        text = read_document(folder)
        _check_schema_version(text)
        document = read_definition(text)
        verdict = validate(document)
    except (WorkflowError, JsonError) as error:
        words = str(error) if isinstance(error, WorkflowError) or not error.line else f"invalid workflow.json: {error}"
        return {"name": _name_in(text), "steps": 0, "valid": False, "error": words}
    if verdict.errors:
        words = "; ".join(f"{problem.kind}: {problem.message}" for problem in verdict.errors)
        return {"name": document.definition.name, "steps": 0, "valid": False, "error": words}
    return {"name": document.definition.name, "steps": len(document.definition.steps), "valid": True}


def _check_schema_version(text: str) -> None:
    """A document of another version is named so, whatever else is wrong with it."""
    value = _object_in(text)
    version = value.get("schema_version")
    if value and version is None:
        raise WorkflowError(NO_SCHEMA_VERSION)
    if value and (isinstance(version, bool) or not isinstance(version, int) or version < 0):
        raise WorkflowError("invalid workflow.json: field `schema_version` must be a non-negative integer")


def _name_in(text: str) -> str:
    name = _object_in(text).get("name")
    return name if isinstance(name, str) else ""


def _object_in(text: str) -> dict[str, Any]:
    try:
        value = read_json(text)
    except (JsonDefect, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
