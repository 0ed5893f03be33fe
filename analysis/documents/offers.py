"""What can be written at a place of a document: names of fields and values, from the table of its kind and the kind itself."""

from __future__ import annotations

from typing import NamedTuple

from analysis.documents.parsed import Path
from analysis.edits import Span
from analysis.inputs import FileId


class Offer(NamedTuple):
    """Something to write: `insert` as it stands in the document, a snippet (`$1`, `${1:name}`) with `is_snippet`."""

    label: str
    insert: str
    detail: str = ""
    documentation: str = ""
    is_name: bool = False
    is_snippet: bool = False


class Slot(NamedTuple):
    """Where something is to be written: a name in the table at `path` (`is_name`), or the value at `path`.

    `span` is what it replaces, `in_text` whether that is a text in quotes; `has_value` whether a name has its value already.
    """

    path: Path
    is_name: bool
    span: Span
    has_value: bool = False


class Offers(NamedTuple):
    """What fits a slot, the best first."""

    slot: Slot
    offers: tuple[Offer, ...]


class Link(NamedTuple):
    """A place in a document that leads to a file."""

    span: Span
    file: FileId


class Around(NamedTuple):
    """What the database does not know: the programs of the document's folder, as the document would name them."""

    programs: tuple[str, ...] = ()
