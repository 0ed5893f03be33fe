"""`boruna-ls setup CLIENT`: prints the configuration for an editor or an agent, or writes it where the client looks for it.

`CLIENTS` is the table; the texts are the files of `editors/`, the same that the README shows. Settings of others in a file are
kept, with their comments: JSON is merged, TOML and Lisp are added at the end; a file that cannot be understood is left alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from boruna_ls.cli import grammar
from boruna_ls.cli.jsonc import NotJson, merged
from boruna_ls.cli.output import complain, note, write_exact
from boruna_ls.data import editors_folder
from boruna_ls.rendezvous import atomic


class Refused(Exception):
    """The file is better left alone; the message says why, and what to do."""


class Target(NamedTuple):
    """A file of a client, the file of `editors/` that belongs into it (or what makes its text), and how the two become one."""

    path: Callable[[], Path]
    text: str | Callable[[], str]
    merge: Callable[[str, str], str]


def merged_json(old: str, new: str) -> str:
    """Our entries beside those that are there, comments and layout kept; in our own entry only the command is replaced."""
    try:
        return merged(old, json.loads(new), replaced=("command",))
    except NotJson as error:
        raise Refused(f"cannot be changed: {error}") from None


def merged_toml(old: str, new: str) -> str:
    """Our tables after those that are there."""
    try:
        present = tomllib.loads(old)
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"is not TOML ({error})") from None
    if _holds(present, tomllib.loads(new)):
        return old
    added = _after(old, new)
    try:
        both = tomllib.loads(added)
    except tomllib.TOMLDecodeError:
        raise Refused("already contains other settings for boruna; change them by hand") from None
    if _named_twice(both):
        raise Refused("already contains other settings for boruna; change them by hand")
    return added


def merged_lisp(old: str, new: str) -> str:
    """Our forms at the end."""
    if new.strip() in old:
        return old
    if "boruna-mode" in old:
        raise Refused("already contains other settings for boruna; change them by hand")
    return _after(old, new)


def whole_file(old: str, new: str) -> str:
    """A file that holds nothing but our text."""
    if old.strip() and old != new:
        raise Refused("contains other text; remove it first")
    return new


def generated(old: str, new: str) -> str:
    """A file that an older version of us may have written."""
    if old.strip() and "boruna" not in old[:500].lower():
        raise Refused("contains other text; remove it first")
    return new


def _completion(shell: str) -> Callable[[], str]:
    def text() -> str:
        from boruna_ls.cli import shells

        return shells.completion(shell)

    return text


def _manual() -> str:
    from boruna_ls.cli import shells

    return shells.manual()


def _data() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or _home() / ".local" / "share")


def _shell(shell: str, path: Callable[[], Path]) -> tuple[Target, ...]:
    return Target(path, _completion(shell), generated), Target(
        lambda: _data() / "man" / "man1" / "boruna-ls.1", _manual, generated
    )


def _home() -> Path:
    return Path.home()


def _configuration() -> Path:
    """Folder of the user's configuration files."""
    if os.name == "nt":
        return Path(os.environ.get("APPDATA") or _home() / "AppData" / "Roaming")
    return Path(os.environ.get("XDG_CONFIG_HOME") or _home() / ".config")


def _neovim() -> Path:
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or _home() / "AppData" / "Local") / "nvim"
    return _configuration() / "nvim"


def _emacs() -> Path:
    places = (_home() / ".emacs", _home() / ".emacs.d" / "init.el", _configuration() / "emacs" / "init.el")
    return next((place for place in places if place.exists()), places[1])


def _emacs_folder() -> Path:
    """Emacs' `user-emacs-directory`."""
    init = _emacs()
    return init.parent if init.name == "init.el" else _home() / ".emacs.d"


def _sublime() -> Path:
    if sys.platform == "darwin":
        return _home() / "Library" / "Application Support" / "Sublime Text" / "Packages" / "User"
    return _configuration() / ("Sublime Text" if os.name == "nt" else "sublime-text") / "Packages" / "User"


def _zed() -> Path:
    return (_configuration() / "Zed" if os.name == "nt" else _configuration() / "zed") / "settings.json"


def _helix() -> Path:
    return _configuration() / "helix"


def _zed_extension(name: str = "") -> Path:
    """The folder that Zed installs as an extension."""
    return _data() / "boruna-ls" / "zed" / name


def _zed_grammar() -> Path:
    return _data() / "boruna-ls" / grammar.NAME


