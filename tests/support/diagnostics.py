"""One form for the diagnostics that editors, agents and terminals are told, so that they can be compared with each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "hint"}

Diagnostic = tuple[str, str, int, int, str, str]
"""Code, severity, start and end in bytes of the text, message, help."""


class Places:
    """Byte offsets of a text's lines, as LSP counts them (LF, CR LF, CR) and as the tools do (LF only)."""

    def __init__(self, text: bytes) -> None:
        self._tools = [0, *(at + 1 for at in range(len(text)) if text[at : at + 1] == b"\n")]
        ends = (
            at + 1
            for at in range(len(text))
            if text[at : at + 1] == b"\n" or (text[at : at + 1] == b"\r" and text[at + 1 : at + 2] != b"\n")
        )
        self._lsp = [0, *ends]

    def of_editor(self, position: dict[str, int]) -> int:
        """The offset of a position with columns in UTF-8; -1 for one behind the text, which then is another one than it was."""
        line: int = position["line"]
        return self._lsp[line] + position["character"] if line < len(self._lsp) else -1

    def of_tool(self, line: int, col: int) -> int:
        """The offset of a tool's position."""
        return self._tools[line - 1] + col - 1


def tool_diagnostics(answer: dict[str, Any], places: Places) -> list[Diagnostic]:
    """The diagnostics of a `boruna_check` answer, syntax errors as people are shown them."""
    assert "omitted" not in answer
    seen = [one | (one.get("shown") or {}) for one in answer["diagnostics"] if one.get("shown", one) is not None]
    return sorted((diagnostic_of(one, one["location"], places) for one in seen), key=place_of)


def short_diagnostics(entries: Iterable[dict[str, Any]], places: Places) -> list[Diagnostic]:
    """The diagnostics of one file in an answer of `workspace_diagnostics`."""
    return sorted((diagnostic_of(one, one["range"], places) for one in entries), key=place_of)


def diagnostic_of(one: dict[str, Any], where: dict[str, Any], places: Places) -> Diagnostic:
    """A diagnostic of a tool's answer."""
    start = places.of_tool(where["line"], where["col"])
    end = places.of_tool(where["end_line"], where["end_col"])
    assert where.get("span_len", end - start) == end - start
    return one["id"], one["severity"], start, end, one["message"], one.get("help", "")


def editor_diagnostics(diagnostics: list[dict[str, Any]], places: Places) -> list[Diagnostic]:
    """The diagnostics of published diagnostics, with message and help still in one text."""
    made = [
        (
            one["code"],
            SEVERITIES[one["severity"]],
            places.of_editor(one["range"]["start"]),
            places.of_editor(one["range"]["end"]),
            one["message"],
            "",
        )
        for one in diagnostics
    ]
    return sorted(made, key=place_of)


def place_of(one: Diagnostic) -> tuple[int, int, str, str]:
    return one[2], one[3], one[0], one[4]


def is_same(editor: Diagnostic, agent: Diagnostic) -> bool:
    """True if both got one diagnostic; only E001 and E002 have more words in `boruna_check`."""
    if editor[:4] != agent[:4]:
        return False
    message, help_ = agent[4:]
    if editor[4] == (f"{message}\n{help_}" if help_ else message):
        return True
    plain = editor[4].removesuffix(f"\n{help_}") if help_ else editor[4]
    return agent[0] in ("E001", "E002") and message.startswith(plain)


def with_help_in_message(diagnostic: Diagnostic) -> Diagnostic:
    """A diagnostic with its help in the message."""
    code, severity, start, end, message, help_ = diagnostic
    return code, severity, start, end, f"{message}\n{help_}" if help_ else message, ""


def without_additions(found: list[Diagnostic], plain: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics of `boruna_check` without the words that E001 and E002 have there only, as `plain` says them."""
    if len(found) != len(plain):
        return found
    return [
        (*one[:4], other[4], one[5]) if one[0] in ("E001", "E002") and one[4].startswith(other[4]) else one
        for one, other in zip(found, plain, strict=True)
    ]
