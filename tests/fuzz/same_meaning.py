"""Right programs of `.ax` in the forms of other languages: a repair gives the same result, or is not called verified.

    python -m tests.fuzz.same_meaning --count 1000 [--from made|corpus|drafts] [--language NAME] [--seed N] [--show]

writes so many programs anew (`rewriting`), repairs them and runs them. Each that is verified with another result is printed,
with the single forms that already lead to that, and its seed. `made` programs are put together from `SNIPPETS`, whose numbers
are chosen by chance; the others are those of the corpus, and what repairs make of the drafts.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, Final, NamedTuple

from analysis.database import Database
from analysis.inputs import source
from analysis.semantics.environment import environment
from analysis.semantics.infer import inference
from analysis.semantics.summary import summary
from analysis.syntax.parser import parse
from analysis.text.source import Source
from tests.fuzz.languages import LANGUAGES
from tests.fuzz.rewriting import Rewriting
from tests.repair.dialects import repaired, result_of
from tests.repair.first_fixes import programs
from tests.repair.test_dialects import is_same
from tests.support.checked import Checker

LONGEST: Final = 6_000
_WORDS: Final = (
    "total rest parts best width colour height first_one bonus limit queue score weight target buffer margin cursor depth radius "
    "step sample ticket vendor label"
).split()
"""Names that are unlike each other: one like another is a misspelling."""
_HELPERS: Final = {
    "floor_quotient": """\
fn floor_quotient(a: Int, b: Int) -> Int {
    let quotient = a / b
    let rest = a - quotient * b
    if rest != 0 && (rest < 0) != (b < 0) { quotient - 1 } else { quotient }
}
""",
    "last_item": """\
fn last_item(items: List<Int>) -> Int { list_get(items, list_len(items) - 1) }
""",
}
"""Functions that a program of another language does not need, since it has a form for what they do."""
SNIPPETS: Final = """
let A = list_sum(XS)
out = list_push(out, SHOW(A / 3))

for A in XS {
    out = list_push(out, SHOW(A / N))
    out = list_push(out, SHOW(A % N))
}

for A in XS {
    out = list_push(out, SHOW(floor_quotient(A, N)))
}

for A in XS {
    out = list_push(out, SHOW(int_mod(A, N)))
}

out = list_push(out, SHOW(floor_quotient(-N, M) * M + N))

out = list_push(out, SHOW(last_item(XS) - N))

out = list_push(out, SHOW(int_pow(N, 3) + int_pow(M, 2) * N))

out = list_push(out, SHOW(-int_pow(N, 2)))

out = list_push(out, SHOW(int_min(N, M) * 2 - int_max(N, M)))

out = list_push(out, SHOW(int_abs(N - M * 3)))

out = list_push(out, SHOW(int_and(N, M) + int_xor(N, 5)))

let A = TEXT
let B = __builtin_string_to_upper(A)
out = list_push(out, B ++ ":" ++ SHOW(__builtin_string_len(A)))

let A = TEXT
out = list_push(out, string_substring(A, 1, 3) ++ "/" ++ string_char_at(A, 2) ++ string_reverse(A))

let A = __builtin_string_split("b,a,c", ",")
out = list_push(out, __builtin_string_join(list_sort(A), "-"))

let A = list_slice(XS, 1, 3)
out = list_push(out, SHOW(list_len(A)) ++ " " ++ SHOW(list_sum(A)))

let A = list_take(XS, 2)
let B = list_drop(XS, 2)
out = list_push(out, SHOW(list_sum(A)) ++ "|" ++ SHOW(list_sum(B)))

let mut A = []
for B in XS {
    A = list_push(A, B * N + 1)
}
out = list_push(out, SHOW(list_sum(A)))

let mut A = []
for B in XS {
    if B > N {
        A = list_push(A, B)
    }
}
out = list_push(out, SHOW(list_len(A)))

let mut A = 0
let mut B = 0
while B < N {
    A = A + B * B
    B = B + 1
}
out = list_push(out, SHOW(A))

let mut A = 1
let mut B = 1
while B < 40 {
    A = A + 1
    B = B * 2 + A
}
out = list_push(out, SHOW(A - B))

let A = if N > M { "more" } else { "less" }
out = list_push(out, A ++ "!")

