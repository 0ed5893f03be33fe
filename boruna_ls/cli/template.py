"""`boruna-ls template …`: the templates of applications, and what is made of them (spec chapter 14)."""

from __future__ import annotations

from typing import Any, Final

import click

from boruna_ls.answers.templates import apply_answer, list_answer, validation_of
from boruna_ls.cli.output import complain, note, visible, write_answer
from boruna_ls.cli.programs import Session
from boruna_ls.data import templates_folder
from boruna_ls.framework.templates import Applied
from boruna_ls.rendezvous import atomic
from boruna_ls.workspace.disk import reason_of

DIRECTORY: Final = click.option(
    "--templates-dir", "--dir", "directory", metavar="DIR", default=lambda: str(templates_folder()), help="Folder of templates."
)


@click.group(short_help="List templates of applications and apply them.")
def command() -> None:
    """Templates: sources of new applications with placeholders."""


@command.command("list", short_help="List the templates.")
@DIRECTORY
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_template_list.")
def list_(directory: str, as_json: bool) -> int:
    """Exit status 1 if no template is readable."""
    answer = list_answer(directory)
    if as_json:
        write_answer(answer)
        return 0 if answer["success"] else 1
    if not answer["success"]:
        complain(answer["message"])
        return 1
    for row in answer["templates"]:
        print(visible(f"  {row.get('folder', row['name'])} v{row['version']} — {row['description']}"))
        for name in row["args"]:
            spec = row["arg_specs"][name]
            needed = "" if spec["required"] else " (optional)"
            print(visible(f"    {name}{needed}: {spec['description']}"))
    if not answer["templates"]:
        note(f"no templates found in {directory}")
    for broken in answer.get("errors", ()):
        note(f"warning: {broken['message']}")
    return 0


@command.command("apply", short_help="Write the application of a template.")
@click.argument("name")
@click.option("--args", "listed", metavar="K=V,K=V", default="", help="Arguments separated by commas.")
@click.option("--var", "pairs", metavar="K=V", multiple=True, help="One argument; may contain commas.")
@click.option("-o", "--out", metavar="FILE", help="File to write (default: the template's own name).")
@click.option("--validate", is_flag=True, help="Write only a program that compiles.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@DIRECTORY
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_template_apply; nothing is written."
)
def apply(
    name: str, listed: str, pairs: tuple[str, ...], out: str | None, validate: bool, force: bool, directory: str, as_json: bool
) -> int:
    """Exit status 1 if nothing was created."""
    given = [*(listed.split(",") if listed else ()), *pairs]
    answer = applied(directory, name, given, validate or as_json)
    if as_json:
        write_answer(answer)
        return 0 if answer["success"] else 1
    if not report_application(answer):
        return 1
    target = out or answer["output_file"]
    if not write_new(target, answer["source"], force):
        return 1
    print(visible(f"generated {target} from template '{answer['template_name']}'"))
    for key, title in (("dependencies", "deps"), ("capabilities", "caps")):
        if answer[key]:
            print(visible(f"  {title}: {', '.join(answer[key])}"))
    return 0


def applied(directory: str, name: str, given: list[str], validate: bool) -> dict[str, Any]:
    """Print JSON: the answer of the tool, for a template that is applied here."""

    def validation(application: Applied) -> dict[str, Any]:
        host = Session().host
        return validation_of(host.db, host.inline(application.source, application.output_file))

    return apply_answer(directory, name, given, validation if validate else None)


def report_application(answer: dict[str, Any]) -> bool:
    """Says what is wrong with an application; whether it can be written."""
    if not answer["success"]:
        complain(answer["message"])
        for missing in answer.get("missing", ()):
            note(f"  needed: {missing}")
        return False
    for name in answer.get("unknown_args", ()):
        note(f"warning: the template has no argument {name}")
    for name in answer.get("unfilled", ()):
        note(f"warning: {{{{{name}}}}} was not replaced")
    validation = answer.get("validation", {"passed": True})
    if not validation["passed"]:
        complain(validation["error"])
    for line in validation.get("warnings", ()):
        note(f"warning: {line}")
    return bool(validation["passed"])


def write_new(path: str, text: str, force: bool) -> bool:
    """Writes a new file, over one that is there only with `force`, and never through a link; says why if it cannot."""
    try:
        atomic.write(path, text.encode("utf-8"), None, is_new=not force)
    except FileExistsError:
        complain(f"{path} already exists: use --force to overwrite it")
        return False
    except (OSError, ValueError) as error:
        complain(f"{path}: {reason_of(error) if isinstance(error, OSError) else error}")
        return False
    return True
