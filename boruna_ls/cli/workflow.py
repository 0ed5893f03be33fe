"""`boruna-ls workflow …`: workflows in folders (spec chapter 16, section 11; chapter 17, section 3)."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, cast

import click

from analysis.workflow.canonical import workflow_hash
from analysis.workflow.graph import Graph, dependencies, graph_of
from analysis.workflow.reader import Document
from analysis.workflow.validation import validate as validated
from boruna_ls.answers.workflow import described
from boruna_ls.cli.output import complain, note, visible, write_answer, write_exact
from boruna_ls.cli.workflow_shown import write_sorted
from boruna_ls.run_page.picture import picture
from boruna_ls.workflow.folders import DOCUMENT, WorkflowError, find, read_folder

_WIDTHS = (45, 28, 7)


_RUNS = ("run", "resume", "approve", "reject", "trigger", "cancel", "show", "list", "watch")


class _Workflow(click.Group):
    """Imports what runs workflows only when one of these commands is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *_RUNS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _RUNS:
            return super().get_command(ctx, cmd_name)
        if cmd_name == "watch":
            return cast("click.Command", importlib.import_module("boruna_ls.cli.workflow_watch").watch)
        module = importlib.import_module("boruna_ls.cli.workflow_runs")
        return next((subcommand for subcommand in module.COMMANDS if subcommand.name == cmd_name), None)


@click.group(cls=_Workflow, short_help="Check and run workflows, decide at gates.")
def command() -> None:
    """Workflows: graphs of programs and decisions, defined by a folder's workflow.json."""


def document_of(folder: str) -> Document | None:
    """The document of a folder; None after saying why there is none."""
    if os.path.basename(folder) == DOCUMENT and os.path.isfile(folder):
        folder = os.path.dirname(folder) or "."
    try:
        return read_folder(folder)
    except WorkflowError as error:
        complain(str(error))
        return None


@command.command("validate", short_help="Check whether a workflow is valid.")
@click.argument("folder", type=click.Path())
@click.option("--print-hash", is_flag=True, help="Also print the hash of the definition.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_workflow_validate.")
def validate(folder: str, print_hash: bool, as_json: bool) -> int:
    """Exit status 0 for a valid workflow, otherwise 1."""
    document = document_of(folder)
    if document is None:
        return 1
    verdict = validated(document)
    if as_json:
        write_answer(described(verdict))
        return 1 if verdict.errors else 0
    if sys.stderr.isatty():
        for problem in verdict.warnings:
            note(f"warning: {problem.message}")
    if verdict.errors:
        note("validation failed:")
        for problem in verdict.errors:
            note(f"  {problem.kind}: {problem.message}")
        return 1
    definition = document.definition
    print(visible(f"workflow '{definition.name}' v{definition.version} is valid"))
    print(f"  steps: {len(definition.steps)}")
    print(f"  edges: {len(definition.edges)}")
    print(visible(f"  execution order: {' -> '.join(verdict.graph.order)}"))
    if print_hash:
        print(f"workflow_hash={workflow_hash(definition)}")
    return 0


@command.command("graph", short_help="Show the graph of a workflow.")
@click.argument("folder", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="The graph as JSON.")
@click.option("--svg", "as_svg", is_flag=True, help="The graph as a picture.")
def graph(folder: str, as_json: bool, as_svg: bool) -> int:
    """Exit status 1 if the steps form a cycle."""
    document = document_of(folder)
    if document is None:
        return 1
    drawing = graph_of(document.definition)
    shown = graph_json(document, drawing)
    if as_svg:
        write_exact(picture(document.definition))
    elif as_json:
        write_sorted(shown)
    else:
        for line in graph_lines(shown):
            print(visible(line))
    return 0 if shown["is_dag"] else 1


def graph_json(document: Document, graph: Graph) -> dict[str, Any]:
    """The graph as JSON; names that are no step count as dependencies."""
    definition, after = document.definition, dependencies(document.definition)
    waited_for = {name for names in after.values() for name in names}
    error = graph.cycle_message
    return {
        "workflow": definition.name,
        "version": definition.version,
        "schema_version": definition.schema_version,
        "node_count": len(definition.steps),
        "edge_count": len(definition.edges),
        "is_dag": error is None,
        "nodes": [
            {
                "id": name,
                "kind": definition.steps[name].kind,
                "capabilities": list(definition.steps[name].capabilities),
                "depends_on": names,
            }
            for name, names in after.items()
        ],
        "edges": [list(edge) for edge in definition.edges],
        "topological_order": [] if error else list(graph.order),
        "roots": [name for name, names in after.items() if not names],
        "leaves": [name for name in after if name not in waited_for],
        "error": error,
    }


def graph_lines(shown: dict[str, Any]) -> list[str]:
    """The graph as lines."""
    lines = [f"workflow '{shown['workflow']}' v{shown['version']}"]
    lines.append(f"  nodes: {shown['node_count']}  edges: {shown['edge_count']}")
    lines += [f"  {node['id']} [{node['kind']}] <- {', '.join(node['depends_on']) or '(root)'}" for node in shown["nodes"]]
    lines.append(f"  roots: {', '.join(shown['roots'])}")
    lines.append(f"  leaves: {', '.join(shown['leaves'])}")
    order = " -> ".join(shown["topological_order"])
    lines.append(f"  NOT A DAG: {shown['error']}" if shown["error"] else f"  topological order: {order}")
    return lines


@command.command("extract", short_help="Write the workflow of a Markdown document to a folder.")
@click.argument("path", type=click.Path(), metavar="FILE")
@click.option("--out-dir", default="gen", show_default=True, metavar="DIR", help="Target folder; created if missing.")
@click.option("--json", "as_json", is_flag=True, help="The written files as JSON.")
def extract(path: str, out_dir: str, as_json: bool) -> int:
    """Blocks that begin with ```ax NAME += and ```json workflow.json += become files below DIR; other blocks are left out."""
    from boruna_ls.cli.literate import extracted

    return extracted(path, out_dir, as_json, False, {("json", DOCUMENT, "+=")})


@command.command("find", short_help="List the workflows below a folder.")
@click.argument("folder", type=click.Path(), default=".")
@click.option("--json", "as_json", is_flag=True, help="The list as JSON.")
def find_workflows(folder: str, as_json: bool) -> int:
    """Lists every workflow.json below a folder, and whether it is valid."""
    workflows = find(folder)
    if as_json:
        write_sorted(workflows)
        return 0
    print(visible(f"Workflows in {folder}\n"))
    if not workflows:
        print("(none found)")
        return 0
    rows = [("PATH", "NAME", "STEPS", "STATUS")]
    rows += [
        (each["path"], each["name"], str(each["steps"]), "✓ valid" if each["valid"] else f"✗ {each['error']}")
        for each in workflows
    ]
    for row in rows:
        print(visible(" ".join(f"{cell:<{width}}" for cell, width in zip(row[:3], _WIDTHS, strict=True)) + " " + row[3]))
    return 0
