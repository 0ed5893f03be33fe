"""`boruna-ls new`: a folder with a new application, made of a template."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from boruna_ls.answers.templates import list_answer
from boruna_ls.cli.output import complain, note, visible
from boruna_ls.cli.template import DIRECTORY, applied, report_application, write_new
from boruna_ls.framework.templates import TemplateError, arguments_of
from boruna_ls.workspace.disk import reason_of

FILE = "app.ax"


@click.command(short_help="Create an application from a template.")
@click.argument("template", required=False)
@DIRECTORY
@click.option("--target", metavar="FOLDER", help="Folder to create (default: the template's name).")
@click.option("--var", "pairs", metavar="K=V", multiple=True, help="An argument of the template.")
@click.option("--no-input", is_flag=True, help="Do not ask.")
@click.option("--force", is_flag=True, help="Allow a folder that is not empty.")
def command(template: str | None, directory: str, target: str | None, pairs: tuple[str, ...], no_input: bool, force: bool) -> int:
    """Asks at a terminal for the template and for missing arguments. Exit status 1 if nothing was created."""
    answer = list_answer(directory)
    if not answer["success"]:
        complain(answer["message"])
        return 1
    asks = not no_input and sys.stdin.isatty()
    row = _template_row(answer["templates"], template, asks)
    if row is None:
        return 1
    given = _arguments(row, list(pairs), asks)
    if given is None:
        return 1
    name = row.get("folder", row["name"])
    folder = target or name
    try:
        if os.path.isdir(folder) and os.listdir(folder) and not force:
            complain(f"target directory is not empty: {folder} (use --force to overwrite)")
            return 1
        application = applied(directory, name, given, validate=True)
        if not report_application(application):
            return 1
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        complain(f"{folder}: {reason_of(error)}")
        return 1
    path = os.path.join(folder, FILE)
    if not write_new(path, application["source"], force):
        return 1
    print(visible(f"OK: scaffolded {name} at {folder}"))
    print(visible(f"  boruna-ls run {path}"))
    print(visible(f"  boruna-ls app test {path} MESSAGE…"))
    return 0


def _template_row(rows: list[dict[str, Any]], name: str | None, asks: bool) -> dict[str, Any] | None:
    """The template of a name, or the one that is picked; None after saying why there is none."""
    names = [row.get("folder", row["name"]) for row in rows]
    if name is None and asks and rows:
        for row, shown in zip(rows, names, strict=True):
            note(f"  {shown} — {row['description']}")
        name = click.prompt("Template", type=click.Choice(names), show_choices=False)
    if name is None:
        complain(f"name a template: {', '.join(names) or 'there is none'}")
        return None
    if name not in names:
        complain(f"template '{name}' not found: there are {', '.join(names) or 'none'}")
        return None
    return rows[names.index(name)]


def _arguments(row: dict[str, Any], pairs: list[str], asks: bool) -> list[str] | None:
    """The arguments with those that are asked for; None after saying what is wrong with one."""
    try:
        given = arguments_of(pairs)
    except TemplateError as error:
        complain(str(error))
        return None
    for name, spec in row["arg_specs"].items():
        if name not in given and asks:
            value = click.prompt(visible(f"{name} ({spec['description']})"), default=spec.get("default", ""), type=str)
            if value:
                given[name] = value
    return [f"{name}={value}" for name, value in given.items()]
