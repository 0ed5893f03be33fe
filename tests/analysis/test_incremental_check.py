"""Cost of an edit to a check, asserted query by query; after any edit the diagnostics are those of a fresh database."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.database import Database
from analysis.diagnostics.check import FileDiagnostics, check_file
from analysis.inputs import CheckSettings, FileId, Libraries, libraries, settings, source
from analysis.semantics.environment import type_table
from analysis.text.source import Source
from tests.support.corpus import programs
from tests.support.random_edits import edited

WORKSPACE = "/workspace"
MAIN = FileId(WORKSPACE, "disk", f"{WORKSPACE}/main.ax")
LIBRARY = FileId(WORKSPACE, "library", f"{WORKSPACE}/libs/shapes/src/core.ax")

PROGRAM = """\
import shapes

type Point { x: Int, y: Int }

fn origin() -> Point { Point { x: 0, y: 0 } }

fn width(p: Point, scale: Int) -> Int {
    let w = p.x
    w * scale
}

fn caller() -> Int { width(origin(), 2) }

fn stranger(n: Int) -> Int { n + area(1) }

fn main() -> Int { caller() + stranger(1) }
"""
SHAPES = "fn area(n: Int) -> Int { n }\n"

CHUNK_QUERIES = {
    "chunk_tree", "declarations", "summary", "item_index", "resolved", "item_diagnostics",
    "text_diagnostics", "chunk_mistake",
}  # fmt: skip
"""Queries about one chunk; the first part of their key is its text."""


class Session:
    """A database with an open file; `edit` answers which queries ran afterwards."""

    def __init__(self, text: str = PROGRAM) -> None:
        self.db = Database()
        self.text = Source.from_text(text)
        source.set(self.db, LIBRARY, Source.from_text(SHAPES))
        libraries.set(self.db, WORKSPACE, "", Libraries((("shapes", LIBRARY),)))
        source.set(self.db, MAIN, self.text)
        self.diagnostics = check_file(self.db, MAIN)

    def edit(self, old: str, new: str) -> set[str]:
        """Replaces the only `old` in the file by `new`."""
        start = self.text.text.index(old)
        assert self.text.text.count(old) == 1
        self.text = self.text.edited(start, start + len(old), new)
        return self.ran(lambda: source.set(self.db, MAIN, self.text))

    def ran(self, change: Callable[[], None]) -> set[str]:
        """`query name` of everything that was executed after a change; file-level queries without a name."""
        with self.db.record_events() as events:
            change()
            self.diagnostics = check_file(self.db, MAIN)
        return {shown(query, key) for event, query, key in events if event == "execute"}

    def codes(self) -> list[str]:
        return [made.code for _, made in self.diagnostics.entries]


def shown(query: str, key: object) -> str:
    if query in CHUNK_QUERIES:
        text = key if isinstance(key, str) else key[0] if isinstance(key, tuple) else ""
        return f"{query} {named(str(text))}"
    return query


def named(text: str) -> str:
    """The name of the item that a chunk holds."""
    found = re.search(r'^(?:export )?(?:fn|type|enum|import) "?(\w+)', text, re.MULTILINE)
    return found[1] if found else ""


def chunk(name: str) -> set[str]:
    """Queries that run for one new chunk, whatever it holds."""
    asked = (
        "chunk_tree", "declarations", "summary", "item_index", "resolved", "item_diagnostics", "text_diagnostics",
    )  # fmt: skip
    return {f"{query} {name}" for query in asked}


WHOLE = {"block_starts", "block_names", "file_names", "block_unused", "block_free_names",
         "block_unsound", "block_index", "unsound_chunks",
         "block_declarations", "_blocks_declarations", "block_imports", "file_imports",
         "block_uses", "file_uses", "block_literals", "file_literals", "block_diagnostics", "check_file",
         "block_asks", "asks_for_effects", "block_certain", "_blocks_certain"}  # fmt: skip
"""Queries that assemble the parts of a file after each edit that changes a chunk."""
SIGNATURES = {"environment", "file_problems", "file_types", "file_declarations"}
"""Queries that run besides when a signature or a type changed."""


def test_an_edit_in_a_body_runs_the_queries_of_its_chunk() -> None:
    session = Session()
    assert session.edit("let w = p.x", "let w = p.y") == {*WHOLE, *chunk("width")}


def test_an_edit_that_leaves_the_tree_equal_stops_there() -> None:
    session = Session()
    assert session.edit("w * scale", "w  *  scale") == {*WHOLE, *chunk("width")}


def test_a_comment_and_a_new_line_cost_their_chunk() -> None:
    session = Session()
    assert session.edit("let w", "// why\n    let w") == {*WHOLE, *chunk("width")}
    first = session.edit("import shapes", "\nimport shapes")
    assert first == {*WHOLE, *chunk("shapes")}


def test_a_changed_signature_judges_who_mentions_it() -> None:
    session = Session()
    ran = session.edit("scale: Int", "factor: Int")
    assert ran == {*WHOLE, *SIGNATURES, *chunk("width"), "used_names", "item_diagnostics caller"}
    assert session.codes() == ["W501", "E003"]


def test_a_type_in_a_signature_that_nothing_declares_judges_who_mentions_it() -> None:
    session = Session()
    ran = session.edit("scale: Int", "scale: In")
    assert {query for query in ran if query.startswith("item_diagnostics")} == {
        "item_diagnostics width",
        "item_diagnostics caller",
    }
    assert session.codes() == ["W301"]


def test_a_changed_type_judges_who_meets_it() -> None:
    session = Session()
    ran = session.edit("y: Int }\n\nfn origin", "z: Int }\n\nfn origin")
    # `caller` holds a Point that it does not write down, but reads no field of it.
    assert {query for query in ran if query.startswith("item_diagnostics")} == {
        "item_diagnostics Point",
        "item_diagnostics origin",
        "item_diagnostics width",
    }
    assert "summary origin" not in ran


def test_an_added_function_judges_only_itself() -> None:
    session = Session()
    ran = session.edit("fn stranger", "fn added(p: Point) -> Int { p.x }\n\nfn stranger")
    assert {query for query in ran if query.startswith(("item_diagnostics", "summary", "chunk_tree"))} == {
        "item_diagnostics added",
        "summary added",
        "chunk_tree added",
    }


def test_an_added_function_that_somebody_misses_judges_those() -> None:
    session = Session()
    session.edit("stranger(1)", "stranger(1) + added(1)")
    assert "E003" in session.codes()
    ran = session.edit("fn stranger", "fn added(n: Int) -> Int { n }\n\nfn stranger")
    assert {query for query in ran if query.startswith("item_diagnostics")} == {"item_diagnostics added", "item_diagnostics main"}
    assert "E003" not in session.codes()


def test_an_import_that_changes_judges_who_uses_its_names() -> None:
    session = Session()
    ran = session.edit("import shapes", 'import "shapes"')
    assert {query for query in ran if query.startswith("item_diagnostics")} == {"item_diagnostics shapes"}
    session.edit('import "shapes"', "import nothing")
    assert session.codes() == ["W405", "E003"]
    ran = session.edit("import nothing", "import shapes")
    assert session.codes() == []
    assert {query for query in ran if query.startswith("item_diagnostics")} <= {
        "item_diagnostics shapes",
        "item_diagnostics stranger",
    }


def test_an_edit_in_a_body_of_a_library_reaches_no_program() -> None:
    session = Session()
    changed = Source.from_text(SHAPES.replace("{ n }", "{ n + 1 }"))
    ran = session.ran(lambda: source.set(session.db, LIBRARY, changed))
    assert not any(
        query.startswith("item_diagnostics") or query in ("environment", "block_diagnostics", "check_file") for query in ran
    )


def test_a_changed_signature_of_a_library_judges_its_callers() -> None:
    session = Session()
    changed = Source.from_text("fn area(n: Int, m: Int) -> Int { n * m }\n")
    ran = session.ran(lambda: source.set(session.db, LIBRARY, changed))
    assert {query for query in ran if query.startswith("item_diagnostics")} == {"item_diagnostics stranger"}
    assert session.codes() == ["E009"]


def test_functions_that_change_places_change_what_is_suggested() -> None:
    functions = ("fn value_a(n: Int) -> Int { n }\n", "fn value_b(n: Int) -> Int { n }\n")
    caller = "fn main() -> Int { value_c(1) }\n"
    session = Session("".join((*functions, caller)))
    assert "did you mean 'value_a'?" in [made.help for _, made in session.diagnostics.entries]
    moved = session.text.replaced_by("".join((*reversed(functions), caller)))
    session.ran(lambda: source.set(session.db, MAIN, moved))
    assert "did you mean 'value_b'?" in [made.help for _, made in session.diagnostics.entries]
    assert session.diagnostics == fresh(moved.text, SHAPES, CheckSettings())


def test_every_answer_can_be_compared_with_that_of_another_run() -> None:
    db = Database(check_purity=True)
    source.set(db, MAIN, Source.from_text(PROGRAM))
    assert check_file(db, MAIN).entries


def test_settings_cost_no_judgement() -> None:
    session = Session(PROGRAM.replace("let w = p.x", "let w = p.x\n    let unused = 1"))
    assert session.codes() == ["W501"]
    chosen = CheckSettings(ignore=("W5",))
    ran = session.ran(lambda: settings.set(session.db, WORKSPACE, chosen))
    assert ran == {"block_diagnostics", "check_file"}
    assert session.codes() == []


def test_the_same_text_again_runs_nothing() -> None:
    session = Session()
    assert session.ran(lambda: source.set(session.db, MAIN, Source.from_text(session.text.text))) == set()


def test_a_second_file_with_the_same_items_judges_nothing() -> None:
    session = Session()
    other = FileId(WORKSPACE, "editor:1", MAIN.path)
    with session.db.record_events() as events:
        source.set(session.db, other, session.text)
        assert check_file(session.db, other) == session.diagnostics
    executed = {shown(query, key) for event, query, key in events if event == "execute"}
    assert not any(query.split()[0] in CHUNK_QUERIES for query in executed)


def test_a_keystroke_leaves_the_other_blocks_of_a_long_file_alone() -> None:
    functions = "".join(f"fn f{number}(n: Int) -> Int {{\n    n + {number}\n}}\n\n" for number in range(160))
    session = Session(functions)
    with session.db.record_events() as events:
        start = session.text.text.index("n + 70\n")
        session.text = session.text.edited(start, start + 1, "m")
        source.set(session.db, MAIN, session.text)
        diagnostics = check_file(session.db, MAIN)
    executed = [query for event, query, _ in events if event == "execute"]
    assert [made.code for _, made in diagnostics.entries] == ["W307", "E003"]
    for query in ("block_diagnostics", "block_declarations", "block_unsound", "item_diagnostics", "chunk_tree"):
        assert executed.count(query) == 1, query


def test_a_function_on_top_of_a_long_file_leaves_most_blocks_alone() -> None:
    session = Session("".join(f"fn f{number}(n: Int) -> Int {{\n    n + {number}\n}}\n\n" for number in range(320)))
    whole = len(session.text.blocks)
    with session.db.record_events() as events:
        session.text = session.text.edited(0, 0, "fn added(n: Int) -> Int {\n    n\n}\n\n")
        source.set(session.db, MAIN, session.text)
        check_file(session.db, MAIN)
    executed = [query for event, query, _ in events if event == "execute"]
    assert whole > 12
    # The first function has an empty line above it now.
    for query in ("block_diagnostics", "block_declarations", "block_unsound", "item_diagnostics"):
        assert executed.count(query) <= 2, query


def test_findings_are_the_same_objects_while_nothing_about_them_changes() -> None:
    session = Session(PROGRAM.replace("n + area(1)", "n + areas(1)"))
    (before,) = [made for _, made in session.diagnostics.entries if made.code == "E003"]
    session.edit("let w = p.x", "let w = p.y")
    session.edit("type Point", "\n\ntype Point")
    (after,) = [made for _, made in session.diagnostics.entries if made.code == "E003"]
    assert after is before


# ---- whatever is edited ----------------------------------------------------------------------------------------------


def fresh(text: str, shapes: str, chosen: CheckSettings) -> FileDiagnostics:
    """The diagnostics of a database that has seen nothing else."""
    db = Database()
    source.set(db, LIBRARY, Source.from_text(shapes))
    libraries.set(db, WORKSPACE, "", Libraries((("shapes", LIBRARY),)))
    settings.set(db, WORKSPACE, chosen)
    source.set(db, MAIN, Source.from_text(text))
    return check_file(db, MAIN)


def placed(diagnostics: FileDiagnostics, text: Source) -> list[tuple[int, object]]:
    return list(diagnostics.placed(text))


SETTINGS = (CheckSettings(), CheckSettings(ignore=("W5",)), CheckSettings(severity=(("W501", "warning"),)))


@pytest.mark.parametrize("round_", range(6))
def test_after_any_edits_the_findings_are_those_of_a_fresh_database(round_: int, seed: int) -> None:
    chance = random.Random(f"{seed} {round_}")
    corpus: list[Path] = [path for path in programs("diagnostics", "run", "framework") if path.stat().st_size < 4000]
    db = Database()
    libraries.set(db, WORKSPACE, "", Libraries((("shapes", LIBRARY),)))
    shapes, chosen = SHAPES, SETTINGS[0]
    for path in chance.sample(corpus, 6):
        text = Source.from_text(path.read_bytes().decode("utf-8"))
        history: list[str] = [text.text]
        for _ in range(12):
            match chance.randrange(12):
                case 0:
                    shapes = edited(Source.from_text(shapes), chance).text
                case 1:
                    chosen = chance.choice(SETTINGS)
                case _:
                    text = edited(text, chance)
            source.set(db, LIBRARY, Source.from_text(shapes))
            settings.set(db, WORKSPACE, chosen)
            source.set(db, MAIN, text)
            history.append(text.text)
            kept = placed(check_file(db, MAIN), text)
            new = placed(fresh(text.text, shapes, chosen), Source.from_text(text.text))
            assert kept == new, f"{path.name}, seed {seed}, round {round_}: {history[-2]!r} -> {history[-1]!r}"


def test_a_new_function_leaves_the_types_as_they_are() -> None:
    """The table of types, with what follows from it, is the same object; a type in another place makes another one."""
    db, text = Database(), "type A { x: Int }\n\ntype B { y: A }\n\nfn main() -> Int { 1 }\n"
    source.set(db, MAIN, Source.from_text(text))
    before = type_table(db, MAIN)
    source.set(db, MAIN, Source.from_text("fn added() -> Int { 2 }\n\n" + text))
    assert type_table(db, MAIN) is before
    source.set(db, MAIN, Source.from_text("type B { y: A }\n\ntype A { x: Int }\n\nfn main() -> Int { 1 }\n"))
    assert (type_table(db, MAIN).types, list(type_table(db, MAIN).types)) == (before.types, ["B", "A"])


def test_fixes_are_the_same_whichever_tree_was_evicted() -> None:
    """The types of a chunk can outlive the tree that they were inferred from: its nodes are not those of the next tree."""
    few = ("chunk_tree", "item_diagnostics", "block_diagnostics", "check_file")
    db = Database(check_purity=True, limits=dict.fromkeys(few, 1))
    source.set(db, MAIN, Source.from_text("fn main() -> List<Int> {\n    let out = [1]\n    out.append(2)\n    out\n}\n"))
    other = MAIN._replace(path=f"{WORKSPACE}/other.ax")
    source.set(db, other, Source.from_text("".join(f"fn f{number}() -> Int {{ {number} }}\n" for number in range(100))))

    def fixes() -> list[str]:
        return [fix.id for _, diagnostic in check_file(db, MAIN).entries for fix in diagnostic.fixes]

    before = fixes()
    assert "W107-call-list_push" in before
    check_file(db, other)
    settings.set(db, WORKSPACE, CheckSettings(ignore=("W5",)))
    assert fixes() == before