for A in XS {
    let B = if A < 0 { -A } else { A * 2 }
    out = list_push(out, SHOW(B))
}

for A in XS {
    if A < 0 {
        out = list_push(out, "neg")
    } else {
        if A == 0 {
            out = list_push(out, "zero")
        } else {
            out = list_push(out, "pos")
        }
    }
}

let mut A = ""
for B in XS {
    A = A ++ SHOW(B) ++ ","
}
out = list_push(out, A)

let mut A = 0
for B in XS {
    if 0 < B && B < M {
        A = A + B
    }
    if B == N || B < -1 {
        A = A - 1
    }
}
out = list_push(out, SHOW(A))

out = list_push(out, SHOW((N + M) / 2 * 3 - N % M))

let A = list_repeat(N, 3)
out = list_push(out, SHOW(list_sum(A)) ++ string_repeat("ab", 2))

let A = list_range(1, M)
out = list_push(out, SHOW(list_sum(__builtin_list_reverse(A))))

out = list_push(out, helper(N, TEXT))

if helper_is(N) {
    out = list_push(out, "yes")
}

let A = __builtin_string_replace(TEXT, "a", "--")
let B = __builtin_string_contains(A, "-")
if !B {
    out = list_push(out, A)
} else {
    out = list_push(out, __builtin_string_trim(" " ++ A))
}

let A = N * 1.0 / M
if A > 0.5 {
    out = list_push(out, "big")
}

let A = grade(N * 7)
out = list_push(out, A)

let A = __builtin_string_chars(TEXT)
let mut B = 0
for AB in A {
    if AB == "a" {
        B = B + 1
    }
}
out = list_push(out, SHOW(B))
""".strip().split("\n\n")
"""`A`, `B`, `AB` are new names, `N` and `M` numbers, `XS` a list, `TEXT` a text, `SHOW` makes a text of an Int."""
_OWN: Final = {
    "helper": """\
fn helper(count: Int, text: String) -> String {
    let mut made = text
    let mut step = 0
    while step < count {
        made = made ++ __builtin_int_to_string(step)
        step = step + 1
    }
    made
}
""",
    "helper_is": """\
fn helper_is(number: Int) -> Bool {
    if number < 2 {
        return false
    }
    let mut divisor = 2
    while divisor * divisor <= number {
        if number % divisor == 0 {
            return false
        }
        divisor = divisor + 1
    }
    true
}
""",
    "grade": """\
