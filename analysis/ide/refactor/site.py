"""The place of a refactoring: the function around it, its tree with parents, names and types.

Spans are relative to the chunk, as the tree's are; `Site.edit` makes absolute ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.data_classes import dataclass, field
from analysis.database import Database
from analysis.ide.name_meanings import item_around
from analysis.ide.name_types import types_in
from analysis.inputs import FileId, source
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import environment
from analysis.semantics.infer.result import Inference
from analysis.semantics.occurrences import Occurrence, Resolved, Space, Use
from analysis.semantics.scopes import resolved
from analysis.syntax import tree as t
from analysis.syntax.lexer import KEYWORDS
from analysis.text.edits import Edit, Span

_WORDS: Final = re.compile(r"[A-Za-z][a-z0-9]*|[A-Z]+(?![a-z])")
INDENT: Final = "    "


@dataclass(slots=True)
class Site:
    """A selection (`span`, empty for a cursor) inside of a function that parses."""

    db: Database
    file: FileId
    index: int
    start: int
    written: str
    function: t.Function
    span: Span
    names: Resolved
    types: Inference
    _parents: dict[int, t.Node] = field(default_factory=dict)

    # ---- the tree -----------------------------------------------------------------------------------------------

    def parent(self, node: t.Node) -> t.Node | None:
        """The node that a node stands in directly."""
        if not self._parents:
            for each in t.walk(self.function):
                for child in t.children(each):
                    self._parents[id(child)] = each
        return self._parents.get(id(node))

    def above(self, node: t.Node) -> Iterator[t.Node]:
        """The nodes around a node, the innermost first."""
        current = self.parent(node)
        while current is not None:
            yield current
            current = self.parent(current)

    def statement_of(self, node: t.Node) -> tuple[t.Block, t.Node] | None:
        """The innermost block around a node and the statement of it that holds the node."""
        inner = node
        for outer in self.above(node):
            if isinstance(outer, t.Block):
                return outer, inner
            inner = outer
        return None

    def whole(self, node: t.Node) -> Span:
        """The span of a node with the parentheses that only group it."""
        start, end = node.start, node.end
        parent = self.parent(node)
        own = _own_opening(self.written, parent)
        while True:
            before, behind = _blank_before(self.written, start), _blank_behind(self.written, end)
            if self.written[before - 1 : before] != "(" or self.written[behind : behind + 1] != ")" or before - 1 == own:
                return start, end
            start, end = before - 1, behind + 1

    def text(self, node: t.Node) -> str:
        """A node as written, with the parentheses that group it."""
        return self.written[slice(*self.whole(node))]

    def bare(self, node: t.Node) -> str:
        """A node as written, without parentheses around it."""
        return self.written[node.start : node.end]

    def selected(self) -> t.Expr | None:
        """The expression that the selection covers exactly, blanks and grouping parentheses aside."""
        start, end = trimmed(self.written, self.span)
        if start >= end:
            return None
        for node in t.walk(self.function):
            if isinstance(node, t.Expr) and node.start >= start and node.end <= end:
                if (node.start, node.end) == (start, end) or self.whole(node) == (start, end):
                    return node
                whole = self.whole(node)
                if whole[0] <= start and end <= whole[1] and start <= node.start:
                    return node
        return None

    def around(self, *kinds: type[t.Node]) -> t.Node | None:
        """The innermost node of these kinds around the cursor or selection."""
        innermost = None
        for node in t.path_to(self.function, self.span[0]):
            if isinstance(node, kinds) and node.start <= self.span[0] and self.span[1] <= node.end:
                innermost = node
        return innermost

    # ---- names --------------------------------------------------------------------------------------------------

    def occurrences(self, span: Span) -> list[Occurrence]:
        """The names inside of a span."""
        return [occurrence for occurrence in self.names.occurrences if span[0] <= occurrence.start and occurrence.end <= span[1]]

    def values(self, span: Span) -> list[Occurrence]:
        """The names of values inside of a span: locals, functions, builtins."""
        return [occurrence for occurrence in self.occurrences(span) if occurrence.space is Space.VALUE]

    def uses(self, local: int) -> list[Occurrence]:
        """Reads and writes of a local, without its declaration."""
        return [
            occurrence
            for occurrence in self.names.occurrences
            if occurrence.local == local and occurrence.use is not Use.DECLARATION
        ]

    def free_name(self, wanted: str, also: tuple[str, ...] = ()) -> str:
        """A name for a local or function that is not used in this file yet."""
        visible = environment(self.db, self.file)
        taken = {occurrence.name for occurrence in self.names.occurrences} | set(also)
        name, number = wanted, 2
        while name in taken or name in KEYWORDS or name in BUILTINS or name in visible.functions or name in visible.types:
            name, number = f"{wanted}_{number}", number + 1
        return name

    # ---- texts --------------------------------------------------------------------------------------------------

    def edit(self, span: Span, text: str) -> Edit:
        """An edit with an absolute span."""
        return Edit((self.start + span[0], self.start + span[1]), text)

    def indent(self, at: int) -> str:
        """The blanks at the beginning of the line of an offset."""
        start = self.written.rfind("\n", 0, at) + 1
        line = self.written[start:at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def begins_line(self, at: int) -> bool:
        """True if only blanks precede an offset in its line."""
        return not self.written[self.written.rfind("\n", 0, at) + 1 : at].strip()

    def lines_of(self, span: Span) -> Span:
        """The span with its blanks before and the line break behind, if nothing else stands on its lines."""
        start = self.written.rfind("\n", 0, span[0]) + 1
        end = self.written.find("\n", span[1])
        end = len(self.written) if end < 0 else end + 1
        rest = self.written[span[1] : end].strip()
        if self.written[start : span[0]].strip() or rest:
            # On a line with other text, remove one blank with it.
            return span[0], span[1] + (self.written[span[1] : span[1] + 1] == " ")
        return start, end


def site_at(db: Database, file: FileId, span: Span) -> Site | None:
    """The place of a selection; None outside of functions, and where a function does not parse."""
    text = source(db, file)
    if not 0 <= span[0] <= span[1] <= len(text.text):
        return None
    index = text.chunk_at(span[0])
    start, written = text.offsets[index], text.chunks[index].text
    tree = chunk_tree(db, written)
    item = item_around(tree.items, span[0] - start)
    if not isinstance(item, t.Function) or tree.errors or tree.tokens.errors or item.broken or span[1] - start > item.end:
        return None
    inside = span[0] - start, span[1] - start
    return Site(db, file, index, start, written, item, inside, resolved(db, written), types_in(db, file, written))


def trimmed(text: str, span: Span) -> Span:
    """A span without blanks at its ends."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def snake(words: str) -> str:
    """A variable name built from the words of another name."""
    name = "_".join(word.lower() for word in _WORDS.findall(words))
    return name if name and not name[0].isdigit() else "value"


def _own_opening(written: str, parent: t.Node | None) -> int:
    """The offset of a node's own parenthesis, not of one inside it; -1 if it has none."""
    match parent:
        case t.Call():
            return parent.opening
        case t.Wrap():
            return written.find("(", parent.start)
        case t.VariantLiteral():
            return written.find("(", parent.at)
    return -1


def _blank_before(text: str, at: int) -> int:
    while at > 0 and text[at - 1].isspace():
        at -= 1
    return at


def _blank_behind(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
