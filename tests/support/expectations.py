r"""Programs that say in comments what a check finds in them, and the comparison with what it does find.

    totl + 1    // error[E003] @5-9 "undefined variable: totl" help "did you mean 'total'?"

A comment at the end of a line speaks of that line, one alone on its line of the next line that holds something else,
at the end of the program of its own.
Several follow each other as `// warning[W107] // hint[W501]`. Only severity and code must be there; `@column` or
`@column-end` counts characters from 1, the end exclusive; a text in quotes must occur in the message (or, behind `help`,
in the help), `\n` stands for a new line and `\"` for a quote. Every diagnostic must be expected and every expectation met.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.diagnostics.diagnostic import Diagnostic
from analysis.text.source import Source

_TEXT = r'"((?:[^"\\]|\\.)*)"'
_EXPECTED = re.compile(
    r"//[ \t]*(error|warning|info|hint)\[([A-Z][0-9]+)\]"
    rf"(?:[ \t]+@([0-9]+)(?:-([0-9]+))?)?(?:[ \t]+{_TEXT})?(?:[ \t]+help[ \t]+{_TEXT})?[ \t]*"
)
_LOOKS_EXPECTED = re.compile(r"//[ \t]*(?:error|warning|info|hint)\b[ \t]*\[")
CLEAN = "// clean"


@dataclass(frozen=True)
class Expected:
    """One expectation; `line` from 1 is the line that it speaks of."""

    line: int
    severity: str
    code: str
    column: int | None
    end: int | None
    message: str
    help: str

    def is_met_by(self, found: Found) -> bool:
        return (
            (self.line, self.severity, self.code) == (found.line, found.severity, found.code)
            and self.column in (None, found.column)
            and self.end in (None, found.end)
            and self.message in found.message
            and self.help in found.help
        )

    def __str__(self) -> str:
        place = "" if self.column is None else f" @{self.column}" + ("" if self.end is None else f"-{self.end}")
        message = f' "{_shown(self.message)}"' if self.message else ""
        help = f' help "{_shown(self.help)}"' if self.help else ""
        return f"{self.severity}[{self.code}]{place}{message}{help}"


@dataclass(frozen=True)
class Found:
    """A diagnostic as an expectation would describe it. `end` is None where the diagnostic ends on another line."""

    line: int
    severity: str
    code: str
    column: int
    end: int | None
    message: str
    help: str

    def __str__(self) -> str:
        place = f" @{self.column}" + ("" if self.end is None else f"-{self.end}")
        help = f' help "{_shown(self.help)}"' if self.help else ""
        return f'{self.severity}[{self.code}]{place} "{_shown(self.message)}"{help}'


def expectations(text: str) -> list[Expected]:
    """Expectations in the comments of a program. Raises ValueError for a comment that is an invalid expectation."""
    made: list[Expected] = []
    waiting: list[re.Match[str]] = []
    last = 0
    for number, line in enumerate(text.split("\n"), 1):
        matches = _in_line(line, number)
        if matches and not line[: matches[0].start()].strip():
            waiting += matches
            last = number
            continue
        if not line.strip():
            continue
        made += [_expected(match, number) for match in (*waiting, *matches)]
        waiting = []
    made += [_expected(match, last) for match in waiting]
    if made and CLEAN in text:
        raise ValueError(f"`{CLEAN}` beside expectations")
    return made


def _in_line(line: str, number: int) -> list[re.Match[str]]:
    begin = _LOOKS_EXPECTED.search(line)
    if begin is None:
        return []
    found: list[re.Match[str]] = []
    position = begin.start()
    while position < len(line):
        match = _EXPECTED.match(line, position)
        if match is None:
            raise ValueError(f"line {number}: not understood: {line[position:]}")
        found.append(match)
        position = match.end()
    return found


def _expected(match: re.Match[str], line: int) -> Expected:
    severity, code, column, end, message, help = match.groups()
    return Expected(
        line,
        severity,
        code,
        int(column) if column else None,
        int(end) if end else None,
        _read(message or ""),
        _read(help or ""),
    )


def _read(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text)


def _shown(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def located(text: Source, start: int, diagnostic: Diagnostic) -> Found:
    """A diagnostic whose chunk begins at `start`, by line and columns."""
    line, column = text.position(start + diagnostic.span[0])
    last, end = text.position(start + diagnostic.span[1])
    return Found(
        line + 1,
        diagnostic.severity.value,
        diagnostic.code,
        column + 1,
        end + 1 if last == line else None,
        diagnostic.message,
        diagnostic.help,
    )


def differences(wanted: list[Expected], diagnostics: list[Found]) -> list[tuple[int, str]]:
    """Pairs of line and sentence: what was expected and not found (`-`), found and not expected (`+`), in order."""
    remaining = list(diagnostics)
    told: list[tuple[int, str]] = []
    # The most particular first, so that it does not lose its diagnostic to one that takes any.
    for expected in sorted(wanted, key=lambda one: (one.column is None, not one.message)):
        met = next((one for one in remaining if expected.is_met_by(one)), None)
        if met is None:
            told.append((expected.line, f"- {expected}"))
        else:
            remaining.remove(met)
    told += [(one.line, f"+ {one}") for one in remaining]
    return sorted(told)


def report(text: str, told: list[tuple[int, str]]) -> str:
    """The lines of a program that differ, each with what is missing (`-`) and what is too much (`+`) below it."""
    lines = text.split("\n")
    shown: list[str] = []
    for number in dict.fromkeys(line for line, _ in told):
        shown.append(f"{number:>4} | {lines[number - 1] if number <= len(lines) else ''}")
        shown += [f"       {sentence}" for line, sentence in told if line == number]
    return "\n".join(shown)
