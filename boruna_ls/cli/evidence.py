"""`boruna-ls evidence …`: bundles that prove what a run did (spec chapter 17, section 6)."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

import click

from boruna_ls.cli.output import note, visible, visible_json, write_exact, write_state
from boruna_ls.cli.workflow_inputs import check_proof, given_inputs, with_inputs, write_proof
from boruna_ls.cli.workflow_runs import carefully, opened, with_data
from boruna_ls.cli.workflow_shown import write_sorted
from boruna_ls.workflow.evidence.build import Bundle, created, exported, recorded
from boruna_ls.workflow.evidence.inspection import Inspection, as_json, itf_trace, lines, output_lines
from boruna_ls.workflow.evidence.keys import key_of
from boruna_ls.workflow.evidence.redaction import redact
from boruna_ls.workflow.evidence.verify import Verdict, Wanted, verify
from boruna_ls.workflow.folders import WorkflowError, placed_below, read_document
from boruna_ls.workflow.store import Store

_KEY = "BORUNA_BUNDLE_KEK"
_BUNDLE_FILE: Final = "bundle.json"
_MOST_NAMED: Final = 5


@click.group(short_help="Create, verify and show evidence of runs.")
def command() -> None:
    """Evidence bundles: the record of a run as a verifiable folder."""


def _key(given: str | None) -> bytes | None:
    text = given or os.environ.get(_KEY) or None
    return None if text is None else key_of(text)


@command.command("create", short_help="Write the bundle of a run.")
@click.argument("run_id")
@click.option(
    "--output-dir", required=True, type=click.Path(), help="Target folder; the bundle is a folder in it, named after the run."
)
@with_data
def create(run_id: str, output_dir: str, data_dir: str | None, environment: str | None) -> int:
    """Writes a bundle in the format of boruna 3.2.0; `export` adds the programs and more."""

    def work() -> int:
        _print_bundle(created(opened(data_dir, environment).store, run_id, Path(output_dir)), output_dir)
        return 0

    return carefully(work)


@command.command("export", short_help="Write a complete, signed bundle of a run.")
@click.argument("run_id")
@click.option(
    "--output-dir", required=True, type=click.Path(), help="Target folder; the bundle is a folder in it, named after the run."
)
@click.option("--sign/--no-sign", default=True, help="Sign it with your key (created at the first use).")
@click.option("--signing-key", type=click.Path(), help="A file with 64 hex digits, instead of your key.")
@with_data
def export(run_id: str, output_dir: str, sign: bool, signing_key: str | None, **options: Any) -> int:
    """A bundle with definition, programs, outputs, decisions and audit chain; any change of it is detected."""

    def work() -> int:
        store = opened(options["data_dir"], options["environment"]).store
        bundle = exported(store, run_id, Path(output_dir), sign, None if signing_key is None else Path(signing_key))
        _print_bundle(bundle, output_dir)
        return 0

    return carefully(work)


def _print_bundle(bundle: Bundle, output_dir: str) -> None:
    print(visible(f"evidence bundle created at {output_dir}/{bundle.path.name}"))
    print(f"  bundle_hash: {bundle.bundle_hash}")
    print(f"  audit_hash:  {bundle.audit_log_hash}")
    print(f"  files:       {bundle.files}")


def write_recorded(store: Store, run_id: str, options: dict[str, Any]) -> None:
    """The bundle that `workflow run --record` writes."""
    folder = options["folder"]
    into = options["evidence_dir"]
    if not into:
        # What lies in the folder may have come with it: an `evidence` that is a link is not written through.
        placed_below(folder, "evidence")
        into = f"{folder}/evidence"
    key = None
    if options["encrypt_bundle"]:
        key = _key(options["bundle_encryption_key"])
        if key is None:
            raise WorkflowError(f"--encrypt-bundle needs --bundle-encryption-key or ${_KEY}")
    bundle = recorded(store, run_id, Path(into), read_document(folder), key, options["bundle_kek_id"])
    print(visible(f"\nevidence bundle: {into}/{run_id}"))
    print(f"  bundle_hash: {bundle.bundle_hash}")
    print(f"  audit_log_hash: {bundle.audit_log_hash}")
    print(f"  files: {bundle.files}")


@command.command("verify", short_help="Verify a bundle.")
@click.argument("folder", type=click.Path())
@click.option("--bundle-encryption-key", help=f"64 hex digits; also ${_KEY}.")
@click.option("--expected-bundle-hash", help="The expected hash of the bundle, stored elsewhere.")
@click.option("--require-encryption", is_flag=True, help="Refuse an unencrypted bundle.")
@click.option("--verify-key", help="The public key (64 hex digits) of the required signature.")
@click.option("--require-signature", is_flag=True, help="Refuse an unsigned bundle.")
@click.option("--json", "as_report", is_flag=True, help="The verdict as JSON, with warnings.")
def verify_bundle(folder: str, as_report: bool, **options: Any) -> int:
    """Exit status 0 for a valid bundle, otherwise 1."""

    def work() -> int:
        wanted = Wanted(
            key=_key(options["bundle_encryption_key"]),
            anchor=options["expected_bundle_hash"],
            encryption=options["require_encryption"],
            signature=options["require_signature"],
            verify_key=options["verify_key"],
        )
        _tell_place(folder)
        verdict = verify(Path(folder), wanted)
        if as_report:
            write_state(verdict_json(verdict))
        else:
            _print_verdict(verdict)
        return 0 if verdict.is_valid else 1

    return carefully(work)


def _tell_place(folder: str) -> None:
    """Says where the bundles are if a folder is none: `export` writes one into a folder below the one that it is given."""
    place = Path(folder)
    if not (place / _BUNDLE_FILE).exists() and (below := sorted(place.glob(f"*/{_BUNDLE_FILE}"))):
        names = ", ".join(str(each.parent) for each in below[:_MOST_NAMED])
        note(f"{folder} is no bundle; there {'is one' if len(below) == 1 else f'are {len(below)}'} below it: {names}")


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON."""
    return {
        "valid": verdict.is_valid,
        "problems": verdict.problems,
        "warnings": verdict.warnings,
        "redacted_entries": verdict.redacted,
        "vouched_by": verdict.vouched,
    }


