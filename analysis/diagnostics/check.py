"""The one list of diagnostics of a file that every view shows.

Put together from the syntax diagnostics, the rules of `rules/` per chunk (given an item scope of the environment) and rules
about the whole file, minus what settings and comments silence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from operator import is_
from typing import Final, NamedTuple

from analysis.data_classes import dataclass, replace
from analysis.database import Database, checkpoint, discard, paced, paced_sorted, query
from analysis.diagnostics.codes import ABOUT_FORM, CODES
from analysis.diagnostics.consequences import without_consequences
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diagnostics.file_rules.file_problems import file_problems
from analysis.diagnostics.file_rules.placing import placed
from analysis.diagnostics.file_rules.problem import NO_PROBLEMS, Problems
from analysis.diagnostics.file_rules.unused_items import Misspelt, block_unused, used_names
from analysis.diagnostics.portability import defined_twice, portability
from analysis.diagnostics.rules import (
    both_sides,
    byte_lengths,
    capability_names,
    constants,
    copied_data,
    dead_stores,
    interpolation,
    line_ends,
    locals,
    names,
    patterns,
    shadowing,
    traps,
    useless,
)
from analysis.diagnostics.rules.building import diagnostic as new_diagnostic
from analysis.diagnostics.syntax_errors import syntax_diagnostics
from analysis.diagnostics.typed import LONG, typed_diagnostics
from analysis.inputs import BLOCK, CHUNK, FILE, CheckSettings, FileId, defect, settings, source
from analysis.semantics.anonymous import anonymous_fields
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import BlockScope, ItemScope
from analysis.semantics.rule_context import TextContext, rule_context
from analysis.semantics.scopes import resolved
from analysis.semantics.sound_parts import uncertain_names, words_in
from analysis.semantics.summary import block_index, block_scopes, summary
from analysis.suggestions.foreign_words import STATEMENT_WORDS
from analysis.syntax.parser import ChunkTree
from analysis.text.blocks import Block, KnownBlock
from analysis.text.edits import Confidence
from analysis.text.source import Source

TEXT_RULES: Final[tuple[Callable[[TextContext], Iterator[Diagnostic]], ...]] = (
    constants.check,
    useless.check,
    dead_stores.check,
    traps.check,
    both_sides.check,
    copied_data.check,
    byte_lengths.check,
    interpolation.check,
    line_ends.check,
    shadowing.check,
    locals.check,
    capability_names.check,
)
"""Those that look at the chunk's text and at the names of functions alone: a changed signature elsewhere repeats none."""
_STATEMENTS_OWN: Final = frozenset(
    (
        "E003",
        "E005",
        "E006",
        "E007",
        "E009",
        "W101",
        "W102",
        "W104",
        "W105",
        "W107",
        "W201",
        "W204",
        "W301",
        "W302",
        "W303",
        "W305",
    )
)
"""Codes about one statement, independent of others: they stay while another statement of the function is broken."""
_ALLOWANCE: Final = re.compile(r"//[ \t]*+boruna:[ \t]*+allow[ \t]++([A-Z][0-9]++(?:[ \t]*+(?:,[ \t]*+)?[A-Z][0-9]++)*+)")
_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+("?)')


class _Around(NamedTuple):
    """What the diagnostics of all blocks of a file depend on: definitions that seem to be misspelt, fields of records without
    a type, settings."""

    misspelt: Misspelt
    anonymous: frozenset[str]
    chosen: CheckSettings


class _Latest(NamedTuple):
    """What a block was given last, and the diagnostics that came of it: with its texts all that these depend on.

    Its scope, its problems in the file, names of it that are used, and what is around it.
    """

    scope: BlockScope
    problems: Problems
    uses: frozenset[str] | None
    around: _Around
    found: tuple[tuple[int, Diagnostic], ...]
    are_hints: bool


class DiagnosticBlock(NamedTuple):
    """The diagnostics of a block of chunks: pairs of chunk index in the block and diagnostic, in order of position.

    `entries` is the same object as before an edit as long as the block and what it depends on did not change. `are_hints`: all
    are hints about form (`codes.ABOUT_FORM`) without a sure fix, as in most blocks of a long file.
    """

    first_chunk: int
    entries: tuple[tuple[int, Diagnostic], ...]
    are_hints: bool = False


@dataclass(frozen=True, slots=True)
class FileDiagnostics:
    """All diagnostics of a file in order of position; a diagnostic's spans count from its chunk's start.

    A diagnostic is the same object as before an edit as long as its chunk and what that depends on did not change.
    """

    blocks: tuple[DiagnosticBlock, ...]

    @property
    def entries(self) -> tuple[tuple[int, Diagnostic], ...]:
        """Pairs of chunk index and diagnostic."""
        return tuple(
            [(first + index, diagnostic) for first, entries, _ in self.blocks for index, diagnostic in paced(entries, 1_000)]
        )

    def placed(self, text: Source) -> Iterator[tuple[int, Diagnostic]]:
        """Pairs of the absolute offset of a diagnostic's chunk and the diagnostic."""
        offsets = text.offsets
        for first, entries, _ in self.blocks:
            for index, diagnostic in entries:
                yield offsets[first + index], diagnostic

    def shown(self, text: Source) -> Iterator[tuple[int, Diagnostic]]:
        """The diagnostics in the form for people (`Diagnostic.for_people`)."""
        for start, diagnostic in self.placed(text):
            if (shown_form := diagnostic.for_people()) is not None:
                yield start, shown_form

    def has_errors(self) -> bool:
        serious = (entries for _, entries, are_hints in self.blocks if not are_hints)
        return any(diagnostic.severity is Severity.ERROR for entries in serious for _, diagnostic in entries)


@query(subject=FILE)
def check_file(db: Database, file: FileId) -> FileDiagnostics:
    """All diagnostics of a file in a layer."""
    if reason := defect(db, file):
        return unreadable(reason)
    text = source(db, file)
    starts = text.grouped.starts
    syntax: defaultdict[int, list[tuple[int, Diagnostic]]] = defaultdict(list)
    for index, diagnostic in syntax_diagnostics(db, file, text):
        number = text.grouped.number(index)
        syntax[number].append((index - starts[number], diagnostic))
    problems, used = file_problems(db, file), used_names(db, file)
    scopes = block_scopes(db, file, text.blocks)
    around = _around(text.blocks, _Around(used.misspelt, anonymous_fields(db, file), settings(db, file.workspace)))
    blocks = []
    for number, block in enumerate(text.blocks):
        scope, problem, uses = scopes[number], problems[number], used.by_block[number] if used.by_block is not None else None
        # A block in which nothing has changed is given the same objects again, and no key needs to be hashed for it.
        latest: _Latest | None = block.latest
        if not (latest and latest[0] is scope and latest[1] is problem and latest[2] is uses and latest[3] is around):
            latest = _found(db, block, scope, problem, uses, around)
        if number in syntax:
            mixed = paced_sorted((*latest.found, *syntax[number]), _position)
            blocks.append(DiagnosticBlock(starts[number], tuple(mixed)))
        elif latest.found:
            blocks.append(DiagnosticBlock(starts[number], latest.found, latest.are_hints))
    return FileDiagnostics(tuple(blocks))


def _around(blocks: Iterable[KnownBlock], around: _Around) -> _Around:
    """The same, as the object that the blocks know if they know it."""
    latest: _Latest | None = next((block.latest for block in blocks if block.latest), None)
    return latest.around if latest is not None and all(map(is_, latest.around, around)) else around


def _found(
    db: Database, block: KnownBlock, scope: BlockScope, problems: Problems, uses: frozenset[str] | None, around: _Around
) -> _Latest:
    """The diagnostics of a block, which knows them from then on."""
    unused = block_unused(db, block, uses, around.misspelt) if uses is not None else NO_PROBLEMS
    key = block, scope, problems, unused, around.anonymous, around.chosen
    entries = block_diagnostics(db, *key)
    are_hints = all(_is_hint(diagnostic) for _, diagnostic in paced(entries, 1_000))
    latest = _Latest(scope, problems, uses, around, entries, are_hints)
    if db.is_constant(block_diagnostics, key):
        block.latest = latest
    return latest


def _is_hint(diagnostic: Diagnostic) -> bool:
    is_about_form = diagnostic.severity is Severity.HINT and diagnostic.code in ABOUT_FORM
    return is_about_form and not any(fix.confidence is Confidence.HIGH for fix in diagnostic.fixes)


def unreadable(reason: str) -> FileDiagnostics:
    """The diagnostics of a file whose text cannot be analysed."""
    entry = new_diagnostic("E014", (0, 0), reason, help="only UTF-8 text of at most 1 MB is checked")
    return FileDiagnostics((DiagnosticBlock(0, ((0, entry),)),))


def _position(entry: tuple[int, Diagnostic]) -> tuple[int, int, bool]:
    index, diagnostic = entry
    return index, diagnostic.span[0], diagnostic.severity is not Severity.ERROR


@query(limit=20_000, subject=BLOCK)
def block_diagnostics(
    db: Database,
    texts: Block,
    around: BlockScope,
    problems: Problems,
    unused: Problems,
    anonymous: frozenset[str],
    chosen: CheckSettings,
) -> tuple[tuple[int, Diagnostic], ...]:
    """The diagnostics of a block's chunks, without syntax errors and silenced ones, each with its index in the block.

    All that it depends on is given: after a keystroke elsewhere it is looked up, and nothing is verified.
    """
    scopes = around.item_scopes([index.free_names for index in block_index(db, texts)], anonymous)
    entries = [
        (index, diagnostic)
        for index, (text, scope) in enumerate(zip(texts, scopes, strict=True))
        for diagnostic in paced(item_diagnostics(db, text, scope), 1_000)
    ]
    if chosen.portable:
        entries += [
            (index, diagnostic)
            for index, (text, scope) in enumerate(zip(texts, scopes, strict=True))
            for diagnostic in portability(db, text, scope)
        ]
        entries.sort(key=_position)
    if problems.rows or unused.rows:
        placed = block_problems(db, texts, problems, unused)
        entries += placed
        if chosen.portable:
            entries += defined_twice(placed)
        entries = paced_sorted(entries, _position)
    return tuple(_selected(entries, texts, chosen))


@query(limit=20_000, subject=BLOCK)
def block_problems(db: Database, texts: Block, problems: Problems, unused: Problems) -> tuple[tuple[int, Diagnostic], ...]:
    """The diagnostics of a block that the rules about whole files give."""
    return tuple(placed(db, texts, (*problems.rows, *unused.rows)))


@query(limit=100_000, subject=CHUNK)
def item_diagnostics(db: Database, text: str, given: ItemScope) -> tuple[Diagnostic, ...]:
    """The diagnostics of a chunk, given the facts about what it mentions: the same for every file that holds it."""
    context = rule_context(db, text, given)
    diagnostics = [*names.check(context), *typed_diagnostics(context)]
    if context.summary.walk.once(useless.concerns, context):
        diagnostics += useless.check_typed(context)
    mistaken = {diagnostic.span for diagnostic in paced(diagnostics, 1_000) if diagnostic.code == "W203"}
    # A name that was meant to be a variant is unused because of that, and the arms behind it are not reached.
    of_form = text_diagnostics(db, text, context.own)
    diagnostics += [each for each in paced(of_form, 1_000) if each.code != "W501" or each.span not in mistaken]
    if mistaken:
        behind = patterns.behind(context, mistaken)
        diagnostics = [each for each in diagnostics if each.code != "W202" or each.span not in behind]
    tree = chunk_tree(db, text)
    if diagnostics and not tree.is_sound:
        diagnostics = list(_certain(tree, diagnostics))
    mistakes = without_consequences(tree.tokens, diagnostics)
    if len(mistakes) > 1:
        mistakes = paced_sorted(mistakes, _start)
    if len(text) > LONG:
        discard(context)
        discard(diagnostics)
    return tuple(mistakes)


@query(limit=100_000, subject=CHUNK)
def text_diagnostics(db: Database, text: str, own: tuple[str, ...]) -> tuple[Diagnostic, ...]:
    """The diagnostics of the rules about a text's form; `own` are the names in it of functions of the program."""
    context = TextContext(text, summary(db, text), resolved(db, text), own)
    diagnostics: list[Diagnostic] = []
    for rule in TEXT_RULES:
        checkpoint()
        diagnostics += rule(context)
    if len(text) > LONG:
        discard(context)
    return tuple(diagnostics)


def _certain(tree: ChunkTree, diagnostics: list[Diagnostic]) -> Iterator[Diagnostic]:
    """In items with a syntax error, only the diagnostics that stay true whatever the broken statement means."""
    uncertain = uncertain_names(tree)
    for diagnostic in diagnostics:
        if diagnostic.code in _STATEMENTS_OWN:
            words = {diagnostic.name, *(tree.tokens.word(index) for index in words_in(tree.tokens, diagnostic.span))}
            # Where the text does not parse, a word such as `switch` or a macro is what the syntax error is about.
            is_word = diagnostic.name in STATEMENT_WORDS or tree.tokens.text[diagnostic.span[1] :][:2] == "!("
            if words.isdisjoint(uncertain) and not (diagnostic.code == "E003" and is_word):
                yield diagnostic


def _start(diagnostic: Diagnostic) -> int:
    return diagnostic.span[0]


# ---- settings and comments that silence ---------------------------------------------------------------------------------


def _selected(
    entries: list[tuple[int, Diagnostic]], texts: tuple[str, ...], chosen: CheckSettings
) -> list[tuple[int, Diagnostic]]:
    # Comments go first: what they allow stays allowed, however serious the settings take it.
    heads = {index: _codes_above(text) for index, text in enumerate(texts) if "boruna:" in text}
    if heads:
        entries = [row for row in entries if row[0] not in heads or not _is_allowed(texts[row[0]], row[1], heads[row[0]])]
    if chosen.select or chosen.ignore or chosen.severity:
        entries = list(filter(None, (by_settings(index, diagnostic, chosen) for index, diagnostic in entries)))
    return entries


def by_settings(index: int, diagnostic: Diagnostic, chosen: CheckSettings) -> tuple[int, Diagnostic] | None:
    """An entry after the workspace's settings; None if they switch it off."""
    # Errors mean that a program is refused or would be: they cannot be switched off.
    if diagnostic.severity is Severity.ERROR:
        return index, diagnostic
    if chosen.select and not diagnostic.code.startswith(chosen.select):
        return None
    if chosen.ignore and diagnostic.code.startswith(chosen.ignore):
        return None
    severity = dict(chosen.severity).get(diagnostic.code)
    if severity == "off":
        return None
    # A hint beside a warning of its code only marks a place: it does not count twice.
    is_mark = (
        diagnostic.severity is Severity.HINT and diagnostic.code in CODES and CODES[diagnostic.code].severity is Severity.WARNING
    )
    return (index, replace(diagnostic, severity=Severity(severity))) if severity and not is_mark else (index, diagnostic)


def _is_allowed(chunk: str, diagnostic: Diagnostic, above: list[str]) -> bool:
    """True if a comment on the diagnostic's line, or one above the chunk's item, allows its code."""
    if diagnostic.severity is Severity.ERROR:
        return False
    line_start = chunk.rfind("\n", 0, diagnostic.span[0]) + 1
    line_end = chunk.find("\n", diagnostic.span[0])
    return diagnostic.code in above or diagnostic.code in _codes(chunk[line_start : len(chunk) if line_end < 0 else line_end])


def _codes_above(chunk: str) -> list[str]:
    """The codes that the comments above a chunk's item allow."""
    codes: list[str] = []
    for line in chunk.split("\n"):
        if line.strip() and not line.lstrip().startswith("//"):
            break
        codes += _codes(line)
    return codes


def _codes(line: str) -> list[str]:
    # A string that does not end on its line stays.
    match = _ALLOWANCE.search(_STRING.sub(lambda string: "" if string[1] else string[0], line))
    return re.findall(r"[A-Z][0-9]+", match[1]) if match else []
