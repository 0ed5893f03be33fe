"""The table of refactorings of a place in a function, and what is offered there.

Offering is cheap: the edits are worked out, but the trial against new diagnostics (`change.tried`) waits until one is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.ide.refactor.change import Change, Refusal, tried
from analysis.ide.refactor.change_signature import move_parameter_left, move_parameter_right, remove_parameter
from analysis.ide.refactor.extract_function import extract_function
from analysis.ide.refactor.if_chains import if_to_match, match_to_if
from analysis.ide.refactor.inline_function import inline_function
from analysis.ide.refactor.loops import for_to_while, while_to_for
from analysis.ide.refactor.missing import add_missing_arms, add_missing_fields, create_function, create_record, create_variant
from analysis.ide.refactor.operators import flip_binary
from analysis.ide.refactor.site import Site, site_at
from analysis.ide.refactor.variables import extract_variable, inline_variable
from analysis.ide.rename import is_variable_name, unparsed
from analysis.inputs import FileId
from analysis.text.edits import Span


@dataclass(frozen=True, slots=True)
class Refactoring:
    """`kind` is the protocol's; `keeps` is whether the program means the same afterwards (else it could not run before)."""

    name: str
    title: str
    kind: str
    make: Callable[[Site], Change | Refusal | None]
    keeps: bool = True
    make_everywhere: Callable[[Site, Iterable[FileId]], Change | Refusal | None] | None = None
    """The same with the files that may use what is changed, where others can."""


class Offer(NamedTuple):
    """A refactoring of the selection, or the reason why it cannot be done."""

    refactoring: Refactoring
    refusal: Refusal | None


REFACTORINGS: Final = {
    refactoring.name: refactoring
    for refactoring in (
        Refactoring("extract_variable", "Extract into a variable", "refactor.extract.variable", extract_variable),
        Refactoring("extract_function", "Extract into a function", "refactor.extract.function", extract_function),
        Refactoring("inline_variable", "Inline the variable", "refactor.inline.variable", inline_variable),
        Refactoring("inline_function", "Inline the function here", "refactor.inline.function", inline_function),
        Refactoring("if_to_match", "Convert `if` to `match`", "refactor.rewrite.match", if_to_match),
        Refactoring("match_to_if", "Convert `match` to `if`", "refactor.rewrite.if", match_to_if),
        Refactoring("while_to_for", "Convert to a `for` loop", "refactor.rewrite.for", while_to_for),
        Refactoring("for_to_while", "Convert to a `while` loop", "refactor.rewrite.while", for_to_while),
        Refactoring("flip_binary", "Flip the operands", "refactor.rewrite.flip", flip_binary),
        Refactoring(
            "remove_parameter",
            "Remove the unused parameter",
            "refactor.rewrite.parameter",
            remove_parameter,
            make_everywhere=remove_parameter,
        ),
        Refactoring(
            "move_parameter_left",
            "Move the parameter to the left",
            "refactor.rewrite.parameter.left",
            move_parameter_left,
            make_everywhere=move_parameter_left,
        ),
        Refactoring(
            "move_parameter_right",
            "Move the parameter to the right",
            "refactor.rewrite.parameter.right",
            move_parameter_right,
            make_everywhere=move_parameter_right,
        ),
        Refactoring("add_missing_arms", "Add missing match arms", "refactor.rewrite.arms", add_missing_arms),
        Refactoring("add_missing_fields", "Add missing fields", "refactor.rewrite.fields", add_missing_fields, keeps=False),
        Refactoring("create_function", "Create the function", "quickfix", create_function, keeps=False),
        Refactoring("create_record", "Create the record type", "quickfix", create_record, keeps=False),
        Refactoring("create_variant", "Create the variant", "quickfix", create_variant, keeps=False),
    )
}
"""By name."""


_NAMED: Final[dict[str, Callable[[Site, str], Change | Refusal | None]]] = {
    "extract_function": extract_function,
    "extract_variable": extract_variable,
}


def offered(db: Database, file: FileId, span: Span, wanted: Callable[[str], bool] = lambda kind: True) -> Iterator[Offer]:
    """The refactorings of a selection; `wanted` filters by kind of action."""
    site = site_at(db, file, span)
    if site is None:
        return
    for refactoring in REFACTORINGS.values():
        if wanted(refactoring.kind) and (outcome := refactoring.make(site)) is not None:
            yield Offer(refactoring, outcome if isinstance(outcome, Refusal) else None)


def performed(
    db: Database, file: FileId, span: Span, name: str, others: Callable[[], Iterable[FileId]] = tuple, new_name: str = ""
) -> Change | Refusal:
    """One refactoring of a selection, tried. `others` gives files that may use the changed item; `new_name` is for extracts."""
    site = site_at(db, file, span)
    if site is None:
        return unparsed(db, file, span[0]) or Refusal("the place is not inside a function")
    about = REFACTORINGS[name]
    looked_at = list(others()) if about.make_everywhere is not None else []
    if new_name and not is_variable_name(new_name):
        return Refusal(f"'{new_name[:80]}' is not a valid name here: a small letter first, then letters, digits and underscores")
    if new_name and name in _NAMED:
        outcome = _NAMED[name](site, new_name)
    else:
        outcome = about.make_everywhere(site, looked_at) if about.make_everywhere is not None else about.make(site)
    if outcome is None:
        return Refusal(f"`{name}` does not apply here")
    return tried(db, outcome, looked_at, about.keeps) if isinstance(outcome, Change) else outcome
