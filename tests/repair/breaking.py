"""Programs broken by one typical mistake each, in code, never inside a string or a comment; for the tests of the repairs.

`python -m tests.repair.breaking [--seed N] [--per-kind N] [--show KIND]` prints the table of what comes back.
"""

from __future__ import annotations

import argparse
import difflib
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from analysis.suggestions.broken.error_site import applied
from analysis.suggestions.broken_text import BUILTIN_ARITIES, candidates, errors_of, mistake
from analysis.syntax.lexer import LexicalError, lex
from analysis.syntax.parser import ChunkTree, ParseError, parse
from analysis.syntax.tree import Function
from analysis.text.edits import Edit
from analysis.text.source import Source
from tests.support import corpus

LONGEST = 20_000


@dataclass(frozen=True)
class Broken:
    """A program with one mistake; `line` is where it was made, counted from 1."""

    text: str
    original: str
    line: int


Mutation = Callable[[random.Random, str], Broken | None]


def replaced(pattern: str, new: str, inside_text: bool = False) -> Mutation:
    """Changes one random match of a pattern."""
    compiled = re.compile(pattern, re.MULTILINE)

    def mutate(rng: random.Random, text: str) -> Broken | None:
        matches = list(compiled.finditer(text))
        if not matches:
            return None
        found = rng.choice(matches)
        broken = text[: found.start()] + found.expand(new) + text[found.end() :]
        if broken == text or (not inside_text and _touches_text(text, broken)):
            return None
        return Broken(broken, text, text.count("\n", 0, found.start()) + 1)

    return mutate


def _touches_text(original: str, broken: str) -> bool:
    place = next((i for i, (a, b) in enumerate(zip(original, broken, strict=False)) if a != b), min(len(original), len(broken)))
    return any(m.start() < place < m.end() for m in re.finditer(r'//[^\n]*|"(?:[^"\\]|\\.)*"', original))


MISTAKES: dict[str, Mutation] = {
    "missing closing brace": replaced(r"^\}\n", ""),
    "missing inner closing brace": replaced(r"^[ \t]+\}\n", ""),
    "missing opening brace": replaced(r" \{(?=\n)", ""),
    "missing closing parenthesis": replaced(r"\)(?=\n)", ""),
    "missing parenthesis before a brace": replaced(r"\)(?= \{)", ""),
    "missing closing bracket": replaced(r"\](?=[\n),])", ""),
    "surplus brace": replaced(r"^([ \t]*)\}\n", r"\1}\n\1}\n"),
    "surplus parenthesis": replaced(r"\)(?=\n)", "))"),
    "missing comma": replaced(r"(?<=[a-z0-9]), (?=[a-z0-9])", " "),
    "missing comma at a line's end": replaced(r"(?<=[A-Za-z0-9>]),(?=\n)", ""),
    "else if": replaced(r"else \{\s*if ([^{}]+) \{([^{}]*)\} else \{([^{}]*)\}\s*\}", r"else if \1 {\2} else {\3}"),
    "semicolon": replaced(r"^([ \t]+let [^\n;]+)$", r"\1;"),
    "trailing comma in a call": replaced(r"(\b[a-z_][a-z0-9_]*\([^()\n]+)\)(?! ->)(?!.*\{$)", r"\1,)"),
    "qualified variant in a pattern": replaced(r"^([ \t]+)([A-Z][A-Za-z]*)(?=(?:\([a-z_]+\))? =>)", r"\1Shape::\2"),
    "single equals": replaced(r"(?<=if )([a-z_.]+) == ", r"\1 = "),
    "let without colon": replaced(r"(let (?:mut )?[a-z_]+): ([A-Z][A-Za-z<>]*) =", r"\1 \2 ="),
    "return arrow missing": replaced(r"\) -> (?=[A-Z])", ") "),
    "quote missing": replaced(r"\"(?=\n|,|\))", "", inside_text=True),
    "opening quote missing": replaced(r"(?<=[(\[ ])\"(?=[A-Za-z])", "", inside_text=True),
    "colon for arrow": replaced(r"^([ \t]+[A-Z][A-Za-z]*(?:\([a-z_]+\))?) =>", r"\1:"),
    "thin arrow in an arm": replaced(r"^([ \t]+[A-Z0-9][A-Za-z0-9]*(?:\([a-z_]+\))?) =>", r"\1 ->"),
    "arrow missing in an arm": replaced(r"^([ \t]+[A-Z][A-Za-z]*(?:\([a-z_]+\))?) =>", r"\1"),
    "foreign keyword": replaced(r"^(export )?fn (?=[a-z])", r"\1def "),
    "misspelt keyword": replaced(r"^fn (?=[a-z])", "fnn "),
    "foreign type": replaced(r"^type (?=[A-Z])", "struct "),
    "parameter's colon missing": replaced(r"(fn [a-z_]+\([a-z_]+): (?=[A-Z])", r"\1 "),
    "and for &&": replaced(r"(if [^\n{}]*) && ", r"\1 and "),
    "triple equals": replaced(r"(?<=[a-z0-9)] )==(?= )", "==="),
    "missing equals sign": replaced(r"(let [a-z_]+) = ", r"\1 "),
    "windows white space": replaced(r"(?<=[a-z]) (?==)", "\u00a0"),
}
BOUND = (
    "missing closing brace", "missing closing parenthesis", "missing comma", "else if", "semicolon", "trailing comma in a call",
    "qualified variant in a pattern", "single equals", "let without colon", "return arrow missing", "quote missing",
)  # fmt: skip
"""The kinds for which figures are promised."""


