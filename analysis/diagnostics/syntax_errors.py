"""Syntax diagnostics: E001 and E002, with the reference's words and the true place.

A chunk knows its own errors. What stands at a chunk's end, how far a string that is left open reaches, and which lexical error
the reference meets first, depends on the whole file and is put together here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from analysis.data_classes import dataclass, replace
from analysis.database import Database, paced, query
from analysis.diagnostics.diagnostic import UNTOLD, Diagnostic, Severity, Shown, Topic
from analysis.diagnostics.error_echoes import with_echoes_untold
from analysis.diagnostics.plain_words import place_of_addition, place_of_missing, plain_words
from analysis.inputs import BLOCK, CHUNK, FILE, FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.summary import block_index
from analysis.syntax.block_answers import of_blocks
from analysis.syntax.escaping import quoted
from analysis.syntax.lexer import EOF, Cause, LexicalError, lex, lexable_end
from analysis.syntax.parser import ParseError, spelled
from analysis.text.blocks import Block
from analysis.text.edits import Span
from analysis.text.source import Encoding, Source, units

if TYPE_CHECKING:
    from analysis.suggestions.broken_text import Mistake

ADVICE: Final = " — check for mismatched braces or a missing expression"
"""Suffix that `boruna_check` adds to an E002 whose message has neither a check nor a hint (chapter 05 section 4)."""
MOST_QUOTED: Final = 4000
"""Characters of an offending text that a message quotes; a string left open would quote the rest of the file."""
_MOST_DIAGNOSTICS: Final = 2000
"""The most syntax errors that are reported for one file."""
_MAY_BE_REFUSED: Final = re.compile(r"\\|[0-9]{19}")
_CHUNKS_LOOKED_INTO: Final = 20
_ERRORS_LOOKED_INTO: Final = 5
"""Of so many broken chunks, and of so many errors in each, the cause is looked for: a text that is no program has thousands."""

_REASONS: Final = {
    Cause.CHARACTER: ("no token starts with this character", "remove it"),
    Cause.INTEGER: ("integer too large: the greatest is 9223372036854775807", "write a smaller number, or a Float"),
    Cause.STRING: ("unterminated string", 'close it with `"`'),
    Cause.LINE_END: (
        "a backslash at the end of a line",
        "remove the backslash; a string can hold line feeds as they are",
    ),
    Cause.ESCAPE: ("unknown escape", r"the escapes are \n, \t, \r, \" and \\"),
}
_PAIRS: Final = {"'": "'", "`": "`", "|": "|", "“": "”", "‘": "’"}
"""Signs that begin something, by what ends it."""


@dataclass(frozen=True, slots=True)
class SyntaxError_:
    """One error as the compile-like tools report it: `line` and `column` from 1, the column only for lexical errors."""

    code: str
    message: str
    line: int
    column: int | None


@query(subject=BLOCK)
def block_unsound(db: Database, texts: Block) -> tuple[int, ...]:
    """Indexes, within a block, of the chunks that hold a syntax error."""
    return tuple([number for number, index in enumerate(block_index(db, texts)) if not index.is_sound])


@query(subject=FILE)
def unsound_chunks(db: Database, file: FileId) -> tuple[int, ...]:
    """Indexes of a file's chunks that hold a syntax error."""
    chunks: list[int] = []
    start = 0
    for texts, unsound in paced(zip(source(db, file).blocks, of_blocks(db, file, block_unsound), strict=True)):
        if unsound:
            chunks += [start + index for index in unsound]
        start += len(texts)
    return tuple(chunks)


@query(limit=10_000, subject=CHUNK)
def chunk_mistake(db: Database, text: str, number: int) -> Mistake | None:
    """The place and kind of the mistake behind a chunk's error, if known; lexical errors take precedence."""
    tree = chunk_tree(db, text)
    lexical = tree.tokens.errors
    error = lexical[number] if number < len(lexical) else tree.errors[number - len(lexical)]
    # Most programs have no syntax error: a process that checks one does not wait for this.
    db.before_import("analysis.suggestions.broken_text")
    from analysis.suggestions.broken_text import mistake

    return mistake(text, tree, error)


def is_looked_into(number: int, chunk: int, unsound: tuple[int, ...]) -> bool:
    """True if the cause of a chunk's nth error is searched; `unsound` are the file's broken chunks."""
    return number < _ERRORS_LOOKED_INTO and chunk in unsound[:_CHUNKS_LOOKED_INTO]


