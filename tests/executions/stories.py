"""Executions without a server: a store of their own, the real driver and real worker processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.database import Database
from analysis.inputs import FileId, Libraries, libraries, source
from analysis.text.source import Source
from boruna_ls.answers.loaded import new_version
from boruna_ls.executions.driver import Driver, Mind
from boruna_ls.executions.effects import performs_of
from boruna_ls.executions.records import Execution, NewVersion
from boruna_ls.executions.service import Service
from boruna_ls.executions.store import Store
from boruna_ls.state.sql import Sqlite
from boruna_ls.upstream.broker import live_broker

MIND = Mind(performs_of(live_broker, False))


def version_of(text: str, program: str = "program") -> NewVersion:
    """A program checked and compiled."""
    db, file = Database(), FileId("/w", "disk", "/w/main.ax")
    libraries.set(db, "/w", "", Libraries(()))
    source.set(db, file, Source.from_text(text))
    made = new_version(db, file, program, program, "")
    assert isinstance(made, NewVersion), made
    return made


def service_in(folder: Path) -> Service:
    """A service with a store in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(Sqlite(folder / "executions.db"))
    return Service(store, Driver(store, folder))


def begun(service: Service, text: str, name: str = "one", **options: Any) -> Execution:
    """An execution of a program, READY."""
    service.store.load("local", version_of(text))
    return service.start("local", [], "program", name, **options)


def driven(service: Service, execution: Execution) -> Execution:
    """The execution after a drive."""
    service.driver.drive(execution.key, MIND).result(60)
    now = service.store.by_key(execution.key)
    assert now is not None
    return now
