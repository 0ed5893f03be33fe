"""A file with the forms of other languages as a file of `.ax`: which items are replaced, by what, and what they need besides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from analysis.database import checkpoint
from analysis.fixes.dialect.habits import (
    COUNTING_FROM_ONE,
    habit,
    is_marked,
    is_of_javascript,
    is_of_python,
    order_habit,
    shows_fractions,
)
from analysis.fixes.dialect.libraries.zig_calls import settle_unions
from analysis.fixes.dialect.lowering.lowering_copies import Copies
from analysis.fixes.dialect.lowering.lowering_scripts import MAYBE_WHOLE
from analysis.fixes.dialect.lowering.writer import with_comments
from analysis.fixes.dialect.reading.grammar_items import Parser
from analysis.fixes.dialect.reading.scanner import STRING, Token
from analysis.fixes.dialect.rewriting.aliases.named_places import settle_places
from analysis.fixes.dialect.rewriting.aliases.shared_items import settle_shared
from analysis.fixes.dialect.rewriting.basic_values.characters import settle_characters
from analysis.fixes.dialect.rewriting.basic_values.rounded_down import settle_rounding
from analysis.fixes.dialect.rewriting.basic_values.true_divisions import HABITS, doubtful_quotients, with_true_divisions
from analysis.fixes.dialect.rewriting.data_types.accessors import settle_accessors
from analysis.fixes.dialect.rewriting.data_types.enum_values import settle_enum_values
from analysis.fixes.dialect.rewriting.data_types.field_accessors import settle_fields_as_functions
from analysis.fixes.dialect.rewriting.data_types.generic_records import settle_generic_records
from analysis.fixes.dialect.rewriting.data_types.large_matches import TOO_LARGE, with_split_matches
from analysis.fixes.dialect.rewriting.data_types.open_objects import settle_open_objects
from analysis.fixes.dialect.rewriting.data_types.reserved_fields import settle_reserved_fields
from analysis.fixes.dialect.rewriting.data_types.shown_records import Shown, with_shown_records
from analysis.fixes.dialect.rewriting.data_types.smart_casts import settle_smart_casts
from analysis.fixes.dialect.rewriting.data_types.variants import free_builtin_names
from analysis.fixes.dialect.rewriting.failures.exceptions import settle_exceptions
from analysis.fixes.dialect.rewriting.failures.go_results import settle_results
from analysis.fixes.dialect.rewriting.failures.partitions import settle_partitions
from analysis.fixes.dialect.rewriting.functions.entry import settle_entry
from analysis.fixes.dialect.rewriting.functions.functional import written_out
from analysis.fixes.dialect.rewriting.functions.global_variables import settle_globals
from analysis.fixes.dialect.rewriting.functions.kept_results import doubts_of_cache
from analysis.fixes.dialect.rewriting.functions.lifted_closures import lift_closures
from analysis.fixes.dialect.rewriting.functions.variadics import settle_variadics
from analysis.fixes.dialect.rewriting.jumps.complete_cases import settle_complete_cases
from analysis.fixes.dialect.rewriting.jumps.early_exits import settle_exits
from analysis.fixes.dialect.rewriting.jumps.implicit_results import settle_implicit_results
from analysis.fixes.dialect.rewriting.jumps.loop_variables import settle_loop_variables
from analysis.fixes.dialect.rewriting.lists.compared_keys import settle_keys
from analysis.fixes.dialect.rewriting.lists.counting import counted
from analysis.fixes.dialect.rewriting.lists.doubtful_ranges import doubts_of_ranges
from analysis.fixes.dialect.rewriting.lists.endless_lists import settle_cycles
from analysis.fixes.dialect.rewriting.lists.iterators import settle_iterators
from analysis.fixes.dialect.rewriting.lists.list_parts import settle_list_parts
from analysis.fixes.dialect.rewriting.lists.numbered_items import settle_numbered
from analysis.fixes.dialect.rewriting.maps.array_maps import with_open_arrays
from analysis.fixes.dialect.rewriting.maps.map_order import doubts_of_order, shown_maps
from analysis.fixes.dialect.rewriting.maps.ordered_maps import with_kept_order
from analysis.fixes.dialect.rewriting.maps.script_idioms import with_defaults
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.effort import MOST_CHARACTERS, begin
from analysis.fixes.dialect.tree.guesses import FirstValue, Guess, first_values, placed
from analysis.fixes.dialect.tree.untranslatable import OtherMeaning, Untranslatable
from analysis.fixes.dialect.typing.fractional_starts import as_fractions, fractional_starts, gives_whole_numbers
from analysis.fixes.dialect.typing.inference import Inference
from analysis.fixes.dialect.typing.objects import find_objects
from analysis.fixes.dialect.typing.program import Program, declared, pristine_functions
from analysis.fixes.dialect.typing.roundings import format_of_decimals
from analysis.fixes.dialect.typing.shared_objects import doubts_of_sharing, shared_classes
from analysis.formatting.formatter import Formatted, format_source
from analysis.text.edits import Edit

_IMPORTED: Final = re.compile(r'^[ \t]*import[ \t]+"?([A-Za-z0-9_.-]++)', re.MULTILINE)


_CHARACTERS: Final = re.compile(r"- *b?'[^']'|:=|\brune\b|\bas u8\b|\bu8\b|\bchar[( )]|\bChar\b|\bCharacter\b")
"""Marks of languages whose characters are numbers."""
_KOTLIN: Final = re.compile(r"\bval \w|\bfun \w")
_SUM: Final = re.compile(r"'[^'\\]' *\+ *[\w(]")
"""In Kotlin a character and a number are a character."""
_ML: Final = re.compile(
    r"\bfun [^\n(]{1,40}->|\blet rec\b|\bfailwith\b|\bsprintf \"|\bList\.hd\b|\blet mutable\b|\bstring_of_int\b"
)
_ELM: Final = re.compile(r"\\\w+[^\n]{0,20}->|\bJust\b|\bMaybe\.|\b(?:list|option|result)\.[a-z]|\bcase\b[^\n]{1,80}\bof\b")
"""Marks of OCaml and F# (`_ML`), and of Elm, Haskell and Gleam (`_ELM`)."""
_RUBY: Final = re.compile(r"^[ \t]*def \w+[?!]?(?:\([^()\n]*\))?[ \t]*$", re.MULTILINE)
"""A method of Ruby, whose body stands on the lines below."""
_BYTES: Final = re.compile(r"\bstd::|&str\b|\bString::|:= |\bu8\b|\bstrlen\b|\bvec!|#include")
"""Marks of languages in which the length of a text is that of its bytes, as it is here."""
_BUILTIN_PLACES: Final = re.compile(r"\blist_(?:get|set|slice|insert|remove_at|at)\(|\bchar_at\(|\w\[0\]")
"""Builtins with places, which count from 0, and a first place 0: where they stand, a program may not count from 1 throughout."""
_SORTED_SETS: Final = re.compile(r"\bBTreeSet\b|(?<![_\w])set<|\bTreeSet\b|\bredBlackTree\b")
"""Types of sets that keep their items in order."""


