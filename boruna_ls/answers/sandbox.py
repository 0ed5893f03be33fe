"""Answers about sandboxes: outcomes of commands, files and folders, and changes as a patch."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from analysis.text.diff import unified_diff
from boruna_ls.answers.envelope import success
from boruna_ls.sandbox.backend import MIB
from boruna_ls.sandbox.box import Box, Changes, Outcome, Used

_PATCH_LIMIT: Final = 300_000
"""Characters of a patch in one answer."""
_SHORTENED: Final = 200_000
_LIST_SHORTENED: Final = 250
_WHY: Final = {
    "timeout": "it took longer than timeout_s and was ended with all that it had started: give more time, or start it in the "
    "background (`command &`) and look later",
    "memory": "all processes of the sandbox together used more memory than memory_mib and were ended; its files are still there",
    "processes": "the sandbox had more processes than it may and all of them were ended; its files are still there",
    "cancelled": "the call was cancelled",
    "not started": "the sandbox could not start it: try again, or with a sandbox that has more memory_mib",
}


def created(box: Box) -> dict[str, Any]:
    """A sandbox with its limits."""
    spec = box.spec
    limits = {
        "memory_mib": spec.memory_mib,
        "disk_mib": spec.disk_mib,
        "vcpu_count": spec.vcpu_count,
        "processes": spec.processes,
        "files": spec.inodes,
    }
    network: Any = {"hosts": list(spec.network.hosts)} if spec.network is not None else False
    return success(sandbox_id=box.name, limits=limits, network=network, languages=box.languages, **box.facts)


def listed(boxes: list[tuple[Box, Used]]) -> dict[str, Any]:
    """All sandboxes of a principal, each with what it uses."""
    return success(
        sandboxes=[
            {
                "sandbox_id": box.name,
                "created": _time(box.created),
                "last_used": _time(box.last_used),
                "memory_mib_used": round(used.memory / MIB, 1),
                "processes": used.processes,
                "disk_mib_used": round(used.disk / MIB, 1),
            }
            for box, used in boxes
        ]
    )


def outcome(result: Outcome) -> dict[str, Any]:
    """The outcome of a command. Bytes that are not UTF-8 become marks, and `not_utf8` names the stream."""
    number = -result.exit_code if result.exit_code < 0 else 0
    answer = success(
        exit_code=result.exit_code if not number else 128 + number,
        duration_ms=result.duration_ms,
        timed_out=result.ended_by == "timeout",
        memory_peak_mib=round(result.memory_peak / MIB, 1),
        truncated=False,
    )
    odd = []
    for name, data, total, tail in zip(
        ("stdout", "stderr"), (result.stdout, result.stderr), result.total, result.tail, strict=True
    ):
        answer[name] = data.decode("utf-8", "replace")
        if not _is_utf8(data):
            odd.append(name)
        if total > len(data):
            answer["truncated"] = True
            answer[f"{name}_bytes"] = total
            answer[f"{name}_end"] = tail.decode("utf-8", "replace")
    if odd:
        answer["not_utf8"] = odd
    if number:
        answer["signal"] = number
    if result.ended_by:
        answer |= {"ended_by": result.ended_by, "message": _WHY.get(result.ended_by, result.ended_by)}
    return answer


def shorter_outcome(answer: dict[str, Any], limit: int, call: Any) -> dict[str, Any]:
    """The same with less of what was printed, so that it fits into an answer."""
    for name in ("stdout", "stderr"):
        text = answer.get(name, "")
        if len(text) > _SHORTENED // 2:
            answer[name] = text[: _SHORTENED // 2]
            answer.setdefault(f"{name}_bytes", len(text.encode("utf-8", "replace")))
            answer.setdefault(f"{name}_end", text[-4000:])
            answer["truncated"] = True
    answer["omitted"] = {"rest": "print into a file in the sandbox and read it with read_file, `offset` by `offset`"}
    return answer


def content(data: bytes, size: int, offset: int, encoding: str) -> dict[str, Any]:
    """A part of a file. UTF-8 characters that the limits cut in two are left to the next part."""
    answer = success(encoding=encoding, size=size, offset=offset)
    if encoding == "base64":
        answer["content"] = base64.b64encode(data).decode("ascii")
    else:
        text = data.decode("utf-8", "replace")
        if offset + len(data) < size and not _is_utf8(data):
            whole = _whole_characters(data)
            if _is_utf8(whole):
                data, text = whole, whole.decode("utf-8")
        if not _is_utf8(data):
            answer["not_utf8"] = True
            answer["hint"] = 'the file is not UTF-8 text: other bytes are replaced by marks; encoding "base64" returns them'
        answer["content"] = text
    ends = offset + len(data)
    answer |= {"bytes": len(data), "truncated": ends < size}
    if ends < size:
        answer["omitted"] = {"left_out": size - ends, "rest": f"call again with `offset` {ends}"}
    return answer


def shorter_content(answer: dict[str, Any], limit: int, call: Any) -> dict[str, Any]:
    """A part of a part: what must be escaped much does not fit."""
    whole = answer["content"]
    if answer["encoding"] == "base64":
        shortened = whole[:_SHORTENED]
        size = len(base64.b64decode(shortened))
    else:
        shortened = whole[: _SHORTENED // 2]
        size = len(shortened.encode("utf-8", "replace"))
    ends = answer["offset"] + size
    rest = {"left_out": answer["size"] - ends, "rest": f"call again with `offset` {ends}"}
    return answer | {"content": shortened, "bytes": size, "truncated": True, "omitted": rest}


def directory(path: str, entries: list[dict[str, Any]], total: int, offset: int) -> dict[str, Any]:
    """Entries of a folder, in order of their names."""
    shown = [{**entry, "modified": _time(entry["modified"])} for entry in entries]
    answer = success(path=path, entries=shown, total=total)
    if offset + len(entries) < total:
        answer["omitted"] = _more(offset + len(entries), total)
    return answer


def shorter_directory(answer: dict[str, Any], limit: int, call: Any) -> dict[str, Any]:
    """Fewer entries: long names."""
    ends = call.arguments.offset + _LIST_SHORTENED
    return answer | {"entries": answer["entries"][:_LIST_SHORTENED], "omitted": _more(ends, answer["total"])}


def changed(changes: Changes, before: Mapping[str, str]) -> dict[str, Any]:
    """Differences to the files that a sandbox began with: a patch of texts, and names of the rest."""
    parts: list[str] = []
    untold: list[str] = []
    length = 0
    for path, data in sorted(changes.texts.items()):
        text = None if data is None else data.decode("utf-8", "replace")
        part = None if text is None else unified_diff(path, before.get(path), text)
        if part is None or length + len(part) > _PATCH_LIMIT:
            untold.append(path)
            continue
        length += len(part)
        parts.append(part)
    for path in changes.removed:
        part = unified_diff(path, before.get(path, ""), None)
        if length + len(part) <= _PATCH_LIMIT:
            length += len(part)
            parts.append(part)
    answer = success(patch="".join(parts), changed=sorted(changes.texts), removed=sorted(changes.removed))
    if untold:
        answer["not_in_patch"] = untold
    if changes.cut:
        answer["omitted"] = {"rest": "there may be more changed files: compare in the sandbox with run_command"}
    return answer


def _whole_characters(data: bytes) -> bytes:
    """The bytes without the beginning of a character at their end."""
    for cut in range(1, min(4, len(data)) + 1):
        if data[-cut] & 0xC0 == 0xC0:
            return data[:-cut]
    return data


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _more(shown: int, total: int) -> dict[str, Any]:
    return {"shown": shown, "left_out": total - shown, "rest": f"call again with `offset` {shown}"}


def _time(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return "1970-01-01T00:00:00.000Z"
