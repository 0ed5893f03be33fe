"""`boruna-ls policy validate` and `boruna-ls policy show`: policy documents (spec chapter 11 section 8)."""

from __future__ import annotations

from collections.abc import Sequence

import click

from boruna_ls.answers.policy import policy_answer
from boruna_ls.cli.output import complain, note, visible, write_answer
from boruna_ls.cli.running import text_of
from boruna_ls.runtime.policy import Policy, PolicyError, doubts, read_policy

_INVALID = 2


@click.group(short_help="Check or show a policy document.")
def command() -> None:
    """Policy documents: which capabilities a run may use, and how often."""


@command.command("validate", short_help="Check whether a document is valid.")
@click.argument("path", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_policy_validate.")
def validate(path: str, as_json: bool) -> int:
    """Exit status 0 for a valid document, 2 for an invalid one, 1 if it cannot be read."""
    text = text_of(path)
    if text is None:
        return 1
    answer = policy_answer(text)
    if as_json:
        write_answer(answer)
    elif answer["ok"]:
        print(f"OK: {visible(path)}")
        for warning in answer.get("warnings", ()):
            note(f"warning: {warning}")
    else:
        complain(answer["errors"][0]["message"])
    return 0 if answer["ok"] else _INVALID


@command.command("show", short_help="Print the effective settings of a document.")
@click.argument("path", type=click.Path())
def show(path: str) -> int:
    """Prints defaults, rules and limits of live effects."""
    text = text_of(path)
    if text is None:
        return 1
    try:
        policy = read_policy(text)
    except PolicyError as error:
        complain(error.message)
        return _INVALID
    for line in shown(policy):
        print(visible(line))
    for doubt in doubts(policy):
        note(f"warning: {doubt}")
    return 0


def shown(policy: Policy) -> list[str]:
    """A policy in lines."""
    lines = ["Schema version: 1", f"Default behavior: {_word(policy.default_allow)}"]
    lines.append("Rules:" if policy.rules else "Rules: (none)")
    for name in sorted(policy.rules):
        rule = policy.rules[name]
        lines.append(f"  {name:<14} {_word(rule.allow):<5}  budget={rule.budget or 'unlimited'}")
    net = policy.net
    if net is None:
        lines.append("Net policy: (default)")
    else:
        lines += [
            "Net policy:",
            f"  allowed_domains:    {_any(net.allowed_domains)}",
            f"  allowed_methods:    {_any(net.allowed_methods)}",
            f"  max_response_bytes: {net.max_response_bytes}",
            f"  timeout_ms:         {net.timeout_ms}",
            f"  allow_redirects:    {'true' if net.allow_redirects else 'false'}",
        ]
    if policy.fs is not None:
        lines += ["Fs policy:", f"  allowed_roots:      {', '.join(policy.fs.allowed_roots) or '(none)'}"]
        lines.append(f"  max_bytes:          {policy.fs.max_bytes}")
    if policy.db is not None:
        lines += ["Db policy:", f"  path:               {policy.db.path}"]
        lines.append(f"  read_only:          {'true' if policy.db.read_only else 'false'}")
    return lines


def _word(allow: bool) -> str:
    return "allow" if allow else "deny"


def _any(names: Sequence[str]) -> str:
    return ", ".join(names) or "(any)"
