"""`--libs-dir`: the folder of libraries that a command looks into first."""

from __future__ import annotations

from typing import Final

import click

_KEY: Final = "boruna_ls.libs"


def _remember(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.meta[_KEY] = value


libs_option: Final = click.option(
    "--libs-dir",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    expose_value=False,
    callback=_remember,
    help="Folder of libraries that precede the built-in ones.",
)
"""For commands whose programs can import something; their `Session` knows of it."""


def chosen_libs() -> str | None:
    """The folder that the command which runs was given."""
    context = click.get_current_context(silent=True)
    return context.meta.get(_KEY) if context is not None else None
