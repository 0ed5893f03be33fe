"""A few queries about words of texts, for tests of the database, and what of an event log those ask for."""

from __future__ import annotations

from analysis.database import Database, Durability, input, query


@input
def text(db: Database, name: str) -> str:
    return ""


@input(durability=Durability.HIGH)
def library(db: Database, name: str) -> str:
    return f"empty {name}"


@query
def words(db: Database, name: str) -> tuple[str, ...]:
    return tuple(text(db, name).split())


@query
def count(db: Database, name: str) -> int:
    return len(words(db, name))


@query
def total(db: Database, first: str, second: str) -> int:
    return count(db, first) + count(db, second)


@query
def shout(db: Database, word: str) -> str:
    return word.upper()


@query
def shouted(db: Database, name: str) -> tuple[str, ...]:
    return tuple(shout(db, word) for word in words(db, name))


@query
def imported(db: Database, name: str) -> str:
    return library(db, name).upper()


@query
def linked(db: Database, name: str) -> str:
    return imported(db, "std") + text(db, name)


@query
def strict(db: Database, name: str) -> int:
    if not words(db, name):
        raise ValueError(f"{name} is empty")
    return len(words(db, name))


@query
def lenient(db: Database, name: str) -> int:
    try:
        return strict(db, name)
    except ValueError:
        return -1


def ran(events: list[tuple[str, str, object]]) -> list[tuple[str, object]]:
    return [(name, key) for event, name, key in events if event == "execute"]


def happened(events: list[tuple[str, str, object]], kind: str) -> list[tuple[str, object]]:
    return [(name, key) for event, name, key in events if event == kind]
