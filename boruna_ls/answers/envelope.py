"""What all answers have in common: success and protocol version, freshness, errors of a text that cannot be parsed."""

from __future__ import annotations

import json
from typing import Any, Final

from analysis.inputs import FileId
from boruna_ls.workspace import Host

PROTOCOL_VERSION: Final = 1
"""Of the answers' fields, not of MCP."""


def success(**fields: Any) -> dict[str, Any]:
    """An answer that the question was answered, whatever was found."""
    return {"success": True, "protocol_version": PROTOCOL_VERSION, **fields}


def failure(**fields: Any) -> dict[str, Any]:
    """An answer that says why there is no other."""
    return {"success": False, "protocol_version": PROTOCOL_VERSION, **fields}


def limit_exceeded(kind: str, limit: int, message: str) -> dict[str, Any]:
    """The answer of a question that met a limit of the server; `limit` in milliseconds or bytes."""
    return failure(error_kind="limit_exceeded", limit_kind=kind, limit=limit, message=message)


def with_freshness(answer: dict[str, Any], host: Host, file: FileId) -> dict[str, Any]:
    """The answer with the state of the file that it describes."""
    answer["freshness"] = host.freshness(file).as_dict()
    return answer


def described(answer: dict[str, Any], revision: str) -> dict[str, Any]:
    """The answer with `freshness`, if it has none: it describes no file, only the moment at which it was made.

    Every tool's answer and every `--json` goes through here, so that none can be without.
    """
    answer.setdefault("freshness", no_file(revision))
    return answer


def no_file(revision: str) -> dict[str, Any]:
    """The freshness of what describes no file."""
    return {"revision": revision, "coverage": {"checked": 0, "total": 0}}


class RawValue(str):
    """A value that is JSON text already, nested `depth` levels deep."""

    __slots__ = ("depth",)
    depth: int

    def __new__(cls, text: str, depth: int = 0) -> RawValue:
        made = super().__new__(cls, text)
        made.depth = depth
        return made


class RawList(list[str]):
    """Elements of a list that are JSON texts already."""

    def text(self) -> str:
        """The JSON text of the list."""
        return f"[{','.join(self)}]"


def as_text(answer: Any) -> str:
    """An answer, or a part of one, as compact JSON: keys sorted, nothing escaped but what JSON asks for."""
    if isinstance(answer, dict) and any(isinstance(value, RawList | RawValue) for value in answer.values()):
        parts = (f"{as_text(key)}:{_part(answer[key])}" for key in sorted(answer))
        return f"{{{','.join(parts)}}}"
    return json.dumps(answer, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _part(value: Any) -> str:
    if isinstance(value, RawValue):
        return str(value)
    return value.text() if isinstance(value, RawList) else as_text(value)
