"""The state of a suspended program as bytes. Made and read in worker processes only; the daemon keeps it unread.

Whoever reads one gets values of the machine and nothing else: a worker that its program has taken over cannot use a snapshot
to run code elsewhere.
"""

from __future__ import annotations

import io
import pickle
from typing import Any, Final

from boruna_ls.runtime.frames import CALL_LIMIT
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.values import ActorId, AnonymousType, FnRef

STATE: Final = b"S"
"""First byte of a CALL that brings a snapshot; all others are JSON objects."""
LIMIT: Final = CALL_LIMIT - len(STATE)
"""Bytes of the largest snapshot that is kept; without one a drive replays the log."""
_KNOWN: Final[dict[tuple[str, str], Any]] = {
    (one.__module__, one.__qualname__): one for one in (Map, ActorId, FnRef, AnonymousType)
}


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        # The versions of a map share one dictionary; each is written with its own entries.
        return (Map, (dict(value.entries()),)) if type(value) is Map else self._default(value)

    @staticmethod
    def _default(value: Any) -> Any:
        if type(value) is AnonymousType:
            return AnonymousType, (value.names,)
        if type(value) is FnRef:
            return FnRef, (value.index,)
        return (ActorId, (value.number,)) if type(value) is ActorId else NotImplemented


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"a snapshot holds no {module}.{name}")
        return _KNOWN[module, name]


def dumped(state: Any) -> bytes:
    """The state as bytes; b"" if it is too large or nested too deep to be kept."""
    into = io.BytesIO()
    try:
        _Pickler(into, pickle.HIGHEST_PROTOCOL).dump(state)
    except (RecursionError, MemoryError):
        return b""
    data = into.getvalue()
    return data if len(data) <= LIMIT else b""


def loaded(data: bytes) -> Any:
    """The state that bytes hold. Raises pickle.UnpicklingError for anything that `dumped` does not make."""
    return _Unpickler(io.BytesIO(data)).load()
