"""Repairs of a chunk that does not lex or parse (spec chapter 27 section 9): tried patches, and the mistake's true place.

The rules of `broken/` propose edits. An edit is kept if parsing the changed text shows that this error is gone and fewer
errors are left. If no rule helps, one token is inserted, deleted or replaced near the error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from analysis.data_classes import dataclass, replace
from analysis.database import paced
from analysis.semantics.builtins import BUILTINS
from analysis.suggestions.advised_forms import advised
from analysis.suggestions.broken import (
    brackets,
    conditions,
    foreign_comments,
    foreign_forms,
    items,
    keywords,
    literals,
    loops,
    match_arms,
    quotes,
    search,
    separators,
    statements,
    stray_characters,
    type_notation,
)
from analysis.suggestions.broken.error_site import Proposal, Rule, Site, applied, in_order
from analysis.syntax.lexer import LexicalError
from analysis.syntax.parser import ChunkTree, ParseError, parse, parse_again
from analysis.syntax.tree import Call, Function, Name, walk
from analysis.text.edits import Confidence, Edit, Fix, Span, moved

RULES: Final[tuple[Rule, ...]] = (
    *foreign_comments.RULES,
    *foreign_forms.RULES,
    *stray_characters.RULES,
    *quotes.RULES,
    *literals.RULES,
    *items.RULES,
    *type_notation.RULES,
    *match_arms.RULES,
    *conditions.RULES,
    *loops.RULES,
    *statements.RULES,
    *separators.RULES,
    *stray_characters.LATE_RULES,
    *keywords.RULES,
    *brackets.RULES,
    *separators.LATE_RULES,
    *literals.LATE_RULES,
    *conditions.LATE_RULES,
    *foreign_forms.LATE_RULES,
)
"""Every rule, the more specific ones first: the order decides between proposals that repair equally well."""

_ROUNDS: Final = 4
"""Maximum number of follow-up mistakes that one patch repairs."""
_BRANCHES: Final = 4
"""Maximum number of first edits to continue from when each one uncovers another mistake."""
_TRIALS: Final = 200
"""Maximum number of parses of the chunk for its patches."""
_CHARACTERS: Final = 300_000
"""Maximum characters parsed for the patches of one error: about a tenth of a second."""
_FIXES: Final = 5
_QUICK_CHARACTERS: Final = 6000
"""Maximum characters that `mistake` parses: about two milliseconds."""
_LONG: Final = 40_000
"""Chunks beyond this length are not repaired: a rule may look at every token."""
_TOO_LONG_TO_TELL: Final = 20_000
"""Chunks beyond this length keep the parser's place: a check must not parse them repeatedly."""


BUILTIN_ARITIES: Final[Mapping[str, int]] = {name: builtin.arity for name, builtin in BUILTINS.items()}


@dataclass(frozen=True, slots=True)
class Mistake:
    """The author's mistake, possibly lines before the parser's error, and its fix.

    `is_everywhere`: the fix repairs all places of the chunk with the same mistake. `is_surplus`: the text there does not fit,
    whatever the intention.
    """

    span: Span
    message: str
    help: str
    is_everywhere: bool = False
    is_surplus: bool = False


@dataclass(frozen=True, slots=True)
class _Trial:
    """A proposal that helps, with the number of errors, and of calls with a wrong number of arguments, that it leaves."""

    proposal: Proposal
    left: int
    wrong_calls: int
    order: int


class _Budget:
    """Remaining parses of the chunk, and the arities of functions that it can call."""

    __slots__ = ("arities", "left")

    def __init__(self, trials: int, arities: Mapping[str, int]) -> None:
        self.left = trials
        self.arities = arities

    def take(self) -> bool:
        self.left -= 1
        return self.left >= 0


