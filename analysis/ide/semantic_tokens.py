"""Semantic tokens of a file, for colouring: by the meaning of names, not by their look.

`chunk_tokens` is keyed by a chunk's text, so that after an edit only one chunk is visited again; views that encode
tokens can do that by chunk, too.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from analysis.database import Database, paced, query
from analysis.ide.comment_spans import comments
from analysis.ide.name_meanings import overridden_builtins
from analysis.inputs import CHUNK, FileId, source
from analysis.semantics.builtins import BUILTIN_TYPES, BUILTINS
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.occurrences import GLOBAL, LocalKind, Occurrence, Resolved, Space, Use
from analysis.semantics.scopes import resolved
from analysis.syntax.lexer import FLOAT, INT, KEYWORDS, STRING
from analysis.text.edits import Span


class TokenType(StrEnum):
    """LSP's names."""

    NAMESPACE = "namespace"
    TYPE = "type"
    STRUCT = "struct"
    ENUM = "enum"
    ENUM_MEMBER = "enumMember"
    FUNCTION = "function"
    PARAMETER = "parameter"
    VARIABLE = "variable"
    PROPERTY = "property"
    MODIFIER = "modifier"
    KEYWORD = "keyword"
    STRING = "string"
    NUMBER = "number"
    OPERATOR = "operator"
    COMMENT = "comment"


class Modifier(StrEnum):
    """LSP's names."""

    DECLARATION = "declaration"
    READONLY = "readonly"
    MODIFICATION = "modification"
    DEFAULT_LIBRARY = "defaultLibrary"


class Token(NamedTuple):
    """A word or a comment; never more than one line."""

    start: int
    end: int
    type: TokenType
    modifiers: tuple[Modifier, ...] = ()


_LINE: Final = re.compile(r"[^\r\n]+")
_LIBRARY: Final = (Modifier.DEFAULT_LIBRARY,)
_KINDS: Final = {
    INT: (TokenType.NUMBER, ()),
    FLOAT: (TokenType.NUMBER, ()),
    STRING: (TokenType.STRING, ()),
    **dict.fromkeys(KEYWORDS, (TokenType.KEYWORD, ())),
    **dict.fromkeys(("Some", "None", "Ok", "Err"), (TokenType.ENUM_MEMBER, _LIBRARY)),
    **dict.fromkeys("-> => == = ++ + - != ! <= < >= > && || * / % ..".split(), (TokenType.OPERATOR, ())),
}  # fmt: skip
_OF_SPACE: Final = {
    Space.GENERIC: TokenType.TYPE,
    Space.VARIANT: TokenType.ENUM_MEMBER,
    Space.FIELD: TokenType.PROPERTY,
    Space.CAPABILITY: TokenType.MODIFIER,
    Space.LIBRARY: TokenType.NAMESPACE,
    Space.MODULE: TokenType.NAMESPACE,
    Space.TOOL: TokenType.FUNCTION,
}


def tokens(db: Database, file: FileId, span: Span | None = None) -> tuple[Token, ...]:
    """The tokens of a file in order, absolute; with `span`, those of the chunks that it touches at least."""
    text = source(db, file)
    first, last = 0, len(text.chunks)
    if span is not None:
        limit = len(text.text)
        first, last = text.chunk_at(max(0, min(span[0], limit))), text.chunk_at(max(0, min(span[1], limit))) + 1
    overridden = overridden_builtins(db, file)
    return tuple(
        Token(begin + start, end + start, kind, modifiers)
        for chunk, start in zip(text.chunks[first:last], text.offsets[first:last], strict=True)
        for begin, end, kind, modifiers in chunk_tokens(db, chunk.text, overridden)
    )


@query(subject=CHUNK)
def chunk_tokens(db: Database, text: str, overridden: frozenset[str]) -> tuple[Token, ...]:
    """The tokens of a chunk, relative to it; `overridden` are builtin names that the file defines for itself."""
    lexed = chunk_tree(db, text).tokens
    names = resolved(db, text)
    by_start = {occurrence.start: occurrence for occurrence in paced(names.occurrences)}
    tokens = [Token(start, end, TokenType.COMMENT) for start, end in comments(db, text)]
    behind = angles = 0
    is_generic = False
    for kind, start, end in paced(zip(lexed.kinds, lexed.starts, lexed.ends, strict=True)):
        if start < behind:
            continue
        occurrence = by_start.get(start)
        if occurrence is not None:
            # A name of several tokens (`std-json`, `net.fetch`) is one word here.
            behind = occurrence.end
            is_generic = occurrence.space is Space.GENERIC
            tokens.append(Token(start, behind, *_described(occurrence, names, overridden)))
            continue
        # The angles around a type's arguments are no operators.
        if (kind == "<" and is_generic) or (kind == ">" and angles):
            angles += 1 if kind == "<" else -1
        elif kind in _KINDS:
            tokens.append(Token(start, end, *_KINDS[kind]))
        is_generic = False
    tokens.sort()
    return tuple(piece for token in paced(tokens) for piece in _lines(text, token))


def _described(occurrence: Occurrence, names: Resolved, overridden: frozenset[str]) -> tuple[TokenType, tuple[Modifier, ...]]:
    modifiers: list[Modifier] = [Modifier.DECLARATION] if occurrence.use is Use.DECLARATION else []
    is_builtin = False
    if occurrence.space is Space.VALUE:
        if occurrence.local == GLOBAL:
            kind = TokenType.FUNCTION
            is_builtin = occurrence.name in BUILTINS and occurrence.name not in overridden
        else:
            local = names.locals.get(occurrence.local)
            is_parameter = local is not None and local.kind is LocalKind.PARAMETER
            kind = TokenType.PARAMETER if is_parameter else TokenType.VARIABLE
            if local is None or not local.mutable:
                modifiers.append(Modifier.READONLY)
            if occurrence.use is Use.WRITE:
                modifiers.append(Modifier.MODIFICATION)
    elif occurrence.space is Space.TYPE:
        is_builtin = occurrence.name in BUILTIN_TYPES and occurrence.name not in overridden
        kind = TokenType.STRUCT if occurrence.use is Use.CONSTRUCT else TokenType.TYPE
    else:
        is_builtin = occurrence.space is Space.GENERIC
        kind = _OF_SPACE[occurrence.space]
    return kind, (*modifiers, *(_LIBRARY if is_builtin else ()))


def _lines(text: str, token: Token) -> list[Token]:
    """A token cut at line ends."""
    content = text[token.start : token.end]
    if "\n" not in content and "\r" not in content:
        return [token]
    return [
        Token(token.start + piece.start(), token.start + piece.end(), token.type, token.modifiers)
        for piece in _LINE.finditer(content)
    ]
