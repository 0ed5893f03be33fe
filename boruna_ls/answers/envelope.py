"""Common parts of all answers: success and protocol version, freshness, errors of a text that cannot be parsed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from analysis.database import checkpoint, paced
from analysis.inputs import FileId
from boruna_ls.workspace import Host

_FEW: Final = 2_000
"""Parts of a value that is written in one go."""
_LETTERS: Final = 100
"""Characters of a text that count as one more part."""
_TEXT: Final = 100_000
"""Characters of a text that are written in one go."""
_SLICE: Final = 100
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
        value = super().__new__(cls, text)
        value.depth = depth
        return value


class RawList(list[str]):
    """Elements of a list that are JSON texts already."""

    def text(self) -> str:
        """The JSON text of the list."""
        return f"[{','.join(self)}]"


def as_text(answer: Any) -> str:
    """An answer, or a part of one, as compact JSON: keys sorted, nothing escaped but what JSON asks for."""
    if isinstance(answer, dict) and any(isinstance(value, RawList | RawValue) for value in answer.values()):
        parts = (f"{as_text(key)}:{_part(answer[key])}" for key in paced(sorted(answer), 1))
        return f"{{{','.join(parts)}}}"
    if _is_small(answer):
        return json.dumps(answer, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "".join(_pieces(answer))


def _is_small(value: Any) -> bool:
    """True if a value has few parts: a text of megabytes is made in pieces, so that other work can run in between."""
    count, waiting = 0, [value]
    while waiting:
        inside = waiting.pop()
        if isinstance(inside, str):
            count += len(inside) // _LETTERS
        elif isinstance(inside, (dict, list, tuple)):
            count += len(inside)
            if count > _FEW:
                return False
            waiting += inside.values() if isinstance(inside, dict) else inside
    return True


def _pieces(value: Any) -> Iterator[str]:
    """The text of a value with many parts; one that is nested deeply is written by the library."""
    waiting: list[Any] = [value]
    while waiting:
        checkpoint()
        inside = waiting.pop()
        if isinstance(inside, _Written):
            yield inside
        elif isinstance(inside, dict) and not _is_small(inside):
            waiting.append(_Written("}"))
            for number, key in reversed(list(enumerate(sorted(inside)))):
                waiting += (inside[key], _Written(f"{',' if number else ''}{as_text(key)}:"))
            yield "{"
        elif isinstance(inside, (list, tuple)) and not _is_small(inside):
            waiting.append(_Written("]"))
            for start in reversed(range(0, len(inside), _SLICE)):
                part = inside[start : start + _SLICE]
                if _is_small(part):
                    waiting.append(_Written(as_text(list(part))[1:-1]))
                else:
                    for number, element in reversed(list(enumerate(part))):
                        waiting += (element, _Written(",")) if number else (element,)
                if start:
                    waiting.append(_Written(","))
                checkpoint()
            yield "["
        elif isinstance(inside, str) and len(inside) > _TEXT:
            # The text of a module can have megabytes.
            yield '"'
            for start in paced(range(0, len(inside), _TEXT), 1):
                yield as_text(inside[start : start + _TEXT])[1:-1]
            yield '"'
        else:
            yield as_text(inside)


class _Written(str):
    """A piece of JSON text."""

    __slots__ = ()


def _part(value: Any) -> str:
    if isinstance(value, RawValue):
        return str(value)
    return value.text() if isinstance(value, RawList) else as_text(value)
