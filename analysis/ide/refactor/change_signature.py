"""Change signature: parameters removed, reordered and added, in the function and in all its calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.diagnostics.rules.locals import PROTOCOL_FUNCTIONS
from analysis.ide.name_meanings import Kind, Place, Spot, item_around
from analysis.ide.refactor.change import Change, Refusal
from analysis.ide.refactor.effects import effects_of
from analysis.ide.refactor.site import Site, site_at
from analysis.ide.references import files_of, uses
from analysis.ide.rename import library_refusal, unparsed
from analysis.ide.target import target_at
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.occurrences import Occurrence, Use
from analysis.semantics.scopes import resolve
from analysis.syntax import tree as t
from analysis.syntax.parser import parse
from analysis.text.edits import Edit


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parameter of the new signature: an existing one by `number`, or a new one with the value for the calls."""

    number: int | None = None
    name: str = ""
    type: str = ""
    value: str = ""


def change_signature(
    db: Database, file: FileId, offset: int, wanted: Sequence[Wanted], others: Iterable[FileId] = ()
) -> Change | Refusal | None:
    """Changes the parameters of the function named at an offset; `others` are files that may call it."""
    target = target_at(db, file, offset)
    if target is None or target.kind is not Kind.FUNCTION or not target.places:
        return None
    place = target.places[-1]
    if refusal := library_refusal(db, file, place):
        return refusal
    function, written = _function_at(db, place)
    if function is None:
        return unparsed(db, place.file, place.name_span[0])
    if function.name == "main" or function.name in PROTOCOL_FUNCTIONS:
        return Refusal(f"'{function.name}' is called by the host with its present parameters")
    if refusal := _unfit(written, function, wanted):
        return refusal
    edits: dict[FileId, list[Edit]] = {}
    for each in files_of(db, file, target.meaning, others):
        spots = list(uses(db, each, target.meaning))
        file_edits = _in_file(db, each, spots, function, wanted)
        if isinstance(file_edits, Refusal):
            return file_edits
        if file_edits:
            edits[each] = file_edits
    count = sum(len(each) for each in edits.values()) - 1
    # A new parameter is not used yet.
    unused = frozenset([("W501", parameter.name) for parameter in wanted if parameter.number is None])
    return Change(edits, {"calls_changed": count, "function_name": function.name}, expected=unused)


def remove_parameter(site: Site, others: Iterable[FileId] = ()) -> Change | Refusal | None:
    """Removes the unused parameter at the cursor, and its arguments in all calls."""
    number = _parameter_at(site)
    if number is None:
        return None
    kept = [Wanted(each) for each in range(len(site.function.parameters)) if each != number]
    return change_signature(site.db, site.file, site.start + site.function.at, kept, others)


def move_parameter_left(site: Site, others: Iterable[FileId] = ()) -> Change | Refusal | None:
    """Swaps the parameter at the cursor with the one before it, and their arguments in all calls."""
    number = _parameter_at(site)
    return _swapped(site, number - 1, others) if number is not None else None


def move_parameter_right(site: Site, others: Iterable[FileId] = ()) -> Change | Refusal | None:
    """Swaps the parameter at the cursor with the one after it, and their arguments in all calls."""
    number = _parameter_at(site)
    return _swapped(site, number, others) if number is not None else None


def _swapped(site: Site, first: int, others: Iterable[FileId]) -> Change | Refusal | None:
    count = len(site.function.parameters)
    if not 0 <= first < count - 1:
        return None
    order = [*range(first), first + 1, first, *range(first + 2, count)]
    return change_signature(site.db, site.file, site.start + site.function.at, [Wanted(each) for each in order], others)


def _parameter_at(site: Site) -> int | None:
    for number, parameter in enumerate(site.function.parameters):
        if parameter.start <= site.span[0] <= parameter.end:
            return number
    return None


def _function_at(db: Database, place: Place) -> tuple[t.Function | None, str]:
    text = source(db, place.file)
    index = text.chunk_at(place.name_span[0])
    written = text.chunks[index].text
    item = item_around(chunk_tree(db, written).items, place.name_span[0] - text.offsets[index])
    return (item if isinstance(item, t.Function) and not item.broken else None), written


def _unfit(written: str, function: t.Function, wanted: Sequence[Wanted]) -> Refusal | None:
    count = len(function.parameters)
    numbers = [new.number for new in wanted if new.number is not None]
    if len(set(numbers)) < len(numbers) or any(not 0 <= number < count for number in numbers):
        return Refusal(f"the parameters are numbered 0 to {count - 1}: give each at most once")
    if len({parameter.name for parameter in function.parameters}) < count:
        return Refusal(f"'{function.name}' has two parameters with the same name")
    inside = _names_in(written, function)
    for number, parameter in enumerate(function.parameters):
        if number not in numbers and any(
            occurrence.local == parameter.start and occurrence.use is not Use.DECLARATION for occurrence in inside
        ):
            return Refusal(f"'{parameter.name}' is used in '{function.name}'")
    names = {occurrence.name for occurrence in inside}
    for new in wanted:
        if new.number is None:
            probe = parse(f"fn probe({new.name}: {new.type}) {{ probe({new.value}) }}")
            body = probe.items[0].body.statements if probe.items and isinstance(probe.items[0], t.Function) else ()
            call = body[0] if len(body) == 1 else None
            if probe.errors or probe.tokens.errors or not isinstance(call, t.Call) or len(call.arguments) != 1:
                return Refusal(f"the new parameter '{new.name}' needs a name, a type and a value for the existing calls")
            if new.name in names:
                return Refusal(f"'{new.name}' is already used in '{function.name}'")
    return None