def _zed_manifest() -> str:
    """The manifest of the extension with the grammar, which Zed reads from a git repository only."""
    text = (editors_folder() / "zed" / "extension.toml").read_text("utf-8")
    address = json.dumps(_zed_grammar().as_uri())
    return f'{text}\n[grammars.boruna]\nrepository = {address}\nrev = "{grammar.commit()}"\n'


def _helix_query(name: str) -> Target:
    return Target(lambda: _helix() / "runtime" / "queries" / "boruna" / name, f"helix/queries/{name}", generated)


_ZED_QUERIES: Final = (
    "brackets.scm",
    "indents.scm",
    "injections.scm",
    "outline.scm",
    "overrides.scm",
    "runnables.scm",
    "textobjects.scm",
)


def _zed_file(name: str, source: str | None = None) -> Target:
    return Target(lambda: _zed_extension(name), source or f"zed/{name}", generated)


CLIENTS: Final[Mapping[str, tuple[Target, ...]]] = {
    "claude-code": (Target(lambda: Path(".mcp.json"), "agents/claude-code/.mcp.json", merged_json),),
    "cursor": (Target(lambda: Path(".cursor/mcp.json"), "agents/cursor/mcp.json", merged_json),),
    "vscode": (Target(lambda: Path(".vscode/mcp.json"), "agents/vscode/mcp.json", merged_json),),
    "codex": (
        Target(
            lambda: Path(os.environ.get("CODEX_HOME") or _home() / ".codex") / "config.toml",
            "agents/codex/config.toml",
            merged_toml,
        ),
    ),
    "windsurf": (
        Target(lambda: _home() / ".codeium" / "windsurf" / "mcp_config.json", "agents/windsurf/mcp_config.json", merged_json),
    ),
    "neovim": (
        Target(lambda: _neovim() / "plugin" / "boruna.lua", "neovim/boruna.lua", whole_file),
        Target(lambda: _neovim() / "ftplugin" / "boruna.lua", "neovim/ftplugin/boruna.lua", whole_file),
    ),
    "helix": (
        Target(lambda: _helix() / "languages.toml", "helix/languages.toml", merged_toml),
        *map(_helix_query, ("highlights.scm", "indents.scm", "injections.scm", "locals.scm", "textobjects.scm")),
    ),
    "emacs": (
        Target(_emacs, "emacs/boruna.el", merged_lisp),
        Target(lambda: _emacs_folder() / "boruna" / "boruna-mode.el", "emacs/boruna-mode.el", generated),
    ),
    "zed": (
        Target(_zed, "agents/zed/settings.json", merged_json),
        Target(lambda: _zed_extension("extension.toml"), _zed_manifest, generated),
        _zed_file("Cargo.toml"),
        _zed_file("src/lib.rs"),
        *(_zed_file(f"languages/boruna/{name}") for name in ("config.toml", "tasks.json", *_ZED_QUERIES)),
        _zed_file("languages/boruna/highlights.scm", f"{grammar.NAME}/queries/highlights.scm"),
    ),
    "sublime": (
        Target(lambda: _sublime() / "Boruna.sublime-syntax", "sublime/Boruna.sublime-syntax", whole_file),
        Target(lambda: _sublime() / "Boruna.sublime-settings", "sublime/Boruna.sublime-settings", merged_json),
        Target(lambda: _sublime() / "Comments.tmPreferences", "sublime/Comments.tmPreferences", whole_file),
        Target(lambda: _sublime() / "LSP.sublime-settings", "sublime/LSP.sublime-settings", merged_json),
    ),
    "bash": _shell("bash", lambda: _data() / "bash-completion" / "completions" / "boruna-ls"),
    "zsh": _shell("zsh", lambda: _data() / "zsh" / "site-functions" / "_boruna-ls"),
    "fish": _shell("fish", lambda: _configuration() / "fish" / "completions" / "boruna-ls.fish"),
}
"""Configuration files of each client. Relative paths belong to the project: the current folder."""
GRAMMARS: Final[Mapping[str, tuple[Callable[[], Path], Callable[[Path], None]]]] = {
    "helix": (lambda: _helix() / "runtime" / "grammars" / "boruna.so", grammar.compile_to),
    "zed": (_zed_grammar, grammar.make_repository),
}
"""Grammar of each client: its location, and the function that puts it there."""
REMARKS: Final[Mapping[str, str]] = {
    "helix": "Helix 25.07 or newer; `hx --health boruna` shows what it found",
    "vscode": "that is for agents; for the editor install the extension: make vscode, then code --install-extension boruna.vsix",
    "zed": "settings.json is for the agent; for the editor run `zed: install dev extension` with the folder boruna-ls/zed above",
    "neovim": "that is for Neovim 0.11 or newer; editors/neovim has a file for older ones",
    "windsurf": "it starts servers outside of the project, so name files by their full paths",
    "codex": "a project that you trust can have its own: .codex/config.toml",
    "sublime": "the package LSP must also be installed",
    "bash": "the package bash-completion must be installed; `man boruna-ls` shows the manual page",
    "zsh": "the folder of that file must be in fpath, before compinit: fpath+=(~/.local/share/zsh/site-functions)",
}