def first_error(db: Database, file: FileId) -> SyntaxError_ | None:
    """The one error that the reference reports for a file; None if it parses."""
    unsound = unsound_chunks(db, file)
    if not unsound:
        return None
    text = source(db, file)
    lexical = _first_lexical(db, text, unsound)
    if lexical is not None:
        start, end = lexical
        line, column = text.byte_position(start)
        return SyntaxError_("E001", lexical_message(text.text[start:end]), line, column)
    index = unsound[0]
    error = chunk_tree(db, text.chunks[index].text).errors[0]
    return SyntaxError_("E002", _message(db, text, index, error), _reported_line(db, text, index, error), None)


def error_around(db: Database, file: FileId, offset: int) -> tuple[int, Diagnostic] | None:
    """The first error of the item around an offset, in the form for people, with its chunk's offset; None if the item parses."""
    text = source(db, file)
    around = text.chunk_at(offset)
    if around not in unsound_chunks(db, file):
        return None
    shown = [(index, error) for index, diagnostic in syntax_diagnostics(db, file, text) if (error := diagnostic.for_people())]
    # An error at the end of an item is placed in the next one.
    own = (entry for entry in shown if entry[1].error is not None and entry[0] - entry[1].error[0] == around)
    index, error = next(own, shown[0])
    return text.offsets[index], error


def syntax_diagnostics(db: Database, file: FileId, text: Source) -> list[tuple[int, Diagnostic]]:
    """The diagnostics of all broken chunks, as pairs of chunk index and diagnostic."""
    unsound = unsound_chunks(db, file)
    if not unsound:
        return []
    diagnostics: list[tuple[int, Diagnostic]] = []
    lexical = _first_lexical(db, text, unsound)
    for index in unsound:
        if len(diagnostics) >= _MOST_DIAGNOSTICS:
            break
        piece = text.chunks[index].text
        tree = chunk_tree(db, piece)
        # Where tokens are missing, parse errors are mere consequences.
        errors: Sequence[LexicalError | ParseError] = tree.tokens.errors or tree.errors
        reported: set[object] = set()
        paired = _paired(piece, tree.tokens.errors)
        for number, error in enumerate(paced(errors[: _MOST_DIAGNOSTICS - len(diagnostics)])):
            if number in paired:
                continue
            mistake = chunk_mistake(db, piece, number) if is_looked_into(number, index, unsound) else None
            if isinstance(error, LexicalError):
                diagnostics += _lexical_diagnostics(text, index, error, lexical, mistake, number)
            elif not _repeats(tree.errors, number):
                diagnostics += _parse_diagnostics(db, text, index, error, mistake, number, reported)
    if lexical is not None and not any(
        text.offsets[index] + diagnostic.span[0] == lexical[0] for index, diagnostic in diagnostics
    ):
        # The reference's lexer pairs quotes across lines and gives up elsewhere than where the mistake is.
        start, end = lexical
        index = text.chunk_at(start)
        first = start - text.offsets[index]
        error = LexicalError(Cause.STRING, first, first + _line_end(text.text, start, end) - start)
        diagnostic = _lexical_diagnostic(text, index, error, text.text[start:end], None, None)
        diagnostics.append((index, replace(diagnostic, shown=UNTOLD)))
    return with_echoes_untold(db, text, unsound, diagnostics) if len(diagnostics) > 1 else diagnostics


def _paired(text: str, errors: Sequence[LexicalError]) -> frozenset[int]:
    """The errors up to the second of two signs that belong together on a line: `'a'`, `|x| x + 1`."""
    closing, end, inside = "", -1, set()
    for number, error in enumerate(paced(errors)):
        if error.start <= end:
            inside.add(number)
            continue
        closing = _PAIRS.get(text[error.start : error.end], "")
        line = text.find("\n", error.end)
        place = text.find(closing, error.end, len(text) if line < 0 else line) if closing else -1
        if place >= 0 and not (closing == "|" and text[: error.start].rstrip()[-1:] not in "(=,{:"):
            end = place
    return frozenset(inside)


def _line_end(text: str, start: int, end: int) -> int:
    """The end of a span, or of the line that it begins on."""
    line_end = text.find("\n", start, end)
    return end if line_end < 0 else line_end


