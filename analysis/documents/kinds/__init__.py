"""The kinds of documents: a module each, a line here. The first that fits a file's name counts."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from analysis.documents.kind import UNKNOWN, DocumentKind
from analysis.documents.kinds import boruna_toml, manifests, policy, workflow

KINDS: Final = (workflow.KIND, boruna_toml.KIND, policy.KIND, manifests.KIND_OF_TEMPLATE, manifests.KIND_OF_PACKAGE)


@lru_cache(maxsize=4096)
def kind_of(path: str) -> DocumentKind:
    """The kind of a document; `UNKNOWN` for a foreign one."""
    return next((kind for kind in KINDS if kind.is_of(path)), UNKNOWN)