def programs() -> list[str]:
    """Sound programs of the corpus."""
    found: list[str] = []
    for file in corpus.programs():
        if file.name.startswith(("quirk", "dev_", "miss_")):
            continue
        text = file.read_bytes().decode("utf-8", "replace")
        if "\r" not in text and len(text) <= LONGEST and is_sound(text):
            found.append(text)
    return found


def is_sound(text: str) -> bool:
    return all(parse(chunk.text).is_sound for chunk in Source.from_text(text).chunks)


def errors(text: str) -> Iterator[tuple[int, str, ChunkTree, ParseError | LexicalError]]:
    """Each error of a text: the offset of its chunk, the chunk's text, its tree, the error."""
    source = Source.from_text(text)
    for offset, chunk in zip(source.offsets, source.chunks, strict=True):
        tree = parse(chunk.text)
        for error in errors_of(tree):
            yield offset, chunk.text, tree, error


def arities(text: str) -> dict[str, int]:
    """Numbers of parameters of a text's functions, the builtin ones included."""
    known = dict(BUILTIN_ARITIES)
    for chunk in Source.from_text(text).chunks:
        for item in parse(chunk.text).items:
            if isinstance(item, Function) and not item.broken:
                known[item.name] = len(item.parameters)
    return known


def repaired(text: str, rounds: int = 3) -> str:
    """A text after the best patch of its first error, so many times."""
    for _ in range(rounds):
        known = arities(text)
        for offset, chunk, tree, error in errors(text):
            fixes = candidates(chunk, tree, error, known)
            if fixes:
                edits = [Edit((e.span[0] + offset, e.span[1] + offset), e.new_text) for e in fixes[0].edits]
                text = applied(text, edits)
                break
        else:
            break
    return text


def places(text: str) -> Iterator[int]:
    """The lines (from 1) of the mistakes that are told for a text."""
    source = Source.from_text(text)
    known = arities(text)
    for offset, chunk, tree, error in errors(text):
        told = mistake(chunk, tree, error, known)
        if told is not None:
            yield source.position(offset + told.span[0])[0] + 1


def same_tokens(left: str, right: str) -> bool:
    first, second = lex(left), lex(right)
    return first.kinds == second.kinds and [first.word(i) for i in range(len(first.kinds))] == [
        second.word(i) for i in range(len(second.kinds))
    ]


@dataclass
class Tally:
    """Numbers of programs that were broken by a kind of mistake, and of those that were restored."""

    broken: int = 0
    located: int = 0
    parses: int = 0
    restored: int = 0


def measure(seed: int, per_kind: int, kinds: tuple[str, ...] = tuple(MISTAKES), show: str = "") -> dict[str, Tally]:
    """Breaks random programs and mends them."""
    rng = random.Random(seed)
    texts = programs()
    found: dict[str, Tally] = {}
    for kind in kinds:
        tally = found[kind] = Tally()
        for text in rng.sample(texts, len(texts)):
            if tally.broken == per_kind:
                break
            broken = MISTAKES[kind](rng, text)
            if broken is None or is_sound(broken.text):
                continue
            tally.broken += 1
            mended = repaired(broken.text)
            located = any(line in (broken.line, broken.line + 1) for line in places(broken.text))
            parses, restored = is_sound(mended), same_tokens(mended, text)
            tally.located += located
            tally.parses += parses
            tally.restored += restored
            if show and show in kind and not (located and parses and restored):
                _show(kind, broken, mended, located, parses, restored)
    return found


def _show(kind: str, broken: Broken, mended: str, located: bool, parses: bool, restored: bool) -> None:
    told = list(places(broken.text))
    print(f"=== {kind}, line {broken.line}: located {located}, parses {parses}, restored {restored}; told {told}")
    for name, left, right in (("broken", broken.original, broken.text), ("mended", broken.text, mended)):
        print(f"--- {name}")
        print("".join(difflib.unified_diff(left.splitlines(True), right.splitlines(True), n=1)))


def table(found: dict[str, Tally]) -> str:
    lines = [f"{'mistake':36}{'n':>5}{'located':>9}{'parses':>9}{'restored':>10}"]
    for kind, tally in found.items():
        n = max(1, tally.broken)
        figures = "".join(f"{100 * v / n:>{w}.0f}%" for v, w in ((tally.located, 8), (tally.parses, 8), (tally.restored, 9)))
        lines.append(f"{kind:36}{tally.broken:>5}{figures}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-kind", type=int, default=40)
    parser.add_argument("--show", default="", help="print what does not come back, of the kinds whose name contains this")
    options = parser.parse_args()
    kinds = tuple(kind for kind in MISTAKES if options.show in kind)
    print(table(measure(options.seed, options.per_kind, kinds, options.show)))


if __name__ == "__main__":
    main()
