"""Descriptions of the command line for shells and `man`: completion scripts and the manual page, made from the commands
themselves."""

from __future__ import annotations

import importlib
import re
from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from boruna_ls import __version__

VARIABLE: Final = "_BORUNA_LS_COMPLETE"
"""The environment variable by which a completion script asks `boruna-ls` what may come next."""
PROGRAM: Final = "boruna-ls"
SHELLS: Final[dict[str, type[ShellComplete]]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


def completion(shell: str) -> str:
    """The completion script of a shell of `SHELLS`; it asks the program on PATH."""
    script = SHELLS[shell](_commands(), {}, PROGRAM, VARIABLE).source()
    # Not what was typed: TAB behind ./boruna-ls must not execute a file of the current folder.
    return script.replace("=bash_complete $1)", f"=bash_complete {PROGRAM})").strip() + "\n"


def answered(instruction: str) -> int:
    """Prints what may come next, for a completion script. Anything else that the variable holds is refused."""
    shell = instruction.removesuffix("_complete")
    if shell == instruction or shell not in SHELLS:
        return 1
    print(SHELLS[shell](_commands(), {}, PROGRAM, VARIABLE).complete())
    return 0


def manual() -> str:
    """The manual page `boruna-ls(1)`, as roff."""
    group = _commands()
    context = click.Context(group, info_name=PROGRAM)
    parts = [
        f'.TH BORUNA-LS 1 "" "boruna-ls {__version__}" "User Commands"',
        ".SH NAME\nboruna\\-ls \\- analysis of .ax programs for people, editors and agents",
        f".SH SYNOPSIS\n.B boruna\\-ls\n{_plain('[OPTIONS] COMMAND [ARGS]...')}",
        f".SH DESCRIPTION\n{_plain(group.help or '')}",
        ".SH COMMANDS",
    ]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        parts.append(_section(command, click.Context(command, parent=context, info_name=name), f"{PROGRAM} {name}"))
    parts.append(".SH SEE ALSO\n.BR boruna\\-lsp ,\n.BR boruna\\-mcp :\nthe servers for editors and agents.")
    return "\n".join(parts) + "\n"


def _section(command: click.Command, context: click.Context, title: str) -> str:
    lines = [
        f".SS {_plain(title)}",
        f"{_plain(' '.join(command.collect_usage_pieces(context)))}\n.PP",
        _plain(command.help or ""),
    ]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            lines.append(_section(inner, click.Context(inner, parent=context, info_name=name), f"{title} {name}"))
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and record[1] and "--help" not in parameter.opts:
            lines.append(f".TP\n\\fB{_plain(record[0])}\\fR\n{_plain(record[1])}")
    return "\n".join(line for line in lines if line)


def _plain(text: str) -> str:
    """A text as roff shows it: paragraphs kept, nothing in it a request."""
    escaped = text.replace("\b", "").replace("\\", "\\e").replace("-", "\\-").strip()
    escaped = re.sub(r"\n[ \t]*\n\s*", "\n.PP\n", escaped)
    lines = [line.strip() for line in escaped.split("\n")]
    return "\n".join(line if line == ".PP" or line[:1] not in (".", "'") else f"\\&{line}" for line in lines)


def _commands() -> click.Group:
    group = importlib.import_module("boruna_ls.cli.main").commands
    assert isinstance(group, click.Group)
    return group
