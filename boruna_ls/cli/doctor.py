"""`boruna-ls doctor`: what is wrong with this installation, and how to mend it.

`CHECKS` is the table; a check looks at one thing and yields what it found. Nothing is changed, nothing is sent anywhere.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import stat
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import click

from boruna_ls import __version__, data, no_follow
from boruna_ls.cli.checkup import Report
from boruna_ls.cli.doctor_daemon import daemon, installations
from boruna_ls.cli.doctor_sandbox import sandboxes
from boruna_ls.cli.output import counted, visible, write_state
from boruna_ls.cli.selfcheck import EXPECTED, Failed, over_lsp, over_mcp

PYTHON: Final = (3, 11)
COMMANDS: Final = ("boruna-ls", "boruna-lsp", "boruna-mcp")
PACKAGE: Final = "boruna-ls"
REINSTALL: Final = "install boruna-ls again: pip install --force-reinstall, or make setup in a clone"
_REQUIREMENT: Final = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*([^;]*)(?:;(.*))?")
_CLAUSE: Final = re.compile(r"(>=|<=|==|!=|~=|<|>)\s*([0-9]+(?:\.[0-9]+)*)(\.\*)?")


def python_version() -> Iterator[Report]:
    """The interpreter that runs the commands."""
    if sys.version_info < PYTHON:
        yield Report("python", "error", f"Python {platform.python_version()} is too old", "install Python 3.11 or newer")
    else:
        yield Report("python", "ok", f"{platform.python_implementation()} {platform.python_version()} in {sys.prefix}")


def packages() -> Iterator[Report]:
    """The libraries, in the versions that the package asks for."""
    try:
        installed = importlib.metadata.version(PACKAGE)
        requirements = importlib.metadata.requires(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        yield Report("packages", "error", f"{PACKAGE} is not installed in {sys.prefix}", REINSTALL)
        return
    if installed != __version__:
        message = f"the code is version {__version__}, the installed package is version {installed}"
        yield Report("packages", "warning", message, REINSTALL)
    wanted = [
        requirement
        for text in requirements
        if (requirement := _REQUIREMENT.match(text)) and "extra" not in (requirement[3] or "")
    ]
    sound = True
    for requirement in wanted:
        name, clauses = requirement[1], requirement[2].strip()
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            # A condition such as another platform may leave it out on purpose.
            if not requirement[3]:
                sound = False
                yield Report("packages", "error", f"{name} is missing", REINSTALL)
            continue
        if not satisfies(version, clauses):
            sound = False
            yield Report("packages", "error", f"{name} {version} is installed, {clauses} is needed", REINSTALL)
    if sound:
        yield Report("packages", "ok", f"{PACKAGE} {installed} with {len(wanted)} packages that it needs")


def data_folders() -> Iterator[Report]:
    """Check of the data that is shipped beside the code."""
    folders = {
        "libraries": (data.libraries_folder(), "*/src/core.ax"),
        "templates": (data.templates_folder(), "*"),
        "diagnostics": (data.diagnostics_folder(), "*.md"),
        "configurations": (data.editors_folder(), "agents/*/*"),
    }
    for name, (folder, pattern) in folders.items():
        count = len(list(folder.glob(pattern)))
        if count:
            yield Report(name, "ok", f"{counted(count, 'file')} in {folder}")
        else:
            yield Report(name, "error", f"nothing in {folder}", REINSTALL)


def commands() -> Iterator[Report]:
    """Check of the commands that editors and agents start by name."""
    scripts = sysconfig.get_path("scripts")
    for name in COMMANDS:
        ours, first = shutil.which(name, path=scripts), shutil.which(name)
        if ours is None and first is None:
            yield Report("commands", "error", f"{name} is neither in {scripts} nor on PATH", REINSTALL)
        elif first is None:
            mend = f"add {scripts} to PATH, or configure clients with `boruna-ls setup`, which writes full paths"
            yield Report("commands", "warning", f"{name} is not on PATH", mend)
        elif ours is not None and not os.path.samefile(ours, first):
            message = f"{name} on PATH is {first}, this installation's is {ours}"
            yield Report("commands", "warning", message, f"put {scripts} in front on PATH, or remove the other installation")
        else:
            yield Report("commands", "ok", f"{name} is {first}")


def _text(path: str) -> str:
    """The text of a file of the current folder, which may be anybody's. Raises OSError (also for a link), ValueError."""
    with os.fdopen(no_follow.opened(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is not a file")
        return file.read().decode("utf-8")


def project() -> Iterator[Report]:
    """The settings and libraries of the current folder, if it has its own."""
    from boruna_ls.workspace.settings import parse_settings

    settings = os.path.join(os.path.realpath(os.curdir), "boruna.toml")
    if os.path.lexists(settings):
        try:
            problems = parse_settings(_text(settings)).problems
        except (ValueError, OSError) as error:
            reason = "it is a symbolic link" if isinstance(error, OSError) and no_follow.is_link_error(error) else error
            problems = (f"{settings} cannot be read: {reason}",)
        for problem in problems:
            yield Report("project", "error", problem, "correct the file")
        if not problems:
            yield Report("project", "ok", f"settings in {settings}")
    folder = Path("libs")
    if folder.is_dir():
        libraries = sorted(path.parent.parent.name for path in folder.glob("*/src/core.ax"))
        if libraries:
            yield Report("project", "ok", f"libraries in {folder.resolve()}: {', '.join(libraries)}")
        else:
            mend = "a library NAME is the file libs/NAME/src/core.ax"
            yield Report("project", "warning", f"no library in {folder.resolve()}", mend)


def isolation() -> Iterator[Report]:
    """Check of the isolation of programs from the rest of the machine."""
    from boruna_ls.isolation.launcher import shared_launcher

    confinement = shared_launcher().isolation()
    groups = "; cgroups bound process trees" if confinement.cgroups else ""
    if confinement.kind == "bubblewrap":
        yield Report("isolation", "ok", f"programs run in namespaces without network and home (bubblewrap){groups}")
    else:
        mend = "programs still run in processes with limits; on Linux, install bubblewrap for separate namespaces"
        yield Report("isolation", "ok", f"programs run in processes with limits: {confinement.reason}{groups}", mend)


def servers() -> Iterator[Report]:
    """Check that both servers report the one mistake of a program."""
    for name, ask in (("lsp", over_lsp), ("mcp", over_mcp)):
        try:
            codes = ask()
        except (Failed, OSError) as problem:
            yield Report(name, "error", f"the server does not answer: {problem}", REINSTALL)
            continue
        if codes == EXPECTED:
            yield Report(name, "ok", f"the server finds {', '.join(codes)} in a program with that mistake")
        else:
            message = f"the server finds {', '.join(codes) or 'nothing'} instead of {', '.join(EXPECTED)}"
            yield Report(name, "error", message, REINSTALL)


CHECKS: Final[tuple[Callable[[], Iterator[Report]], ...]] = (
    python_version,
    packages,
    data_folders,
    commands,
    installations,
    daemon,
    project,
    isolation,
    sandboxes,
    servers,
)


@click.command(short_help="Find problems of this installation.")
@click.option("--json", "as_json", is_flag=True, help="The results as JSON.")
def command(as_json: bool) -> int:
    """Checks Python, packages, data, commands, the daemon (if it runs), the current folder's settings, and both
    servers; says how to fix each problem.

    Exit status 1 for errors; warnings may be intended.
    """
    reports = []
    for check in CHECKS:
        for report in check():
            reports.append(report)
            if not as_json:
                print(visible(f"{report.level:<8} {report.check + ':':<15} {report.message}"), flush=True)
                if report.mend:
                    print(visible(f"{'':<24} {report.mend}"))
    errors = sum(report.level == "error" for report in reports)
    warnings = sum(report.level == "warning" for report in reports)
    if as_json:
        write_state({"checks": [report._asdict() for report in reports], "success": not errors, "version": __version__})
    else:
        print(f"{counted(errors, 'error')}, {counted(warnings, 'warning')}")
    return 1 if errors else 0


def satisfies(version: str, clauses: str) -> bool:
    """True if a version meets a requirement; clauses that are not understood are allowed."""
    return all(_compare(_numbers(version), *match.groups()) for match in _CLAUSE.finditer(clauses))


def _numbers(version: str) -> tuple[int, ...]:
    """The release as numbers; `2.0` and `2.0.0` are the same."""
    release = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    numbers = [int(part) for part in release[0].split(".")] if release else [0]
    return tuple(numbers + [0] * (8 - len(numbers)))


def _compare(version: tuple[int, ...], operator: str, text: str, any_end: str | None) -> bool:
    bound, length = _numbers(text), text.count(".") + 1
    if operator == "~=":
        return version >= bound and version[: length - 1] == bound[: length - 1]
    if any_end:
        same = version[:length] == bound[:length]
        return same if operator == "==" else not same
    return {
        ">=": version >= bound,
        "<=": version <= bound,
        "==": version == bound,
        "!=": version != bound,
        "<": version < bound,
        ">": version > bound,
    }[operator]