def _repeats(errors: Sequence[ParseError], number: int) -> bool:
    """True if an error repeats the one before it at the same place: two constructs are open at the end of the text."""
    if number == 0:
        return False
    error, before = errors[number], errors[number - 1]
    return (error.message, error.found_at, error.at_end) == (before.message, before.found_at, before.at_end)


# ---- lexical errors -------------------------------------------------------------------------------------------------------


def _first_lexical(db: Database, text: Source, unsound: tuple[int, ...]) -> tuple[int, int] | None:
    """Start and end of what the reference's lexer refuses first; None if it refuses nothing."""
    is_lexable = False
    for index in unsound:
        errors = chunk_tree(db, text.chunks[index].text).tokens.errors
        if not errors or (is_lexable and errors[0].cause is Cause.STRING):
            continue
        first, base = errors[0], text.offsets[index]
        if first.cause is not Cause.STRING:
            return base + first.start, base + first.end
        # Up to here everything was split into tokens; from here on the reference lets strings span lines.
        start = lexable_end(text.text, base)
        refused = _refused_values(text.text[base:start])
        if refused is not None:
            return base + refused.start, base + refused.end
        if start >= len(text.text):
            is_lexable = True
            continue
        if text.text[start] != '"':
            return start, start + 1
        return start, _end_of_open_string(text.text, start)
    return None


def _refused_values(piece: str) -> LexicalError | None:
    """The first escape or integer that is refused in a piece that can be split into tokens."""
    return next(iter(lex(piece).errors), None) if _MAY_BE_REFUSED.search(piece) else None


def _end_of_open_string(text: str, start: int) -> int:
    position = start + 1
    while (backslash := text.find("\\", position)) >= 0:
        if text[backslash + 1 : backslash + 2] in ("", "\n"):
            return backslash
        position = backslash + 2
    return len(text)


def lexical_message(offending: str) -> str:
    """The one message of lexical errors (chapter 01 section 10)."""
    shown = quoted(offending[:MOST_QUOTED])
    return f'unexpected character: {shown[:-1]}…"' if len(offending) > MOST_QUOTED else f"unexpected character: {shown}"


def _lexical_diagnostics(
    text: Source, index: int, error: LexicalError, lexical: Span | None, mistake: Mistake | None, number: int
) -> list[tuple[int, Diagnostic]]:
    start = text.offsets[index] + error.start
    end = lexical[1] if lexical is not None and lexical[0] == start else start + error.end - error.start
    diagnostic = _lexical_diagnostic(text, index, error, text.text[start:end], mistake, number)
    if mistake is None or text.position(start)[0] == text.position(text.offsets[index] + mistake.span[0])[0]:
        return [(index, diagnostic)]
    # A quote that was forgotten lets the quotes behind it pair up wrongly: the error shows lines later.
    return [(index, _cause("E001", mistake, number)), (index, replace(diagnostic, shown=UNTOLD))]


def _lexical_diagnostic(
    text: Source, index: int, error: LexicalError, offending: str, mistake: Mistake | None, number: int | None
) -> Diagnostic:
    """The diagnostic in the chunk of the error."""
    why, help = _REASONS[error.cause]
    addition = ""
    absolute = text.offsets[index] + error.start
    line_start = text.text.rfind("\n", 0, absolute) + 1
    line_end = text.text.find("\n", absolute)
    line_end = len(text.text) if line_end < 0 else line_end
    if line_end - line_start <= MOST_QUOTED:
        column = units(text.text, line_start, absolute, Encoding.UTF8)
        addition = f"\n  {text.text[line_start:line_end].removesuffix(chr(13))}\n  {' ' * column}^"
    return Diagnostic(
        "E001",
        Severity.ERROR,
        lexical_message(offending),
        (error.start, error.end),
        mistake.help if mistake is not None and mistake.help else help,
        why,
        addition,
        error=None if number is None else (0, number),
        shown=Shown(why, (error.start, _line_end(text.text, absolute, text.offsets[index] + error.end) - text.offsets[index])),
    )


# ---- parse errors ---------------------------------------------------------------------------------------------------------


def _message(db: Database, text: Source, index: int, error: ParseError) -> str:
    if not error.at_end:
        return error.message
    if index + 1 == len(text.chunks):
        return f"{error.message}, found end of input"
    tokens = chunk_tree(db, text.chunks[index + 1].text).tokens
    if tokens.kinds[0] == EOF:
        return f"{error.message}, found end of input"
    return f"{error.message}, found {spelled(tokens.kinds[0], tokens.word(0))}"


