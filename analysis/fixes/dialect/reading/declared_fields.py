"""The names of the fields that a program declares, in the spellings of several languages."""

from __future__ import annotations

import re
from typing import Final

_RECORD_FIELDS: Final = re.compile(r"\brecord[ \t]{1,4}(?:class[ \t]{1,4}|struct[ \t]{1,4})?[A-Z]\w{0,60}\(([^()\n]{1,300})\)")
_LAST_WORD: Final = re.compile(r"\b(\w{1,60})(?=[ \t]{0,4}(?:,|$|=))")
"""Fields of records as C# and Java declare them: `record Item(string Name, int Qty)`."""
_FIELD: Final = re.compile(r"[{;,][ \t\n]{0,20}(?:mutable[ \t]{1,9})?([A-Za-z_]\w*)[ \t]?::?[ \t\n]")
_STRUCT_FIELD: Final = re.compile(
    r"(?:^[ \t]{1,20}|[{;][ \t]{0,20})([A-Z]\w{0,60})[ \t]{1,20}(?:[A-Za-z]\w{0,30}|[\[*][\w.*\[\]]{1,40})[ \t]{0,9}(?=$|[`{;}])"
    r"|\b([A-Z]\w{0,60})[ \t]{0,4}\{[ \t]{0,4}(?:get|init)\b",
    re.MULTILINE,
)
"""Fields with a capital letter as Go and C# declare them: `Zip int` on its line, `string Owner { get; set; }`."""
_CHANGING: Final = re.compile(r"\b(?:mut|var|let[ \t]{1,9}mutable)[ \t]{1,9}([A-Za-z_]\w*)[ \t]{0,9}[=:]")


def declared_fields(text: str) -> frozenset[str]:
    """The fields of the records of a program, as far as they are no variables that change."""
    given = (each for fields in _RECORD_FIELDS.findall(text) for each in _LAST_WORD.findall(fields))
    bare = (name for names in _STRUCT_FIELD.findall(text) for name in names if name)
    return frozenset((*_FIELD.findall(text), *given, *bare)) - frozenset(_CHANGING.findall(text))
