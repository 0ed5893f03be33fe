"""The ids of steps in `workflow.json`: their places, their targets, and the facts about a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from analysis.documents.completions import Around, Link, Offer, Slot
from analysis.documents.files import file_named
from analysis.documents.kind import Occurrence
from analysis.documents.opened import Opened
from analysis.documents.parsed import Path
from analysis.documents.step_programs import step_reads, step_result
from analysis.ide.declaration_text import described
from analysis.ide.markdown import fence, prose, word
from analysis.ide.name_meanings import Place, item_place
from analysis.ide.name_types import item_named
from analysis.inputs import FileId
from analysis.syntax import tree as t
from analysis.text.edits import Span
from analysis.workflow.reader import GATE, SOURCE, TRIGGER
from analysis.workflow.validation import unsafe_name

_STEPS: Final = "steps"
_RESULT: Final = "result"
_FORBIDDEN: Final = frozenset('"\\.')


def occurrences(document: Opened) -> Iterator[Occurrence]:
    """All places of ids of steps."""
    parsed, text = document.parsed, document.text
    for name in parsed.table((_STEPS,)):
        if (span := _inside(text, parsed.keys.get((_STEPS, name)), name)) is not None:
            yield Occurrence(name, span, True)
    for path, value, span in parsed.texts():
        if is_reference(path):
            name = value.partition(".")[0] if path[2:3] == ("inputs",) else value
            if (inner := _inside(text, span, name)) is not None:
                yield Occurrence(name, inner)


def is_reference(path: Path) -> bool:
    """True if the text under a path names a step."""
    if path[:1] == ("edges",):
        return len(path) == 3
    return path[:1] == (_STEPS,) and len(path) == 4 and path[2] in ("depends_on", "inputs")


def _inside(text: str, span: Span | None, name: str) -> Span | None:
    """The span of a name behind the quote at the beginning of a span; None if it is written with escapes."""
    if span is None or not name or text[span[0] + 1 : span[0] + 1 + len(name)] != name:
        return None
    return span[0] + 1, span[0] + 1 + len(name)


def refused(name: str) -> str:
    """Reason why an id cannot be this text; "" if it can."""
    if not name or set(name) & _FORBIDDEN or any(letter < " " for letter in name):
        return "is not a step id: it has no dots, quotes, backslashes or control characters"
    return unsafe_name(name) or ""


# ---- what a place leads to ------------------------------------------------------------------------------------------


def targets(document: Opened, path: Path, is_name: bool, offset: int) -> Iterator[Place]:
    """From an id to its step, from a step or its path to the program, from an input to where the program reads it."""
    parsed = document.parsed
    if is_name and len(path) == 4 and path[2] == "inputs":
        program = program_of(document, str(path[1]))
        reads = step_reads(document.db, program).names if program is not None else ()
        yield from (Place(program, span, span) for name, span in reads if program is not None and name == path[3])
        return
    for each in occurrences(document):
        if each.span[0] <= offset <= each.span[1]:
            if each.is_declaration:
                yield from _program_place(document, each.name)
            elif (key := parsed.keys.get((_STEPS, each.name))) is not None:
                whole = parsed.values.get((_STEPS, each.name), key)
                yield Place(document.file, (key[0], max(key[1], whole[1])), key)
            return
    value = parsed.get(path)
    if is_name or not isinstance(value, str) or path[:1] != (_STEPS,):
        return
    if path[2:] == ("source",):
        yield from _program_place(document, str(path[1]))
    elif path[2:3] == ("inputs",):
        # Behind the dot: the output of the step.
        yield from _program_place(document, value.partition(".")[0])


def _program_place(document: Opened, step: str) -> Iterator[Place]:
    program = program_of(document, step)
    if program is None:
        return
    definition = item_named(document.db, program, "main", t.Function)
    yield item_place(document.db, *definition) if definition is not None else Place(program, (0, 0), (0, 0))


def program_of(document: Opened, step: str) -> FileId | None:
    """The program of a step, if it is there."""
    source = document.parsed.get((_STEPS, step, "source"))
    named = file_named(document.db, document.file, source) if isinstance(source, str) else None
    return named.file if named is not None else None


def links(document: Opened) -> Iterator[Link]:
    """The programs of the steps."""
    for name in document.parsed.table((_STEPS,)):
        span, program = document.parsed.values.get((_STEPS, name, "source")), program_of(document, name)
        if span is not None and program is not None and span[1] - span[0] > 2:
            yield Link((span[0] + 1, span[1] - 1), program)


# ---- what is known of a step ----------------------------------------------------------------------------------------


def describe(document: Opened, path: Path, is_name: bool, offset: int) -> Iterator[str]:
    """A step where its id or its program stands; an input with the type of what it reads."""
    parsed = document.parsed
    value = parsed.get(path)
    if (is_name and len(path) == 2 and path[0] == _STEPS) or (not is_name and path[:1] == (_STEPS,) and path[2:] == ("source",)):
        yield from _step(document, str(path[1]))
    elif len(path) == 4 and path[2] == "inputs" and isinstance(value, str):
        yield from _input(document, str(path[1]), str(path[3]), value)
    elif not is_name and isinstance(value, str) and is_reference(path):
        yield from _step(document, value)


def _input(document: Opened, step: str, name: str, reference: str) -> Iterator[str]:
    given = reference.partition(".")[0]
    returned = _returned(document, given)
    yield f"{word(step)} reads {word(name)} with {word(f'step_input({name})')}: what {word(given)} returns, as JSON text."
    if returned:
        yield fence(f"{given}: {returned}")


def _returned(document: Opened, step: str) -> str:
    kind = document.parsed.get((_STEPS, step, "kind"))
    if kind in (GATE, TRIGGER):
        return "Map<String, String>" if kind == GATE else "String"
    program = program_of(document, step)
    result = step_result(document.db, program) if program is not None else None
    return result.type if result is not None else ""


def _step(document: Opened, step: str) -> Iterator[str]:
    fields = document.parsed.table((_STEPS, step))
    if not fields:
        return
    kind, program = fields.get("kind"), program_of(document, step)
    if program is not None:
        definition = item_named(document.db, program, "main", t.Function)
        if definition is not None:
            shown = described(document.db, item_place(document.db, *definition))
            yield fence(shown.signature)
            if shown.doc:
                yield prose(shown.doc)
    if kind == SOURCE:
        yield f"Step {word(step)} runs {word(str(fields.get('source', '?')))}."
    elif kind == GATE:
        yield f"Step {word(step)} waits for the approval of a {word(str(fields.get('required_role', '?')))}."
    elif kind == TRIGGER:
        yield f"Step {word(step)} waits for an event from outside."
    if before := sorted(_before(document.parsed.table((_STEPS,)), document.parsed.get(("edges",))).get(step, ())):
        yield "After " + ", ".join(word(name) for name in before[:20]) + "."


def symbol(document: Opened, path: Path) -> tuple[str, str] | None:
    """A step in the outline, with its program or its kind."""
    if len(path) != 2 or path[0] != _STEPS:
        return None
    fields = document.parsed.table(path)
    return "step", str(fields.get("source") or fields.get("kind") or "")


# ---- completion -----------------------------------------------------------------------------------------------------


def offers(document: Opened, slot: Slot, around: Around) -> Iterator[Offer]:
    """Ids of steps where they make no cycle, outputs of ancestors first, programs of the folder, inputs that a program reads."""
    path, parsed = slot.path, document.parsed
    steps = parsed.table((_STEPS,))
    if slot.is_name:
        if path[:1] == (_STEPS,) and path[2:] == ("inputs",):
            program = program_of(document, str(path[1]))
            for name, _ in step_reads(document.db, program).names if program is not None else ():
                if name not in parsed.table(path):
                    written = f'"{name}"' if slot.has_value else f'"{name}": "$1"'
                    yield Offer(name, written, "read by the program", is_name=True, is_snippet=True)
        return
    if path[:1] == ("edges",) and len(path) == 3:
        yield from (_text(name, str(steps[name].get("kind", ""))) for name in steps if isinstance(steps[name], dict))
    elif path[:1] == (_STEPS,) and len(path) > 2:
        yield from _values_of_step(document, steps, str(path[1]), path[2:], around)


def _values_of_step(document: Opened, steps: Mapping[str, Any], step: str, path: Path, around: Around) -> Iterator[Offer]:
    before = _before(steps, document.parsed.get(("edges",)))
    after = _reached({other: [name for name, those in before.items() if other in those] for other in steps}, step)
    free = [name for name in steps if name != step and name not in after]
    if path == ("source",):
        yield from (_text(program, "program") for program in around.programs)
    elif path[0] == "depends_on":
        there = document.parsed.get((_STEPS, step, "depends_on"))
        yield from (_text(name) for name in free if not isinstance(there, list) or name not in there)
    elif path[0] == "inputs" and len(path) == 2:
        ancestors = _reached(before, step)
        for name in sorted(free, key=lambda name: name not in ancestors):
            yield _text(f"{name}.{_RESULT}", _returned(document, name) or ("" if name in ancestors else "not an ancestor"))
    elif path == ("required_role",):
        roles = (fields.get("required_role") for fields in steps.values() if isinstance(fields, dict))
        yield from (_text(role) for role in dict.fromkeys(roles) if isinstance(role, str) and role)


def _text(text: str, detail: str = "") -> Offer:
    return Offer(text, f'"{text}"', detail)


def _before(steps: Mapping[str, Any], edges: Any) -> dict[str, set[str]]:
    """The direct predecessors of each step, as far as the document can be read."""
    before: dict[str, set[str]] = {}
    for name, fields in steps.items():
        given = fields.get("depends_on") if isinstance(fields, dict) else None
        before[name] = {step for step in given if isinstance(step, str)} if isinstance(given, list) else set()
    for edge in edges if isinstance(edges, list) else ():
        if isinstance(edge, list) and len(edge) == 2 and all(isinstance(end, str) for end in edge):
            before.setdefault(edge[1], set()).add(edge[0])
    return before


def _reached(following: Mapping[str, Iterable[str]], start: str) -> set[str]:
    """The steps that can be reached from a step; itself only through a cycle."""
    reached: set[str] = set()
    waiting = list(following.get(start, ()))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += following.get(name, ())
    return reached