def _place(db: Database, text: Source, index: int, error: ParseError) -> tuple[int, int, int]:
    """(chunk, start, end) of the token that an error complains about."""
    if not error.at_end:
        return index, error.start, error.end
    if index + 1 < len(text.chunks):
        tokens = chunk_tree(db, text.chunks[index + 1].text).tokens
        if tokens.kinds[0] != EOF:
            return index + 1, tokens.starts[0], tokens.ends[0]
    # The end of the file: behind the last token, on the next line if there is one.
    line_end = text.chunks[index].text.find("\n", error.previous_end)
    place = error.previous_end if line_end < 0 else line_end + 1
    return index, place, place


def _reported_line(db: Database, text: Source, index: int, error: ParseError) -> int:
    """The line that the reference reports, from 1 (chapter 02 section 6.4)."""
    chunk, start, _ = _place(db, text, index, error)
    found_at = text.offsets[chunk] + (start if error.at_end else error.found_at)
    previous_end = text.offsets[index] + error.previous_end
    if error.lagging and "\n" in text.text[previous_end:found_at]:
        return text.position(previous_end)[0] + 2
    if error.at_end and chunk == index and found_at == previous_end:
        # The text ends with its last token, whose line is the one it starts on: a string can span lines.
        starts = chunk_tree(db, text.chunks[index].text).tokens.starts
        found_at = text.offsets[index] + starts[-2 if len(starts) > 1 else -1]
    return text.position(found_at)[0] + 1


def _parse_diagnostics(
    db: Database, text: Source, index: int, error: ParseError, mistake: Mistake | None, number: int, reported: set[object]
) -> list[tuple[int, Diagnostic]]:
    """The diagnostics of a parse error.

    `reported` holds the mistakes of the chunk already reported (those that are mended everywhere by their words), and places.
    """
    message = _message(db, text, index, error)
    addition = "" if "check" in message or "hint" in message else ADVICE
    chunk, start, end = _place(db, text, index, error)
    help = mistake.help if mistake is not None else ""
    why = mistake.message if mistake is not None else ""
    topic = Topic.NO_ITEM if error.expects_item else Topic.NONE
    at = chunk - index, number
    diagnostic = Diagnostic("E002", Severity.ERROR, message, (start, end), help, why, addition, error=at, topic=topic)
    shift = text.offsets[chunk] - text.offsets[index]
    diagnostics: list[tuple[int, Diagnostic]] = []
    if mistake is not None:
        line = text.position(text.offsets[chunk] + start)[0]
        true_line = text.position(text.offsets[index] + mistake.span[0])[0]
        reason = (mistake.message, mistake.help) if mistake.is_everywhere else mistake
        is_reported = reason in reported
        reported.add(reason)
        if line != true_line:
            # The parser gave up on another line than that of the mistake: the mistake gets its own diagnostic.
            cause = _cause("E002", mistake, number)
            place = place_of_addition(chunk_tree(db, text.chunks[index].text).tokens, mistake.span)
            # The token only seems to be surplus: name what should follow it.
            is_cause_shown = not is_reported and not mistake.is_surplus
            cause = replace(cause, shown=Shown(mistake.message, place) if is_cause_shown else UNTOLD)
            diagnostics.append((index, cause))
            is_reported = is_reported or is_cause_shown
        if is_reported:
            return [*diagnostics, (chunk, replace(diagnostic, shown=UNTOLD))]
    true = start + shift, end + shift
    # Where an item should begin, the text found is wrong; elsewhere something is missing before it.
    if error.at_end or not error.expects_item:
        true = place_of_missing(text.chunks[index].text, error.previous_end, true)
    # All constructs that are still open at an item's end are one fault.
    is_reported = true in reported
    reported.add(true)
    shown = UNTOLD if is_reported else Shown(plain_words(error), (true[0] - shift, true[1] - shift))
    return [*diagnostics, (chunk, replace(diagnostic, shown=shown))]


def _cause(code: str, mistake: Mistake, number: int) -> Diagnostic:
    """The diagnostic at the place of a mistake whose error is reported elsewhere."""
    return Diagnostic(code, Severity.ERROR, mistake.message, mistake.span, mistake.help, error=(0, number))
