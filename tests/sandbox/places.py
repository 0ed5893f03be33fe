"""Sandboxes of the tests: real ones, on the backend of this machine; the tests are skipped where there is none."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from boruna_ls.isolation.launcher import shared_launcher
from boruna_ls.sandbox.box import Box, Command, Outcome
from boruna_ls.sandbox.manager import Sandboxes
from boruna_ls.sandbox.settings import ReadSettings, Settings

ISOLATION = shared_launcher().isolation()
needs_bubblewrap = pytest.mark.skipif(ISOLATION.kind != "bubblewrap", reason=f"no bubblewrap: {ISOLATION.reason}")
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are for Linux")
OWNER = "owner"


@contextmanager
def sandboxes(**settings: Any) -> Iterator[Sandboxes]:
    """A manager of its own, which leaves nothing."""
    made = Sandboxes(ReadSettings(Settings(**settings), ()))
    try:
        yield made
    finally:
        made.close()


def box_of(manager: Sandboxes, **spec: Any) -> Box:
    """A new sandbox."""
    return manager.create(OWNER, replace(manager.spec(), **spec))


def ran(box: Box, text: str, language: str = "", **more: Any) -> Outcome:
    """A command or program, run to its end."""
    return box.start(Command(text, language, **more)).future.result(60)


def marked() -> list[int]:
    """Processes of sandboxes of this process that live."""
    from boruna_ls.sandbox import identity

    return [pid for pid, mark in identity.marked() if mark == identity.mark()]