def _print_verdict(verdict: Verdict) -> None:
    if not verdict.is_valid:
        note("evidence bundle INVALID:")
        for problem in verdict.problems:
            note(f"  {problem}")
        return
    print("evidence bundle is VALID")
    if verdict.redacted:
        print(f"  redacted entries: {verdict.redacted}")
    if sys.stdout.isatty():
        # Scripts read what boruna 3.2.0 prints; `--json` has them, too.
        for warning in verdict.warnings:
            print(visible(f"  warning: {warning}"))


@command.command("replay", short_help="Run a bundle again and compare.")
@click.argument("folder", type=click.Path())
@click.option("--verify-key", help="The public key (64 hex digits) of the required signature.")
@with_inputs
def replay(folder: str, verify_key: str | None, inputs: tuple[str, ...], inputs_file: str | None) -> int:
    """Runs the programs of an exported bundle with its policy and decisions; every output must equal the recorded one."""

    def work() -> int:
        from boruna_ls.workflow.evidence.replaying import replayed

        _tell_place(folder)
        outcome = replayed(Path(folder), Wanted(verify_key=verify_key), given_inputs(inputs_file, inputs))
        for name in outcome.different:
            note(f"step '{name}': recorded {outcome.recorded.get(name)}, now {outcome.now.get(name)}")
        same = len(outcome.recorded) - len(outcome.different)
        print(f"{same} of {len(outcome.recorded)} steps have the recorded outputs")
        return 1 if outcome.different else 0

    return carefully(work)


@command.command("prove-input", short_help="Prove what a secret input was.")
@click.argument("run_id")
@click.argument("name")
@click.option("--inputs", "file", required=True, metavar="FILE", help="JSON object with the value; - is standard input.")
@with_data
def prove_input(run_id: str, name: str, file: str, data_dir: str | None, environment: str | None) -> int:
    """Prints a proof for a recipient of the bundle. It contains the value."""

    def work() -> int:
        write_proof(opened(data_dir, environment).store, run_id, name, file)
        return 0

    return carefully(work)


