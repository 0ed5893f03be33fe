"""Completions at a place of a document: names of fields and values, from the table of its kind and the kind itself."""

from __future__ import annotations

from typing import NamedTuple

from analysis.documents.parsed import Path
from analysis.inputs import FileId
from analysis.text.edits import Span


class Offer(NamedTuple):
    """Something to write: `insert` as it stands in the document, a snippet (`$1`, `${1:name}`) with `is_snippet`."""

    label: str
    insert: str
    detail: str = ""
    documentation: str = ""
    is_name: bool = False
    is_snippet: bool = False


class Slot(NamedTuple):
    """Place of a completion: a name in the table at `path` (`is_name`), or the value at `path`.

    `span` is the text to replace; `has_value`: the name already has its value.
    """

    path: Path
    is_name: bool
    span: Span
    has_value: bool = False


class Offers(NamedTuple):
    """Completions for a slot, the best first."""

    slot: Slot
    offers: tuple[Offer, ...]


class Link(NamedTuple):
    """A place in a document that leads to a file."""

    span: Span
    file: FileId


class Around(NamedTuple):
    """Context that the database does not have: the programs of the document's folder, as the document would name them."""

    programs: tuple[str, ...] = ()
