"""Unsaved texts of editors, as far as the user's daemon knows: people and agents at a terminal see the same texts.

No daemon is started for this, and where none runs the cost is one look at a socket.
"""

from __future__ import annotations

from typing import Any, Final

import click

from boruna_ls.cli.output import note
from boruna_ls.rendezvous import places
from boruna_ls.rendezvous.ask import ask

_TIMEOUT: Final = 5.0
"""Seconds that the daemon has to answer: without its answer another text is looked at than the one that was meant."""
_KEY: Final = "boruna_ls.disk"
UNSAVED: Final = "has unsaved changes in an editor: save them first, or use --disk to change the file on disk"


def _remember(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_KEY] = value


disk_option: Final = click.option(
    "--disk",
    is_flag=True,
    expose_value=False,
    callback=_remember,
    help="Read files from disk only, ignore unsaved text in editors.",
)
"""For commands whose `Session` shows what editors have; the others look at the disk alone."""


def looks_at_editors() -> bool:
    """True if the running command has the option `--disk`, and it was not given."""
    context = click.get_current_context(silent=True)
    return context is not None and not context.meta.get(_KEY, True)


def unsaved_texts(roots: list[str]) -> dict[str, str]:
    """By canonical path, the texts at or below `roots` that editors show and the disk does not have."""
    return {path: opened["text"] for path, opened in open_texts(roots).items() if opened.get("unsaved")}


def open_texts(roots: list[str]) -> dict[str, dict[str, Any]]:
    """By canonical path, the `text` of what editors have open at or below `roots`, and whether it is `unsaved`."""
    try:
        answer = ask(places.folder(), "texts", _TIMEOUT, roots=roots)
    except places.BadFolder:
        return {}
    except (OSError, ValueError) as error:
        note(f"warning: the daemon does not report unsaved text of editors ({error}); the files on disk are used")
        return {}
    texts = (answer or {}).get("texts")
    if not isinstance(texts, dict):
        # None runs, or one that is too old to know.
        return {}
    return texts