fn grade(score: Int) -> String {
    if score >= 50 {
        "A"
    } else {
        if score >= 20 {
            "B"
        } else {
            "C"
        }
    }
}
""",
}


class Lie(NamedTuple):
    """A verified repair with another result, and the forms that lead to it each by itself."""

    text: str
    repaired: str
    expected: Any
    found: Any
    forms: tuple[str, ...]


def made(chosen: Random) -> str:
    """A program of some snippets."""
    lines: list[str] = []
    words = chosen.sample(_WORDS, len(_WORDS))
    for snippet in chosen.sample(SNIPPETS, chosen.randrange(2, 6)):
        values = [chosen.randrange(-4, 9) for _ in range(4)]
        text = chosen.choice(("banana", "data", "x-ray", "gamma"))
        names = {
            "SHOW": "__builtin_int_to_string", "XS": "[" + ", ".join(map(str, values)) + "]", "N": str(chosen.randrange(2, 9)),
            "M": str(chosen.randrange(2, 9)), "TEXT": f'"{text}"', "A": words.pop(), "B": words.pop(), "AB": words.pop(),
        }  # fmt: skip
        if "XS" in snippet:
            listed = words.pop()
            lines.append(f"let {listed} = {names['XS']}")
            names["XS"] = listed
        lines += re.sub(r"\b(SHOW|XS|TEXT|AB|A|B|N|M)\b", lambda match: names[match[1]], snippet).split("\n")  # noqa: B023
    body = "".join(f"    {line}\n" for line in lines)
    text = f"fn main() -> List<String> {{\n    let mut out: List<String> = []\n{body}    out\n}}\n"
    helpers = [function for name, function in (*_HELPERS.items(), *_OWN.items()) if f"{name}(" in text]
    return "".join(f'import "std-{name}"\n' for name in ("list", "math", "text")) + "\n" + "\n".join([*helpers, text])


@cache
def _checker() -> Checker:
    return Checker()


def rewritten(
    text: str, language: str, chosen: Random, allowed: frozenset[str] | None = None
) -> tuple[str, frozenset[str]] | None:
    """A program with the forms of a language, and the forms; None for one that is not written anew."""
    checker = _checker()
    db: Database = checker.db
    placed = Source.from_text(text)
    source.set(db, checker.file, placed)
    around = environment(db, checker.file)
    parts: list[str] = []
    used: set[str] = set()
    for chunk in placed.chunks:
        tree = parse(chunk.text)
        if not tree.is_sound:
            return None
        inferred = inference(db, chunk.text, around.item_scope(summary(db, chunk.text).free_names))
        for item in tree.items:
            rewriting = Rewriting(language, inferred, chosen, allowed)
            parts.append(rewriting.item(item, chunk.text[item.start : item.end]).rstrip("\n"))
            used |= rewriting.used
    for name in _HELPERS:
        if sum(part.count(f"{name}(") for part in parts) == 1:
            parts = [part for part in parts if f"{name}(" not in part]
    whole = "\n\n".join(part for part in parts if part) + "\n"
    return whole, frozenset(used)


def examine(text: str, language: str, seed: str, outcomes: Counter[str] | None = None) -> Lie | None:
    """Whether a program comes to the same after it was written anew and repaired; else the lie."""
    expected = result_of(text)
    if isinstance(expected, str) and expected.startswith(("refused: ", "fails: ")):
        return None
    anew = rewritten(text, language, Random(seed))
    if anew is None or not anew[1]:
        return None
    outcome = repaired(anew[0])
    found = result_of(outcome.text)
    is_right = is_same(expected, found)
    if outcomes is not None:
        outcomes["right" if is_right else "verified and wrong" if outcome.verified else "not right"] += 1
        outcomes["verified"] += outcome.verified
    if is_right or not outcome.verified:
        return None
    return Lie(anew[0], outcome.text, expected, found, tuple(_alone(text, language, seed, anew[1], expected)))


def _alone(text: str, language: str, seed: str, used: frozenset[str], expected: Any) -> Iterator[str]:
    """The forms that lead to a lie by themselves, also within functions of the other language."""
    for form in sorted(used):
        for allowed in ({form}, {form, "function"}):
            anew = rewritten(text, language, Random(seed), frozenset(allowed))
            outcome = repaired(anew[0]) if anew is not None else None
            if outcome is not None and outcome.verified and not is_same(expected, result_of(outcome.text)):
                yield form
                break


def seeds(kind: str) -> Iterator[str]:
    """Right programs: of the corpus, or what repairs make of the drafts."""
    for name, text in programs():
        is_draft = name.startswith("drafts/")
        if is_draft != (kind == "drafts") or len(text) > LONGEST or "\0" in text or not text.isascii():
            continue
        yield repaired(text).text if is_draft else text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--from", dest="kind", choices=("made", "corpus", "drafts"), default="made")
    parser.add_argument("--language", choices=sorted(LANGUAGES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print the first program of each language that is not right")
    chosen = parser.parse_args()
    languages = [chosen.language] if chosen.language else sorted(LANGUAGES)
    given = seeds(chosen.kind) if chosen.kind != "made" else None
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in languages}
    lies = 0
    for number in range(chosen.count):
        text = made(Random(f"{chosen.seed}/{number}")) if given is None else next(given, "")
        if not text:
            break
        for language in [languages[number % len(languages)]] if given is None else languages:
            lie = examine(text, language, f"{chosen.seed}/{number}", outcomes[language])
            if lie is not None:
                lies += 1
                print(
                    f"---- {number} of seed {chosen.seed}, {language}, forms {list(lie.forms)}\n{lie.text}\n==== is repaired as"
                )
                print(f"{lie.repaired}\n==== gives {lie.found}, not {lie.expected}", flush=True)
    for language, counts in outcomes.items():
        print(language, dict(sorted(counts.items())))
    print(f"{lies} verified and different")
    return 1 if lies else 0


if __name__ == "__main__":
    sys.exit(main())
