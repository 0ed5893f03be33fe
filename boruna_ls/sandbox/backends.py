"""Choice of the backend: the one that the settings name, else the first that works."""

from __future__ import annotations

import sys
from typing import Any

from boruna_ls.sandbox.backend import Backend, Place, SandboxError, Spec
from boruna_ls.sandbox.settings import Settings


class Nothing:
    """Backend of a machine that cannot make sandboxes: reports what is missing."""

    name = "none"

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def problem(self) -> str:
        return self._reason

    def start(self, spec: Spec) -> Place:
        raise SandboxError(self._reason)

    def rest(self) -> None:
        return

    def close(self) -> None:
        return

    def sweep(self) -> int:
        return 0


def chosen(settings: Settings) -> Backend:
    """The backend of the settings; its `problem` says why it cannot be used."""
    if settings.backend == "none":
        return Nothing("they are switched off (BORUNA_SANDBOX_BACKEND=none)")
    if sys.platform == "linux":
        if settings.backend == "firecracker":
            from boruna_ls.sandbox.firecracker import Firecracker

            return Firecracker(settings)
        from boruna_ls.sandbox.bubblewrap import Bubblewrap

        return Bubblewrap()
    return Nothing(f"they need Linux with bubblewrap, and this is {sys.platform}")


def described(settings: Settings) -> dict[str, Any]:
    """Backend in use, for `doctor`: its name, and why it cannot be used ("" if it can)."""
    backend = chosen(settings)
    return {"backend": backend.name, "problem": backend.problem()}