@click.command(short_help="Configure an editor, an agent or a shell.")
@click.argument("client", type=click.Choice(list(CLIENTS)))
@click.option("--write", is_flag=True, help="Write the files; other content in them is kept.")
def command(client: str, write: bool) -> int:
    """Prints the configuration for CLIENT and its files; with --write installs it.

    Project configuration goes into the current folder. A command that is not on PATH is written with its full path.
    """
    failed = False
    for target in CLIENTS[client]:
        path, text = target.path(), configured(target)
        if not write:
            note(f"{path}:")
            write_exact(text)
            continue
        try:
            note(f"{path}: {'written' if put(path, text, target.merge) else 'nothing to change'}")
        except (Refused, OSError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else str(problem)
            complain(f"{path}: {reason}; not changed. Add this to it:")
            note(text)
            failed = True
    if client in GRAMMARS:
        failed |= not _install_grammar(client, write)
    if client in REMARKS:
        note(f"note: {REMARKS[client]}")
    return int(failed)


def _install_grammar(client: str, write: bool) -> bool:
    """Puts the grammar where a client looks for it; whether it is there or was not asked for."""
    place, install = GRAMMARS[client]
    if not write:
        note(f"{place()}: --write puts the grammar there")
        return True
    try:
        install(place())
    except (grammar.CannotInstall, OSError) as problem:
        complain(f"{place()}: {problem}")
        return False
    note(f"{place()}: the grammar")
    return True


def original(target: Target) -> str:
    """The text for a target as it is anywhere."""
    return target.text() if callable(target.text) else (editors_folder() / target.text).read_text("utf-8")


def configured(target: Target) -> str:
    """The text for a target, with the commands as they can be started on this machine."""
    text = original(target)
    # A JSON string is a string of TOML, Lua and Lisp, too.
    return re.sub(r'"(boruna-(?:mcp|lsp))"', lambda match: json.dumps(startable(match[1])), text)


def startable(name: str) -> str:
    """The name of an installed command if that is enough to start it, else its full path."""
    installed = shutil.which(name, path=sysconfig.get_path("scripts"))
    on_path = shutil.which(name)
    if installed is None or (on_path is not None and os.path.samefile(installed, on_path)):
        return name
    return installed


def put(path: Path, text: str, merge: Callable[[str, str], str]) -> bool:
    """Merges a text into a file, which may not exist yet; False if it held all of it already."""
    # A link leads to a file that is shared on purpose; it stays a link.
    real = path.resolve()
    if not path.is_absolute() and not real.is_relative_to(Path.cwd().resolve()):
        # Links in a home folder are made by its owner, those in a project may have come with it.
        raise Refused(f"leads out of the project, to {real}")
    try:
        data = real.read_bytes()
        old = data.decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        data, old = None, ""
    except UnicodeDecodeError:
        raise Refused("is not UTF-8") from None
    new = merge(old, text)
    if data is not None and new == old:
        return False
    real.parent.mkdir(parents=True, exist_ok=True)
    mark = b"\xef\xbb\xbf" if data is not None and data.startswith(b"\xef\xbb\xbf") else b""
    # The lines end as they did.
    lines = new.replace("\n", "\r\n") if data is not None and b"\r\n" in data else new
    atomic.write(real, mark + lines.encode("utf-8"), real.stat().st_mode & 0o7777 if data is not None else 0o644)
    return True


def _holds(present: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return isinstance(present, dict) and all(key in present and _holds(present[key], value) for key, value in wanted.items())
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        return isinstance(present, list) and all(any(_holds(element, value) for element in present) for value in wanted)
    return bool(present == wanted)


def _named_twice(document: Mapping[str, Any]) -> bool:
    """True if a list of tables, as Helix has one of languages, names an element twice."""
    lists = [value for value in document.values() if isinstance(value, list)]
    names = [[element.get("name") for element in value if isinstance(element, dict)] for value in lists]
    return any(elements.count("boruna") > 1 for elements in names)


def _after(old: str, new: str) -> str:
    return f"{old.rstrip()}\n\n{new}" if old.strip() else new
