"""A folder for each test's own daemon, which has ended when the test has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.rendezvous import places
from tests.support.daemon import stopped


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where clients that the test starts look for their daemon; the folder is not made yet."""
    folder = tmp_path / "d"
    monkeypatch.setenv(places.VARIABLE, str(folder))
    yield folder
    stopped(folder)