_INHERITING: Final = re.compile(
    r"\b(?:abstract|interface|protocol|trait|sealed|extends|override)\b|\bUnion\[|^[A-Z]\w{0,60} = [A-Z]\w{0,60} \|", re.MULTILINE
)
"""Words of programs whose classes inherit."""
_DECIMAL_FORMAT: Final = re.compile(r":[FNC0]\d?[}.]|ToString\(\"")
"""How a decimal of C# is shown with as many digits as are written; else it shows those of the numbers that it is made of."""


@dataclass(frozen=True)
class Translated:
    """`edits` are in order and do not overlap; `names` are the items that they replace, `refused` why others stay as they are."""

    edits: tuple[Edit, ...]
    names: tuple[str, ...]
    refused: tuple[str, ...]
    invented: tuple[FirstValue, ...] = ()
    guesses: tuple[Guess, ...] = ()
    unordered: tuple[tuple[str, frozenset[str]], ...] = ()
    """Functions that show the order of maps, with the variables."""
    unlike: tuple[tuple[int, str], ...] = ()
    """Forms that were left and mean something else in `.ax`, with their offsets."""


def translated(text: str, protects: bool = True) -> Translated | None:
    """The edits that write a text in `.ax`; None if it is no program of any dialect or nothing changes.

    With `protects` an `if` replaces `&&` and `||` whose right side can fail, since both sides are evaluated here.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    begin()
    first = _written(text, protects, {})
    if (first is None or first.refused) and _INHERITING.search(text) is not None:
        trees = _written(text, protects, {}, trees=True)
        if trees is not None and (first is None or len(trees.refused) < len(first.refused)):
            first = trees
    if first is not None and TOO_LARGE in first.refused:
        split = _written(text, protects, {}, splits=True)
        first = split if split is not None and len(split.refused) < len(first.refused) else first
    if first is None or not first.unordered:
        return first
    # Entries of maps are shown in the order in which they were put in: once more with that order kept.
    again = _written(text, protects, dict(first.unordered))
    is_kept = again is not None and len(again.refused) <= len(first.refused) and len(again.guesses) < len(first.guesses)
    return again if is_kept else first


def _written(
    text: str, protects: bool, ordered: dict[str, frozenset[str]], splits: bool = False, trees: bool = False
) -> Translated | None:
    try:
        return _translated(text, protects, ordered, splits, trees)
    except (Untranslatable, RecursionError):
        return None


def _note_divisions(program: Program, items: list[n.Item], text: str) -> None:
    """Whether `/` keeps a fraction."""
    program.divides_truly = program.habit in HABITS and is_marked(text, program.habit)
    program.keeps_fractions = program.habit == "python" and is_of_python(text)
    program.quotients = with_true_divisions(items, program.habit, text)
    if program.habit == "javascript" and is_of_javascript(text):
        program.doubtful_quotients = doubtful_quotients(items, text)


def _prepared(items: list[n.Item], parser: Parser, text: str, ordered: dict[str, frozenset[str]]) -> Program:
    """The program of the items, which get the forms that need no types."""
    with_defaults(items)
    with_open_arrays(items)
    program = _noted(items, parser, text)
    _note_divisions(program, items, text)
    with_kept_order(items, ordered, order_habit(text), text)
    find_objects(program, items)
    program.pristine = pristine_functions(program)
    return program


def _translated(
    text: str,
    protects: bool,
    ordered: dict[str, frozenset[str]],
    splits: bool = False,
    trees: bool = False,
    fractions: frozenset[int] = frozenset(),
) -> Translated | None:
    parser = _parser(text, trees)
    items = with_split_matches(_settled(parser, text)) if splits else _settled(parser, text)
    as_fractions(items, fractions)
    refused = [item.reason for item in items if isinstance(item, n.Verbatim) and item.reason]
    order = order_habit(text)
    program = _prepared(items, parser, text, ordered)
    edits: list[Edit] = []
    names: list[str] = []
    written: list[int] = []
    guesses: list[tuple[int, str, str]] = []
    unordered: list[tuple[str, frozenset[str]]] = []
    halved: set[int] = set()
    Inference(program).program_types(list(program.definitions.values()))
    if not fractions and (starts := fractional_starts(program.definitions.values())):
        return _translated(text, protects, ordered, splits, trees, starts)
    program.mixes_numbers = bool(fractions) or gives_whole_numbers(program)
    lowering, classes = _lowering(program, parser, items, protects), shared_classes(program)
    inner = {item.start for item in items if item.start == item.end}
    for item in items:
        if isinstance(item, n.Verbatim):
            continue
        before = len(lowering.added.guesses)
        is_template = isinstance(item, n.Function) and item.name in lowering.templates
        shown = shown_maps(item, order)
        new_text = "" if is_template else _item_text(lowering, item, text, [] if isinstance(item, Shown) else refused)
        if new_text is None:
            halved |= _halves(item, items)
            del lowering.added.guesses[before:]
            continue
        doubts = (*_doubts(parser, item), *doubts_of_order(shown, order), *doubts_of_sharing(item, classes, program))
        if shown is not None and isinstance(item, n.Function):
            unordered.append((item.name, shown))
        guessed = [each for each in lowering.added.guesses[before:] if each[1] != MAYBE_WHOLE or program.mixes_numbers]
        guesses += [(item.start, *each) for each in dict.fromkeys((*doubts, *guessed))]
        end = item.end if new_text or item.end in inner else item.end + _breaks_at(text, item.end)
        edits.append(Edit((item.start, end), new_text if item.start < item.end else f"\n\n{new_text}"))
        names.append(_name_of(item))
        written.append(id(item))
    halved |= _never_shown(items, edits)
    if halved:
        kept = [place for place, item_id in enumerate(written) if item_id not in halved]
        edits, names = [edits[place] for place in kept], [names[place] for place in kept]
        guesses = [each for each in guesses if any(edit.span[0] == each[0] for edit in edits)]
    if any(isinstance(item, n.Function) and item.name in lowering.templates - lowering.copied() for item in items):
        # Without its function the program would lose what somebody wrote.
        return None
    whole = with_comments(_with_head(text, items, lowering, edits), parser.scanner.comments, items)
    unlike = tuple(lowering.unlike)
    if (not edits and not lowering.added.libraries) or _overlap(whole):
        return Translated((), (), tuple(refused), unlike=unlike) if unlike else None
    invented, doubtful = first_values(whole, lowering.added.first_values), placed(whole, guesses)
    return Translated(whole, tuple(names), tuple(refused), tuple(invented), tuple(doubtful), tuple(unordered), unlike)


def _overlap(edits: tuple[Edit, ...]) -> bool:
    """True if two items were read from one place: better no translation than a repair that fails."""
    spans = sorted(edit.span for edit in edits)
    return any(later[0] < earlier[1] for earlier, later in pairwise(spans))


def _parser(text: str, trees: bool) -> Parser:
    """A parser; with `trees` interfaces with their classes are no enums."""
    parser = Parser(text)
    parser.reads_all_trees = trees
    return parser


def _lowering(program: Program, parser: Parser, items: list[n.Item], protects: bool) -> Copies:
    """What writes the items of a program."""
    lowering = Copies(program, parser.scanner.comments)
    lowering.protects = protects
    lowering.all_is_true = parser.uses_end
    _find_templates(lowering, items, parser.text)
    return lowering


def _never_shown(items: list[n.Item], edits: list[Edit]) -> set[int]:
    """The functions for texts of records that nothing calls."""
    shown = {id(item): f"{item.functions[0].name}(" for item in items if isinstance(item, Shown)}
    return {key for key, call in shown.items() if sum(edit.new_text.count(call) for edit in edits) < 2}


def _breaks_at(text: str, offset: int) -> int:
    """How many line breaks stand at an offset."""
    return len(text) - offset - len(text[offset:].lstrip("\n"))


def _halves(refused: n.Item, items: list[n.Item]) -> set[int]:
    """The items in whose text the methods stand that cannot be written: without them they stay as they are, too."""
    if not isinstance(refused, n.Implementation) or not refused.functions or isinstance(refused, Shown):
        return set()
    owner = refused.owner
    members = [item for item in items if isinstance(item, n.Alias) and item.type.name == owner]
    if refused.start < refused.end and not members:
        return set()
    declared_here = [item for item in items if isinstance(item, (n.Record, n.Enum)) and item.name == owner]
    behind = [item for item in items if isinstance(item, n.Implementation) and item.owner == owner]
    return {id(item) for item in (*members, *declared_here, *behind)}


def _note_habits(program: Program, parser: Parser, text: str) -> None:
    """Records in `program` the language habits found in the text."""
    program.habit = habit(text)
    program.has_zeros = parser.is_go
    program.source = text
    has_texts = any(token.kind == STRING and token.text[0] == "'" and _is_text(token) for token in parser.tokens)
    is_counted = _CHARACTERS.search(text) or (_KOTLIN.search(text) and _SUM.search(text))
    program.counts_characters = is_counted is not None and not has_texts
    program.quotes_texts = has_texts or habit(text) != ""
    is_wide = any(token.kind == STRING and not token.text.isascii() for token in parser.tokens)
    program.counts_wide_characters = is_wide and _BYTES.search(text) is None
    program.counts_bytes = is_wide and not program.counts_wide_characters
    checkpoint()
    program.sorts_sets = _SORTED_SETS.search(text) is not None
    program.shows_fractions = shows_fractions(text, program.habit)
    checkpoint()
    program.fails_early = _ML.search(text) is not None and _ELM.search(text) is None
    program.is_like_haskell = parser.is_like_haskell
    program.rounds_to_even = program.habit in ("python", "julia") or parser.is_like_haskell
    program.decimal_format = format_of_decimals(text)
    program.is_rust = ":?}" in text


def _noted(items: list[n.Item], parser: Parser, text: str) -> Program:
    """The program of the items, with the habits of its text."""
    program = declared(items)
    _note_habits(program, parser, text)
    _note_counting(program, items, text)
    return program


def _note_counting(program: Program, items: list[n.Item], text: str) -> None:
    """Records in `program` whether places begin at 0 or 1."""
    if habit(text) not in COUNTING_FROM_ONE and not program.counts_from_one:
        return
    places = counted(items)
    program.counts_from_one = not places.is_from_zero
    program.is_counted = not places.zero and _BUILTIN_PLACES.search(text) is None


def _is_text(token: Token) -> bool:
    """True if single quotes hold more or less than one character."""
    return len("".join(text for _, text, _ in token.pieces).removeprefix("\\")) != 1


def _settled(parser: Parser, text: str) -> list[n.Item]:
    """The items of a text, with the forms that are rewritten before types are known."""
    items = parser.program()
    settle_reserved_fields(items)
    settle_loop_variables(items, habit(text), text)
    items = settle_places(settle_shared(items, text), text)
    settle_entry(items)
    if is_of_python(text):
        settle_implicit_results(items)
    settle_complete_cases(items)
    settle_generic_records(items, parser.generic_types)
    settle_smart_casts(items)
    items = settle_globals(settle_enum_values(items, parser.raw_values), text)
    items = lift_closures(items, text)
    settle_fields_as_functions(items)
    settle_variadics(items, parser.variadic)
    settle_list_parts(items)
    settle_numbered(items)
    settle_partitions(items)
    items = settle_cycles(items)
    settle_results(items, text)
    settle_unions(items)
    settle_iterators(items)
    settle_exits(items)
    settle_keys(items)
    settle_characters(items, text)
    settle_accessors(items, parser.accessors)
    items = free_builtin_names(settle_exceptions(written_out(items, parser.is_like_haskell)), text)
    settle_open_objects(items)
    items = with_shown_records(items, text)
    parser.doubtful_roundings = settle_rounding(items, habit(text) or ("ruby" if _RUBY.search(text) else ""), text)
    return items


def _doubts(parser: Parser, item: n.Item) -> Iterator[tuple[str, str]]:
    """Guesses about ranges and about the two slashes in an item: the word that was written for them, and how they are read."""
    yield from doubts_of_ranges(item, parser.text)
    yield from doubts_of_cache(item, parser.text)
    for at in parser.scanner.doubtful_divisions():
        if item.start <= at < item.end:
            yield "/", "`//` is read as a division"
    for at in parser.scanner.doubtful_remarks:
        if item.start <= at < item.end:
            yield "//", "text after `//` is read as a comment"
    for at in parser.doubtful_roundings:
        if item.start <= at < item.end:
            yield "int_mod", f"a division of a negative number rounds as in {habit(parser.text).capitalize()}, and not as in .ax"
    exact = [has_fraction for at, has_fraction in parser.scanner.decimals if item.start <= at < item.end]
    if exact and (any(exact) or "/" in parser.text) and _DECIMAL_FORMAT.search(parser.text) is None:
        yield ".", "a decimal is read as a Float, which does not keep its digits"


def _find_templates(lowering: Copies, items: list[n.Item], text: str) -> None:
    """Notes the functions for values of any type that cannot be written for all of them, but for those of their calls."""
    for item in items:
        if not isinstance(item, n.Function) or item.name not in lowering.program.pristine or item.name == "main":
            continue
        is_named = re.search(rf"\b{re.escape(item.name)}\b", f"{text[: item.start]} {text[item.end :]}")
        if is_named and not lowering.can_write(item):
            lowering.templates.add(item.name)


def _item_text(lowering: Copies, item: n.Item, text: str, refused: list[str]) -> str | None:
    """The new text of an item; None if it stays as it is."""
    lowering.skip_comments(item.start)
    before = len(lowering.added.functions)
    helpers = dict(lowering.helpers)
    try:
        new_text = lowering.item(item)
    except (Untranslatable, RecursionError) as error:
        if isinstance(error, OtherMeaning):
            lowering.unlike.append((error.start, error.reason))
        refused.append(error.reason if isinstance(error, Untranslatable) else "it is nested too deeply")
        del lowering.added.functions[before:]
        lowering.helpers = helpers
        return None
    new_text = "\n\n".join([new_text, *lowering.added.functions[before:]])
    formatted = format_source(None, new_text)
    if not isinstance(formatted, Formatted):
        refused.append("its translation does not parse" if formatted is None else formatted.message)
        return None
    old = format_source(None, text[item.start : item.end] + "\n")
    if isinstance(old, Formatted) and old.text == formatted.text:
        return None
    return formatted.text.rstrip("\n")


def _name_of(item: n.Item) -> str:
    return str(getattr(item, "name", "") or getattr(item, "owner", ""))


def _with_head(text: str, items: list[n.Item], lowering: Copies, edits: list[Edit]) -> tuple[Edit, ...]:
    """The edits with the imports and records that they need, which stand before the first item that is no import."""
    imported = set(_IMPORTED.findall(text))
    lines = [f'import "{name}"' for name in sorted(lowering.added.libraries - imported)]
    records = [record for _, record in lowering.added.records.values()]
    head = "\n".join(lines)
    for record in records:
        formatted = format_source(None, record)
        head += ("\n\n" if head else "") + (formatted.text.rstrip("\n") if isinstance(formatted, Formatted) else record)
    if not head:
        return tuple(edits)
    # Comments above the first item stay above the imports.
    first = next((item for item in items if not (isinstance(item, n.Verbatim) and not item.reason)), items[0])
    if edits and edits[0].span[0] == first.start:
        edits[0] = Edit(edits[0].span, f"{head}\n\n{edits[0].new_text}")
        return tuple(edits)
    return (Edit((first.start, first.start), f"{head}\n\n"), *edits)