def _names_in(written: str, function: t.Function) -> list[Occurrence]:
    return [occurrence for occurrence in resolve(parse(written)).occurrences if function.start <= occurrence.start < function.end]


def _in_file(
    db: Database, file: FileId, spots: list[Spot], function: t.Function, wanted: Sequence[Wanted]
) -> list[Edit] | Refusal:
    """The edits of one file. A call within an argument of another call is part of that call's edit."""
    calls: dict[int, tuple[Site, t.Call]] = {}
    edits: list[Edit] = []
    for spot in spots:
        if spot.occurrence.use is Use.DECLARATION:
            edits.append(_of_declaration(db, file, spot, wanted))
            continue
        site = site_at(db, file, spot.span)
        call = None
        if site is not None:
            at = spot.occurrence.start
            call = next(
                (
                    node
                    for node in t.walk(site.function)
                    if isinstance(node, t.Call) and node.callee.start == at and isinstance(node.callee, t.Name)
                ),
                None,
            )
        line = source(db, file).position(spot.span[0])[0] + 1
        if site is None and (refusal := unparsed(db, file, spot.span[0])):
            return refusal
        if site is None or call is None:
            return Refusal(f"line {line} of {file.path.rpartition('/')[2]} uses '{function.name}' as a value")
        if len(call.arguments) != len(function.parameters):
            return Refusal(f"line {line} calls '{function.name}' with a wrong number of arguments")
        if refusal := _order_kept(site, call, wanted, line):
            return refusal
        calls[spot.span[0]] = (site, call)
    outer = [
        (site, call)
        for site, call in calls.values()
        if not any(
            other is not call and mine.start == site.start and other.start <= call.start and call.end <= other.end
            for mine, other in calls.values()
        )
    ]
    calls_by_place = {(site.start, id_of(call)): (site, call) for site, call in calls.values()}
    for site, call in outer:
        edits.append(site.edit((call.opening, call.end), _arguments(site, call, wanted, calls_by_place)))
    return sorted(edits, key=lambda edit: edit.span)


def id_of(call: t.Call) -> int:
    """A key that is unique among the calls of one chunk."""
    return call.opening


def _of_declaration(db: Database, file: FileId, spot: Spot, wanted: Sequence[Wanted]) -> Edit:
    text = source(db, file)
    written = text.chunks[spot.chunk].text
    item = item_around(chunk_tree(db, written).items, spot.occurrence.start)
    assert isinstance(item, t.Function)
    opening = written.index("(", item.at)
    end = item.parameters[-1].end if item.parameters else opening + 1
    parameters = [
        written[item.parameters[new.number].start : item.parameters[new.number].end]
        if new.number is not None
        else f"{new.name}: {new.type}"
        for new in wanted
    ]
    start = item.parameters[0].start if item.parameters else opening + 1
    return Edit((spot.start + start, spot.start + end), ", ".join(parameters))


def _arguments(
    site: Site, call: t.Call, wanted: Sequence[Wanted], calls_by_place: dict[tuple[int, int], tuple[Site, t.Call]]
) -> str:
    """The parenthesised arguments of a call for the new signature."""

    def text(node: t.Expr) -> str:
        start, end = site.whole(node)
        pieces, at = [], start
        inner = [child for child in t.walk(node) if isinstance(child, t.Call) and (site.start, id_of(child)) in calls_by_place]
        for nested in sorted(inner, key=lambda nested: nested.start):
            if nested.opening >= at:
                pieces += [site.written[at : nested.opening], _arguments(site, nested, wanted, calls_by_place)]
                at = nested.end
        return "".join([*pieces, site.written[at:end]])

    return f"({', '.join(text(call.arguments[new.number]) if new.number is not None else new.value for new in wanted)})"


def _order_kept(site: Site, call: t.Call, wanted: Sequence[Wanted], line: int) -> Refusal | None:
    argument_effects = [effects_of(site, [argument]) for argument in call.arguments]
    kept = [new.number for new in wanted if new.number is not None]
    for number, effects in enumerate(argument_effects):
        if number not in kept and (effects.acts or effects.writes or effects.returns):
            return Refusal(f"the argument that is removed in line {line} has effects")
    for place, first in enumerate(kept):
        for second in kept[place + 1 :]:
            if first > second and not argument_effects[first].may_swap_with(argument_effects[second]):
                return Refusal(f"the arguments in line {line} have effects: their order would change")
    return None