@command.command("check-input", short_help="Check a proof of what a secret input was.")
@click.argument("folder", type=click.Path())
@click.argument("proof")
def check_input(folder: str, proof: str) -> int:
    """Verifies the bundle, and that the run's input had the value in the proof."""

    def work() -> int:
        print(visible(f"input '{check_proof(folder, proof)}' of the run had this value"))
        return 0

    return carefully(work)


@command.command("inspect", short_help="Show a bundle.")
@click.argument("folder", type=click.Path())
@click.option("--json", "as_document", is_flag=True, help="Manifest and outputs as JSON.")
@click.option("--itf", is_flag=True, help="The audit log as a trace of states.")
@click.option("--decrypt", is_flag=True, help="Show the outputs of an encrypted bundle.")
@click.option("--bundle-encryption-key", help=f"64 hex digits; also ${_KEY}.")
def inspect(folder: str, as_document: bool, itf: bool, decrypt: bool, bundle_encryption_key: str | None) -> int:
    """Shows the content of a bundle; `verify` checks it."""

    def work() -> int:
        _tell_place(folder)
        if itf:
            write_exact(visible_json(_unsorted(itf_trace(Path(folder)))))
            return 0
        inspection = Inspection(Path(folder))
        if as_document:
            write_sorted(as_json(inspection))
            return 0
        key = _key(bundle_encryption_key)
        if decrypt and key is None:
            raise WorkflowError("--decrypt requires --bundle-encryption-key <hex>")
        for line in lines(inspection):
            print(visible(line))
        _print_outputs(inspection, key if decrypt else None, decrypt)
        return 0

    return carefully(work)


def _unsorted(value: dict[str, Any]) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _print_outputs(inspection: Inspection, key: bytes | None, decrypt: bool) -> None:
    how = inspection.manifest.encryption
    if how is None:
        if decrypt:
            note("note: --decrypt passed but bundle is not encrypted; ignoring")
        if outputs := inspection.outputs():
            print("\n=== Step Outputs ===")
            for line in output_lines(outputs):
                print(visible(line))
    elif key is None:
        cipher = f"algorithm={how.algorithm}, kek_id={how.kek_id}"
        note(f"note: bundle is encrypted ({cipher}); pass --decrypt --bundle-encryption-key <hex> to view step outputs")
    else:
        print("\n=== Step Outputs (decrypted) ===")
        for line in output_lines(inspection.decrypted_outputs(key)):
            name, _, text = line.removeprefix("[").partition("] ")
            print(visible(f"{name}: {text}"))


@command.command("redact", short_help="Remove the content of an audit entry.")
@click.argument("folder", type=click.Path())
@click.option("--event", "index", type=int, required=True, help="Number of the entry, from 0.")
@click.option("--field", help="Only this field of it.")
@click.option("--reason", help="Why, for the record.")
def redact_entry(folder: str, index: int, field: str | None, reason: str | None) -> int:
    """The chain stays verifiable; outputs, definition and store are not changed."""

    def work() -> int:
        redaction = redact(Path(folder), index, field, reason)
        print(f"redacted audit-log entry {redaction.sequence}")
        print(f"  content_sha256: {redaction.content_sha256}")
        print(f"  audit_log_hash: {redaction.audit_log_hash} (unchanged)")
        print(f"  new bundle_hash: {redaction.bundle_hash}")
        if redaction.dropped_signature:
            note(
                "warning: a manifest signature was dropped (it signed the pre-redaction bundle_hash). "
                "Re-sign or re-anchor the bundle."
            )
        verdict = verify(Path(folder))
        if not verdict.is_valid:
            note("re-verify: INVALID:")
            for problem in verdict.problems:
                note(f"  {problem}")
            return 1
        print(f"re-verify: VALID (redacted entries: {verdict.redacted})")
        return 0

    return carefully(work)