def candidates(
    text: str,
    tree: ChunkTree,
    error: ParseError | LexicalError,
    arities: Mapping[str, int] = BUILTIN_ARITIES,
    records: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Fix, ...]:
    """Patches of one error, the likeliest first, with positions relative to the chunk; each was tried and helps.

    `arities` has the numbers of parameters of the functions that the chunk can call: it decides between equally plausible
    places for a bracket or a quote. `records` are the fields of the record types that it can name.
    """
    if len(text) > _LONG:
        return ()
    budget = _Budget(min(_TRIALS, max(4, _CHARACTERS // max(1, len(text)))), arities)
    trials = _helpful(Site(text, tree, error, records or {}), budget, eager=False)
    code = "E001" if isinstance(error, LexicalError) else "E002"
    seen: Counter[str] = Counter()
    fixes: list[Fix] = []
    for trial in trials[:_FIXES]:
        proposal = trial.proposal
        seen[proposal.slug] += 1
        number = f"-{seen[proposal.slug]}" if seen[proposal.slug] > 1 else ""
        confidence = proposal.confidence if not fixes or proposal.confidence is Confidence.LOW else Confidence.MEDIUM
        slug = f"{code}-{proposal.slug}{number}"
        invents, kind, name = proposal.is_placeholder, proposal.kind, proposal.name
        if invents and confidence is Confidence.LOW:
            # It is certain that something is missing here; only a person knows what.
            confidence = Confidence.MEDIUM
        fixes.append(Fix(slug, proposal.advice, confidence, proposal.message, proposal.edits, invents, kind=kind, name=name))
    return tuple(fixes)


def mistake(
    text: str, tree: ChunkTree, error: ParseError | LexicalError, arities: Mapping[str, int] = BUILTIN_ARITIES
) -> Mistake | None:
    """The mistake that caused an error, with its place and a sentence; None if nothing better than the error is known."""
    if len(text) > _TOO_LONG_TO_TELL:
        return None
    form = advised(text, error.start if isinstance(error, LexicalError) else error.found_at)
    if form is not None:
        return Mistake(form.span, form.message, form.advice)
    budget = _Budget(min(40, max(4, _QUICK_CHARACTERS // max(1, len(text)))), arities)
    trials = _helpful(Site(text, tree, error), budget, eager=True)
    if not trials:
        return None
    proposal = trials[0].proposal
    every = all(edit.is_deletion for edit in proposal.edits) and len(proposal.edits) > 1
    return Mistake(proposal.span, proposal.message, proposal.advice, every, proposal.is_surplus)


# ---- trying ---------------------------------------------------------------------------------------------------------


def _helpful(site: Site, budget: _Budget, eager: bool) -> list[_Trial]:
    """The proposals that help, best first. `eager` stops at the first one that leaves no error."""
    uncovering: list[Proposal] = []
    trials = _tried(site, _by_rules(site), budget, eager, uncovering)
    if not trials and uncovering and not eager:
        share = _Budget(budget.left // 2, budget.arities)
        trials = list(_continued(site, uncovering[:_BRANCHES], share))
        budget.left -= budget.left // 2 - max(0, share.left)
    if not trials:
        # All of them: a single proposal is trusted more.
        trials = _tried(site, search.proposals(site), budget, eager, [])
    if not trials and eager and uncovering:
        # If an edit lets the parser get further, the mistake was there, even if further mistakes appear.
        trials = [_Trial(uncovering[0], _count(site.tree), 0, 0)]
    return sorted(trials, key=_rank)


def _by_rules(site: Site) -> Iterator[Proposal]:
    return chain.from_iterable(rule(site) for rule in paced(RULES, 1))


def _rank(trial: _Trial) -> tuple[int, int, int]:
    return trial.left, trial.wrong_calls, trial.order


def _tried(site: Site, proposals: Iterable[Proposal], budget: _Budget, eager: bool, uncovering: list[Proposal]) -> list[_Trial]:
    """The proposals that help, in their order; those that only reveal another mistake go to `uncovering`."""
    trials: list[_Trial] = []
    seen = {site.text}
    carriage_returns = "\r\n" in site.text
    for order, proposal in enumerate(paced(proposals, 1)):
        edits = in_order(_with_line_ends(proposal.edits) if carriage_returns else proposal.edits)
        if edits is None:
            continue
        changed = applied(site.text, edits)
        if changed in seen:
            continue
        seen.add(changed)
        if not budget.take():
            break
        after = parse_again(site.tree, changed, edits[0].span[0], edits[-1].span[1]) if edits else parse(changed)
        if _helps(site, after, edits):
            wrong = _wrong_calls(after, budget.arities)
            trials.append(_Trial(replace(proposal, edits=edits), _count(after), wrong, order))
            if eager and not trials[-1].left and not wrong:
                return [trials[-1]]
        elif _uncovers(site, after, len(changed)):
            uncovering.append(replace(proposal, edits=edits))
    return trials


def _with_line_ends(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Edits that end lines as the rest of the text does."""
    return tuple(Edit(edit.span, edit.new_text.replace("\r\n", "\n").replace("\n", "\r\n")) for edit in edits)


def _continued(site: Site, uncovering: list[Proposal], budget: _Budget) -> Iterator[_Trial]:
    """Patches that repair a mistake and those that it had hidden, as long as the parser gets further."""
    for order, first in enumerate(uncovering):
        edits: tuple[Edit, ...] | None = first.edits
        advice = first.advice
        for _ in range(_ROUNDS):
            assert edits is not None
            text = applied(site.text, edits)
            tree = parse(text)
            behind = Site(text, tree, errors_of(tree)[0], site.records)
            further: list[Proposal] = []
            trials = sorted(_tried(behind, _by_rules(behind), budget, True, further), key=_rank)
            if not trials and not further:
                break
            step = trials[0].proposal if trials else further[0]
            edits = _composed(edits, step.edits)
            if edits is None:
                break
            advice = f"{advice}; then {step.advice}"
            if trials and (not trials[0].left or trials[0].left < _count(site.tree)):
                invents = first.is_placeholder or step.is_placeholder
                yield _Trial(
                    replace(first, edits=edits, advice=advice, is_placeholder=invents),
                    trials[0].left,
                    trials[0].wrong_calls,
                    order,
                )
                break


def errors_of(tree: ChunkTree) -> list[ParseError | LexicalError]:
    """All errors; lexical ones first, since they can hide or cause the others."""
    return [*tree.tokens.errors, *tree.errors]


def _count(tree: ChunkTree) -> int:
    return len(tree.errors) + len(tree.tokens.errors)


def _wrong_calls(tree: ChunkTree, arities: Mapping[str, int]) -> int:
    """Number of calls with too many or too few arguments."""
    own = {item.name: len(item.parameters) for item in tree.items if isinstance(item, Function)}
    wrong = 0
    for item in tree.items:
        for node in paced(walk(item), 1_000):
            if isinstance(node, Call) and isinstance(node.callee, Name):
                wanted = own.get(node.callee.name, arities.get(node.callee.name))
                wrong += wanted is not None and wanted != len(node.arguments)
    return wrong


def _place(error: ParseError | LexicalError) -> int:
    return error.start if isinstance(error, LexicalError) else error.found_at


def _words(error: ParseError | LexicalError) -> str:
    return error.cause if isinstance(error, LexicalError) else error.message


def _helps(site: Site, after: ChunkTree, edits: tuple[Edit, ...]) -> bool:
    """True if fewer errors are left and this one is gone."""
    if _count(after) >= _count(site.tree):
        return False
    words, place = _words(site.error), moved(site.place, edits)
    return _alike(site.tree, words, site.place) > _alike(after, words, place)


def _alike(tree: ChunkTree, words: str, place: int) -> int:
    """Number of errors with these words at a place."""
    return sum(_place(error) == place and _words(error) == words for error in paced(errors_of(tree), 1_000))


def _uncovers(site: Site, after: ChunkTree, length: int) -> bool:
    """True if the first remaining error is further on than the first error was."""
    return _count(after) > 0 and length - _first_place(after) < len(site.text) - _first_place(site.tree)


def _first_place(tree: ChunkTree) -> int:
    # Lexical errors are in order of position.
    errors: list[ParseError | LexicalError] = [*tree.tokens.errors[:1], *tree.errors]
    return min(map(_place, paced(errors, 1_000)))


def _composed(first: tuple[Edit, ...], second: tuple[Edit, ...]) -> tuple[Edit, ...] | None:
    """One list of edits equal to two lists applied in sequence; None if the second changes text that the first wrote."""
    edits = list(first)
    shift, at = 0, 0
    for edit in paced(second, 1_000):
        # Both lists are in order.
        while at < len(first) and first[at].span[0] + shift + len(first[at].new_text) <= edit.span[0]:
            shift += len(first[at].new_text) - (first[at].span[1] - first[at].span[0])
            at += 1
        if at < len(first) and first[at].span[0] + shift < edit.span[1]:
            return None
        edits.append(Edit((edit.span[0] - shift, edit.span[1] - shift), edit.new_text))
    return in_order(edits)
