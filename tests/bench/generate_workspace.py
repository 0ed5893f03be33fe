#!/usr/bin/env python3
"""Generate a workspace of `.ax` programs with libraries imported across files, for measurements and for tests.

    generate_workspace.py --files N --lines M --output FOLDER
        [--libraries K] [--library-lines L] [--files-with-errors F] [--worktrees W] [--seed S]

Writes `boruna.toml`, K libraries `libs/NAME/src/core.ax` of at most L lines (each but the first imports the one before
it) and N programs `src/part_DD/program_NNN.ax` of exactly M lines, which import one to three of the libraries and use
their functions, records and enums in the middle of code made by `generate_ax.py`. Without --files-with-errors nothing
in it has a finding; with it, F of the programs (spread evenly) have five mistakes each, and a call of a library's function
with too many arguments. With --worktrees, FOLDER holds W equal copies `worktree_1` to `worktree_W`.
The same arguments always give the same bytes.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import generate_ax

INDENT = generate_ax.INDENT
LEAST_LINES = 60
"""The shortest program that can use three libraries."""


@dataclass
class Library:
    name: str
    word: str
    text: str
    functions: int


def library(name: str, word: str, before: Library | None, lines: int, rng: random.Random) -> Library:
    """A library whose names all begin with its word, so that programs can import any choice of libraries."""
    kind = word.capitalize()
    out = [f"import {before.name}", ""] if before is not None else []
    out += [f"// What the programs hand to {name}.", f"type {kind}Item {{", f"{INDENT}{word}_amount: Int,"]
    out += [f"{INDENT}{word}_label: String,", "}", ""]
    out += [f"enum {kind}State {{", f"{INDENT}{kind}Open,", f"{INDENT}{kind}Held(Int),", "}", ""]
    out += [f"fn {word}_item(amount: Int) -> {kind}Item {{"]
    out += [f'{INDENT}{kind}Item {{ {word}_amount: amount, {word}_label: "{word}" }}', "}", ""]
    out += [f"fn {word}_weight(state: {kind}State) -> Int {{", f"{INDENT}match state {{"]
    out += [f"{INDENT * 2}{kind}Open => 1,", f"{INDENT * 2}{kind}Held(n) => n,", f"{INDENT}}}", "}", ""]
    count = 0
    while len(out) + 5 <= lines or count == 0:
        inner = f"{before.word}_step_{rng.randrange(before.functions)}(a, b)" if before and rng.random() < 0.3 else "a + b"
        if count and rng.random() < 0.3:
            inner = f"{word}_step_{rng.randrange(count)}(b, a)"
        out += [f"fn {word}_step_{count}(a: Int, b: Int) -> Int {{", f"{INDENT}let sum: Int = {inner}"]
        out += [f"{INDENT}sum - {rng.randrange(1, 100)}", "}", ""]
        count += 1
    return Library(name, word, "\n".join(out) + "\n", count)


def program(number: int, lines: int, libraries: list[Library], seed: int, errors: bool) -> str:
    """A program of so many lines that uses some of the libraries."""
    rng = random.Random(f"{seed}:program:{number}")
    used = sorted(rng.sample(libraries, min(len(libraries), rng.randrange(1, 4))), key=lambda one: one.name)
    head = [*(f"import {one.name}" for one in used), ""] if used else []
    for place, one in enumerate(used):
        kind, step = one.word.capitalize(), f"{one.word}_step_{rng.randrange(one.functions)}"
        head += [f"fn with_{one.word}(a: Int) -> Int {{", f"{INDENT}let it: {kind}Item = {one.word}_item(a)"]
        head += [f"{INDENT}let held = {kind}State::{kind}Held({rng.randrange(1, 50)})"]
        third = ", 3" if errors and place == 0 else ""
        head += [f"{INDENT}{step}(it.{one.word}_amount, {one.word}_weight(held){third})", "}", ""]
    body = generate_ax.generate(lines - len(head), seed * 100_003 + number, 5 if errors else 0)
    return "\n".join([*head, ""]) + body if head else body


def workspace(files: int, lines: int, libraries: int, library_lines: int, wrong: int, seed: int) -> dict[str, str]:
    """Relative path (with slashes) to text."""
    rng = random.Random(f"{seed}:libraries")
    made: list[Library] = []
    for number in range(libraries):
        word = generate_ax.NOUNS[number % len(generate_ax.NOUNS)] + (str(number) if number >= len(generate_ax.NOUNS) else "")
        made.append(library(f"gen-{word}", word, made[-1] if made else None, library_lines, rng))
    texts = {"boruna.toml": "[check]\nignore = []\n"}
    texts |= {f"libs/{one.name}/src/core.ax": one.text for one in made}
    faulty = {number * files // wrong for number in range(wrong)} if wrong else set()
    for number in range(files):
        path = f"src/part_{number // 25:02}/program_{number:03}.ax"
        texts[path] = program(number, lines, made, seed, number in faulty)
    return texts


def write(folder: Path, texts: dict[str, str]) -> None:
    for path, text in texts.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, required=True)
    parser.add_argument("--lines", type=int, required=True)
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--libraries", type=int, default=8, metavar="K")
    parser.add_argument("--library-lines", type=int, default=200, metavar="L")
    parser.add_argument("--files-with-errors", type=int, default=0, metavar="F")
    parser.add_argument("--worktrees", type=int, default=0, metavar="W")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.lines < LEAST_LINES:
        parser.error(f"--lines must be at least {LEAST_LINES}")
    if not 0 <= options.files_with_errors <= options.files:
        parser.error("--files-with-errors must be at most the number of files")
    texts = workspace(
        options.files, options.lines, options.libraries, options.library_lines, options.files_with_errors, options.seed
    )
    folders = [options.output / f"worktree_{number + 1}" for number in range(options.worktrees)] or [options.output]
    for folder in folders:
        write(folder, texts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
