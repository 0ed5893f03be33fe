"""textDocument/semanticTokens (full, delta, range): what each word is, as LSP's five numbers a token.

The numbers of a chunk are a query of their own, so that after an edit one chunk is encoded again and the rest is
copied.
"""

from __future__ import annotations

import re
import secrets
from array import array
from collections.abc import Callable
from typing import Final, NamedTuple

from lsprotocol import types

from analysis.database import Database, paced, query
from analysis.ide.name_meanings import overridden_builtins
from analysis.ide.semantic_tokens import Modifier, TokenType, chunk_tokens
from analysis.inputs import CHUNK, FileId
from analysis.text.edits import Span
from analysis.text.source import Encoding, Source, units
from boruna_ls.lsp.raw import RawJson
from boruna_ls.lsp.session import Session

LEGEND: Final = types.SemanticTokensLegend([kind.value for kind in TokenType], [kind.value for kind in Modifier])
_TYPE: Final = {kind: number for number, kind in enumerate(TokenType)}
_MODIFIER: Final = {kind: 1 << number for number, kind in enumerate(Modifier)}

_LINE_END: Final = re.compile(r"\r\n|\n|\r")

_AT_ONCE: Final = 10_000
"""Numbers that are written before others may go first."""


class Encoded(NamedTuple):
    """A chunk's tokens, the first counted from the chunk's start; and the place of the last."""

    numbers: array[int]
    line: int
    character: int


def full(session: Session, params: types.SemanticTokensParams) -> RawJson:
    """All tokens of a document."""
    file = session.file(params.text_document.uri)
    numbers = _numbers(session, file, None)
    return RawJson(b'{"resultId":"%b","data":%b}' % (_remember(session, file.path, numbers), _list(numbers)))


def delta(session: Session, params: types.SemanticTokensDeltaParams) -> RawJson:
    """Edits from the tokens that the editor has to the present ones; all tokens if the editor's are no longer stored."""
    file = session.file(params.text_document.uri)
    previous = session.tokens.get(file.path)
    if previous is None or previous[0] != params.previous_result_id:
        return full(session, types.SemanticTokensParams(params.text_document))
    numbers, old = _numbers(session, file, None), previous[1]
    first, behind = _difference(old, numbers)
    edits = b""
    if first + behind < max(len(old), len(numbers)):
        new = _list(numbers[first : len(numbers) - behind])
        edits = b'{"start":%d,"deleteCount":%d,"data":%b}' % (first, len(old) - behind - first, new)
    return RawJson(b'{"resultId":"%b","edits":[%b]}' % (_remember(session, file.path, numbers), edits))


def in_range(session: Session, params: types.SemanticTokensRangeParams) -> RawJson:
    """The tokens of the items that a range touches."""
    file = session.file(params.text_document.uri)
    span = session.span(session.text(file), params.range)
    return RawJson(b'{"data":%b}' % _list(_numbers(session, file, span)))


def _remember(session: Session, path: str, numbers: array[int]) -> bytes:
    previous = session.tokens.get(path)
    # Another daemon may have given the editor tokens before: its names must not be taken for ours.
    id_ = str(int(previous[0]) + 1 if previous is not None else secrets.randbits(48))
    session.tokens[path] = (id_, numbers)
    return id_.encode()


def _list(numbers: array[int]) -> bytes:
    pieces = [",".join(map(str, numbers[start : start + _AT_ONCE])) for start in paced(range(0, len(numbers), _AT_ONCE), 1)]
    return f"[{','.join(pieces)}]".encode("ascii")


def _numbers(session: Session, file: FileId, span: Span | None) -> array[int]:
    text = session.text(file)
    overridden = overridden_builtins(session.db, file)
    numbers = array("I")
    line = character = 0
    for index in _chunks(text, span):
        encoded = encoded_tokens(session.db, text.chunks[index].text, overridden, session.encoding)
        if not encoded.numbers:
            continue
        start = text.offsets[index]
        base_line, base = text.lsp_position(start, session.encoding)
        at = len(numbers)
        numbers += encoded.numbers
        first_line = base_line + numbers[at]
        first = numbers[at + 1] + (base if numbers[at] == 0 else 0)
        numbers[at] = first_line - line
        numbers[at + 1] = first - character if first_line == line else first
        line = base_line + encoded.line
        character = encoded.character + (base if encoded.line == 0 else 0)
    return numbers


def _chunks(text: Source, span: Span | None) -> range:
    if span is None:
        return range(len(text.chunks))
    return range(text.chunk_at(span[0]), text.chunk_at(span[1]) + 1)


@query(limit=50_000, subject=CHUNK)
def encoded_tokens(db: Database, text: str, overridden: frozenset[str], encoding: Encoding) -> Encoded:
    """The tokens of a chunk as numbers."""
    numbers = array("I")
    line_ends = iter([match.end() for match in _LINE_END.finditer(text)])
    line_end = next(line_ends, len(text) + 1)
    at_line = line_start = line = character = before = 0
    for start, end, kind, modifiers in paced(chunk_tokens(db, text, overridden)):
        while line_end <= start:
            at_line, line_start = at_line + 1, line_end
            line_end = next(line_ends, len(text) + 1)
        # Counted from the token before: from the line's start a long line takes quadratic time.
        at = units(text, line_start, start, encoding) if at_line != line else character + units(text, before, start, encoding)
        bits = sum(_MODIFIER[modifier] for modifier in modifiers)
        moved = at - character if at_line == line else at
        numbers.extend((at_line - line, moved, units(text, start, end, encoding), _TYPE[kind], bits))
        line, character, before = at_line, at, start
    return Encoded(numbers, line, character)


def _difference(old: array[int], new: array[int]) -> tuple[int, int]:
    """Counts of numbers (of whole tokens) that are equal at the start and at the end."""
    shorter = min(len(old), len(new)) // 5
    first = _most(lambda count: old[: 5 * count] == new[: 5 * count], shorter)
    behind = _most(lambda count: old[len(old) - 5 * count :] == new[len(new) - 5 * count :], shorter - first)
    return 5 * first, 5 * behind


def _most(holds: Callable[[int], bool], limit: int) -> int:
    """The largest count up to `limit` for which something holds that holds for all smaller ones."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low
