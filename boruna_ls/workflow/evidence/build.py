"""Writes bundles (spec chapter 17, section 6.1): `created` from a store, `recorded` as a run ends, `exported` with all that a
stranger needs to run it again: sources, the facts of the run, a signature. `bundle.json` is written last, so a bundle is whole.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from analysis.bytecode.module import Module
from analysis.data_classes import dataclass, replace
from analysis.syntax.parser import parse
from analysis.syntax.tree import Function
from analysis.workflow.canonical import compact
from boruna_ls import __version__
from boruna_ls.workflow.audit import NO_HASH, Entry, digest, event, first_broken, linked, log_hash
from boruna_ls.workflow.evidence.bundle_files import AUDIT, BUNDLE, INPUTS_FILE, MANIFEST, PROVENANCE, Manifest, pretty
from boruna_ls.workflow.evidence.keys import encrypted, signed, wrapped
from boruna_ls.workflow.evidence.redaction import write_whole
from boruna_ls.workflow.evidence.verify import bundle_json
from boruna_ls.workflow.folders import DOCUMENT, WorkflowError, read_document
from boruna_ls.workflow.names import file_name
from boruna_ls.workflow.records import COMPLETED, FAILED, PLACE, RunRecord
from boruna_ls.workflow.step_task import compiled
from boruna_ls.workflow.store import Store

_MODEL: Final = "LlmCall"
_RUN_ID: Final = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was written."""

    path: Path
    bundle_hash: str
    audit_log_hash: str
    files: int


def created(store: Store, run: str, into: Path) -> Bundle:
    """A bundle of a run in the format of the reference. Raises WorkflowError."""
    record = run_record(store, run)
    path = f"{record.workflow_dir}/{DOCUMENT}"
    try:
        definition = read_document(record.folder) if record.workflow_dir else record.definition
    except WorkflowError as error:
        message = f"cannot read workflow.json from {path} (recorded workflow_dir): {error}"
        raise WorkflowError(f"IO error: {message}") from None
    return _written(into / run, record, {DOCUMENT: definition, **_contents(store, record)}, _sound_log(store, run))


def exported(store: Store, run: str, into: Path, sign: bool = False, key_file: Path | None = None) -> Bundle:
    """A bundle whose every byte is fixed, with the programs that ran. Raises WorkflowError."""
    record = run_record(store, run)
    entries = _sound_log(store, run)
    sources = store.sources(run)
    files = {DOCUMENT: record.definition, **_contents(store, record)}
    files |= {f"sources/{file_name(name)}.ax": text for name, text in sources.items()}
    if given := store.inputs(run):
        files[INPUTS_FILE] = pretty([run_input.shown() for run_input in given])
    files[PROVENANCE] = pretty(_provenance(store, record, sources))
    return _written(into / run, record, files, entries, sign=sign, key_file=key_file)


def recorded(store: Store, run: str, into: Path, definition: str, key: bytes | None = None, kek_id: str = "") -> Bundle:
    """A bundle of the run that just ended, made from its result alone."""
    record = run_record(store, run)
    entries: list[Entry] = []

    def add(content: dict[str, dict[str, Any]]) -> None:
        entries.append(linked(len(entries), log_hash(entries), content))

    policy = _pretty_policy(record.policy)
    add(event("WorkflowStarted", workflow_hash=_text_hash(definition), policy_hash=_text_hash(policy)))
    for step in store.steps(run).values():
        if step.status == COMPLETED and step.started_at is not None:
            add(event("StepCompleted", step_id=step.step_id, output_hash=step.output_hash, duration_ms=step.duration_ms))
        elif step.status == FAILED:
            add(event("StepFailed", step_id=step.step_id, error=step.error))
    outcome = record.status.capitalize()
    add(event("WorkflowCompleted", result_hash=outcome, total_duration_ms=record.duration_ms))
    return _written(into / run, record, {DOCUMENT: definition, "policy.json": policy}, entries, key=key, kek_id=kek_id)


def run_record(store: Store, run: str) -> RunRecord:
    """The record of a run. Raises WorkflowError."""
    # An id becomes the name of a folder, and a store can come from elsewhere.
    record = store.run(run) if _RUN_ID.fullmatch(run) else None
    if record is None:
        raise WorkflowError(f"run not found: '{run}'")
    return record


def _text_hash(text: str) -> str:
    return digest(compact({"String": text}))


def _pretty_policy(policy: str) -> str:
    import json

    return pretty(json.loads(policy))


def _sound_log(store: Store, run: str) -> list[Entry]:
    entries = store.audit_log(run)
    if (broken := first_broken(entries)) is not None:
        message = (
            f"audit chain integrity check failed at sequence {broken}: metadata.audit_log appears to have been tampered with"
        )
        raise WorkflowError(f"IO error: {message} — refusing to build evidence bundle")
    return entries


