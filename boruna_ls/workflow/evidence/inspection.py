"""A bundle as text and as JSON, without judging it (spec chapter 17, section 6.3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from boruna_ls import __version__
from boruna_ls.workflow.evidence.bundle_files import AUDIT, BUNDLE, MANIFEST, Folder, JsonError, Manifest, read_audit, read_bundle
from boruna_ls.workflow.evidence.bundle_files import read_manifest as manifest_of
from boruna_ls.workflow.evidence.keys import BadKey, decrypted, unwrapped
from boruna_ls.workflow.folders import NOT_UTF8, WorkflowError, os_error_text

_SHOWN: Final = 500
_ITF: Final = "https://apalache-mc.org/docs/adr/015adr-trace.html"
_VIOLATIONS: Final = frozenset(("StepFailed", "ApprovalDenied"))


class Inspection:
    """A bundle that is looked at."""

    def __init__(self, path: Path) -> None:
        self.folder = Folder(path)
        self.manifest = _read_manifest(self.folder)
        self.format_version: str | None = None
        try:
            self.format_version = read_bundle(self.folder.text(BUNDLE))["format_version"]
        except (OSError, UnicodeDecodeError, JsonError):
            self.format_version = None

    def outputs(self) -> dict[str, Any]:
        """The output of each step, by name."""
        outputs: dict[str, Any] = {}
        places = self.folder.path / "outputs"
        for place in sorted(places.iterdir()) if places.is_dir() else ():
            name = f"outputs/{place.name}/result.json"
            try:
                text = self.folder.read(name).decode("utf-8", "replace")
            except OSError:
                continue
            outputs[place.name] = _value(text)
        return outputs

    def decrypted_outputs(self, key: bytes) -> dict[str, Any]:
        """The outputs of an encrypted bundle, by `step/file`. Raises WorkflowError."""
        how = self.manifest.encryption
        assert how is not None
        try:
            data_key = unwrapped(key, how)
        except BadKey as error:
            raise WorkflowError(str(error)) from None
        outputs = {}
        for name in sorted(how.files):
            if name.startswith("outputs/"):
                plain = decrypted(data_key, name, self.folder.read(name))
                if plain is None:
                    raise WorkflowError(f"evidence.cipher_tag_invalid: {name} failed AES-GCM authentication")
                outputs[name.removeprefix("outputs/")] = _value(plain.decode("utf-8", "replace"))
        return outputs


def _read_manifest(folder: Folder) -> Manifest:
    try:
        return manifest_of(folder.text(MANIFEST))
    except OSError as error:
        raise WorkflowError(f"cannot read manifest: {os_error_text(error)}") from None
    except UnicodeDecodeError:
        raise WorkflowError(f"cannot read manifest: {NOT_UTF8}") from None
    except JsonError as error:
        raise WorkflowError(f"invalid manifest: {error}") from None


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"raw": text}


def lines(inspection: Inspection) -> list[str]:
    """The head of a bundle."""
    manifest = inspection.manifest
    shown = ["=== Evidence Bundle ===", f"format_version: {inspection.format_version or '<legacy / missing bundle.json>'}"]
    for label, value in (
        ("run_id", manifest.run_id),
        ("workflow", manifest.workflow_name),
        ("started_at", manifest.started_at),
        ("completed_at", manifest.completed_at),
        ("bundle_hash", manifest.bundle_hash),
        ("workflow_hash", manifest.workflow_hash),
        ("policy_hash", manifest.policy_hash),
        ("audit_hash", manifest.audit_log_hash),
    ):
        shown.append(f"{label + ':':<14} {value}")
    if (how := manifest.encryption) is not None:
        shown.append(f"encrypted:     yes (algorithm={how.algorithm}, kek_id={how.kek_id})")
    shown.append(f"files: {len(manifest.file_checksums)}")
    shown += [f"  {name}: {checksum[:16]}" for name, checksum in sorted(manifest.file_checksums.items())]
    env = manifest.env_fingerprint
    return [*shown, "", "env:", f"  boruna: {env['boruna_version']}", f"  os: {env['os']}/{env['arch']}"]


def output_lines(outputs: dict[str, Any]) -> list[str]:
    """Outputs, one a line, long ones cut at a character."""
    shown = []
    for name, value in outputs.items():
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > _SHOWN:
            text = data[:_SHOWN].decode("utf-8", "ignore") + "... (truncated)"
        shown.append(f"[{name}] {text}")
    return shown


def as_json(inspection: Inspection) -> dict[str, Any]:
    """A bundle as JSON."""
    shown: dict[str, Any] = {"format_version": inspection.format_version, "manifest": inspection.manifest.as_dict()}
    if inspection.manifest.encryption is None and (outputs := inspection.outputs()):
        shown["step_outputs"] = outputs
    return shown


def itf_trace(path: Path) -> dict[str, Any]:
    """The audit log as a trace of states. Raises WorkflowError."""
    try:
        entries = read_audit(Folder(path).text(AUDIT))
    except OSError as error:
        raise WorkflowError(f"cannot read audit_log.json: {os_error_text(error)}") from None
    except UnicodeDecodeError:
        raise WorkflowError(f"cannot read audit_log.json: {NOT_UTF8}") from None
    except JsonError as error:
        raise WorkflowError(f"invalid audit_log.json: {error}") from None
    states, names = [], {"__entry_hash", "__prev_hash", "__sequence"} if entries else set()
    seen = set()
    for index, entry in enumerate(entries):
        [(name, fields)] = entry.event.items()
        seen.add(name)
        names |= set(fields)
        variables = {"__entry_hash": entry.entry_hash, "__prev_hash": entry.prev_hash, "__sequence": entry.sequence, **fields}
        states.append({"#meta": {"index": index, "action": name}, **dict(sorted(variables.items()))})
    status = "violation" if seen & _VIOLATIONS else "ok" if "WorkflowCompleted" in seen else "unknown"
    meta = {"format": "ITF", "format-description": _ITF, "source": f"boruna-ls {__version__}", "status": status}
    return {"#meta": meta, "vars": sorted(names), "states": states}
