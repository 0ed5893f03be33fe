"""`boruna-ls doc NAME`: the page of a built-in library, or of one of its functions."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from analysis.suggestions.library_words import LIBRARIES
from boruna_ls.answers.reference import library_description, library_names, library_page
from boruna_ls.cli.output import complain, listed


def write_pages(folder: str) -> None:
    """Writes the pages of all built-in libraries, and a list of them (`make library-pages`)."""
    rows = [f"- [{name}]({name}.md): {library_description(name)}" for name in library_names()]
    pages = {name: library_page(name) or "" for name in library_names()}
    pages["README"] = "\n".join(
        ["# Libraries", "", "Written by `make library-pages` from the comments of the libraries.", "", *rows, ""]
    )
    for name, page in pages.items():
        Path(folder, f"{name}.md").write_text(page, encoding="utf-8")


def function_page(name: str) -> str | None:
    """The part of a library's page that is about a function, with the import; None for another name."""
    library = LIBRARIES.get(name)
    page = library_page(library) if library is not None else None
    if page is None:
        return None
    _, opening, rest = page.partition(f"```ax\nfn {name}(")
    part, _, _ = f"{opening}{rest}".partition("\n```ax\n")
    return f'```ax\nimport "{library}"\n```\n\n{part.strip()}\n'


@click.command(short_help="Show a built-in library, or one of its functions.")
@click.argument("name")
def command(name: str) -> int:
    """Prints the functions, records and enums of a library like std-list, or a function like list_sort, with comments."""
    page = library_page(name) or function_page(name)
    if page is None:
        import difflib

        short = [full.removeprefix("std-") for full in library_names()]
        close = difflib.get_close_matches(name.removeprefix("std-"), short, n=1, cutoff=0.7)
        guess = f": did you mean std-{close[0]}?" if close else ""
        complain(f"there is no built-in library '{name}'{guess}; there are {listed(library_names())}")
        return 1
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(page))
    else:
        print(page.rstrip("\n"))
    return 0