def _contents(store: Store, record: RunRecord) -> dict[str, str]:
    files = {"policy.json": record.policy}
    for name, step in store.steps(record.run_id).items():
        if step.public_output is not None:
            files[f"outputs/{file_name(name)}/result.json"] = step.public_output
    sources = store.sources(record.run_id)
    intents = {name: intent for name, text in sources.items() if (intent := _intent(text))}
    if intents:
        files["intents.json"] = pretty(intents)
    models = [name for name, text in sources.items() if "llm" in text and _calls_model(compiled(text, name))]
    if models:
        files["model_invoking_steps.json"] = pretty(models)
    return files


def _intent(text: str) -> str:
    """The `intent` of `main`; "" without one."""
    if "intent" not in text:
        return ""
    mains = [item for item in parse(text).items if isinstance(item, Function) and item.name == "main" and item.intent]
    return mains[-1].intent.raw if mains and mains[-1].intent else ""


def _calls_model(module: Module | str) -> bool:
    """True if the entry function declares, or reaches by calls a function that declares, the capability of models."""
    if isinstance(module, str):
        return False
    seen, waiting = {module.entry}, [module.entry]
    while waiting:
        number = waiting.pop()
        if number >= len(module.functions):
            continue
        function = module.functions[number]
        if _MODEL in function.capabilities:
            return True
        reached = {op[1] for op in function.code if op[0] in ("Call", "SpawnActor")} - seen
        seen |= reached
        waiting += reached
    return False


def _provenance(store: Store, record: RunRecord, sources: Mapping[str, str]) -> dict[str, Any]:
    """Facts about the run that the format has no place for: its times, its programs, its decisions."""
    steps = store.steps(record.run_id).values()
    return {
        "run_id": record.run_id,
        "canonical_workflow_hash": record.summary.workflow_hash,
        "status": record.status,
        "started_at_ms": record.summary.started_at,
        "updated_at_ms": record.summary.updated_at,
        "starter": record.starter,
        "options": {name: value for name, value in record.options.items() if name != PLACE},
        "source_hashes": {file_name(name): digest(text) for name, text in sources.items()},
        "steps": [
            {
                "step_id": step.step_id,
                "status": step.status,
                "output_hash": step.output_hash,
                "attempts": step.attempts,
                "steps_used": step.steps_used,
                "error": step.error,
                **({"withheld": True} if step.withheld else {}),
            }
            for step in steps
        ],
        "decisions": [
            {
                "step_id": decision.step_id,
                "decision": decision.decision,
                "decided_at_ms": decision.decided_at,
                "approver": decision.approver,
                "role": decision.role,
                "comment": decision.reason,
            }
            for decision in store.decisions(record.run_id).values()
        ],
    }


def _written(
    folder: Path,
    record: RunRecord,
    texts: Mapping[str, str],
    entries: list[Entry],
    *,
    sign: bool = False,
    key_file: Path | None = None,
    key: bytes | None = None,
    kek_id: str = "",
) -> Bundle:
    env = _environment()
    files = {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()}
    files[AUDIT] = pretty([entry.as_dict() for entry in entries]).encode()
    files["env_fingerprint.json"] = pretty(env).encode()
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f000+00:00")
    manifest = Manifest(
        run_id=record.run_id,
        workflow_name=record.summary.workflow_name,
        workflow_hash=digest(files[DOCUMENT]),
        policy_hash=digest(files["policy.json"]),
        audit_log_hash=log_hash(entries) if entries else NO_HASH,
        file_checksums={name: digest(content) for name, content in files.items()},
        env_fingerprint=env,
        started_at=now,
        completed_at=now,
        bundle_hash="",
    )
    if key is not None:
        data_key, how = wrapped(key, kek_id, list(files))
        manifest = replace(manifest, encryption=how)
        files = {name: encrypted(data_key, name, content) for name, content in files.items()}
    manifest = replace(manifest, bundle_hash=manifest.computed_hash())
    if sign:
        manifest = replace(manifest, signature=signed(manifest.bundle_hash, key_file))
    for name, content in files.items():
        write_whole(folder.parent, f"{folder.name}/{name}", content)
    write_whole(folder.parent, f"{folder.name}/{MANIFEST}", pretty(manifest.as_dict()).encode())
    write_whole(folder.parent, f"{folder.name}/{BUNDLE}", pretty(bundle_json(manifest)).encode())
    return Bundle(folder, manifest.bundle_hash, manifest.audit_log_hash, len(files))


def _environment() -> dict[str, str]:
    return {
        "boruna_version": __version__,
        "rust_version": "unknown",
        "os": platform.system().lower() or "unknown",
        "arch": platform.machine() or "unknown",
        "hostname": os.environ.get("HOSTNAME") or os.environ.get("HOST") or "unknown",
    }
