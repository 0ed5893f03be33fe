"""Verification of a bundle (spec chapter 17, section 6.2). Its content is neither executed nor trusted.

A bundle is verified as the reference does it. One of ours (it has a `provenance.json`) is verified strictly: every byte of
every file is fixed by the manifest, and the manifest by its own canonical text.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from analysis.data_classes import dataclass, field
from analysis.workflow.canonical import compact
from analysis.workflow.run_inputs import INPUTS
from boruna_ls.workflow.audit import Entry, digest, first_broken, log_hash
from boruna_ls.workflow.evidence.bundle_files import (
    AUDIT,
    BUNDLE,
    FORMAT,
    INPUTS_FILE,
    LARGEST_BUNDLE,
    MANIFEST,
    PROVENANCE,
    REQUIRED,
    Folder,
    JsonError,
    Manifest,
    pretty,
    read_audit,
    read_bundle,
    read_manifest,
)
from boruna_ls.workflow.evidence.keys import BadKey, decrypted, signature_problem, unwrapped
from boruna_ls.workflow.folders import NOT_UTF8, os_error_text

_LEGACY: Final = "missing bundle.json (legacy bundle from pre-1.0 release; use `boruna migrate evidence-bundle` to upgrade)"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Requirements of the verifier."""

    key: bytes | None = None
    anchor: str | None = None
    encryption: bool = False
    signature: bool = False
    verify_key: str | None = None


@dataclass(slots=True)
class Verdict:
    """`problems` make a bundle invalid; `warnings` do not. `vouched` says what authenticates it: an anchor or a signature."""

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    redacted: list[int] = field(default_factory=list)
    vouched: list[str] = field(default_factory=list)
    manifest: Manifest | None = None
    entries: list[Entry] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    """Plain contents of the files that could be read."""

    @property
    def is_valid(self) -> bool:
        return not self.problems


def verify(path: Path, wanted: Wanted | None = None) -> Verdict:
    """Judges the bundle in a folder."""
    return _Verification(Folder(path), wanted or Wanted()).carry_out()


class _Stop(Exception):
    """Verification cannot continue."""


class _Verification:
    def __init__(self, folder: Folder, wanted: Wanted) -> None:
        self._folder = folder
        self._wanted = wanted
        self._verdict = Verdict()
        self._bundle: dict[str, Any] = {}

    def carry_out(self) -> Verdict:
        try:
            self._check_format()
            manifest = self._read_manifest()
            data_key = self._data_key(manifest)
        except _Stop:
            return self._verdict
        self._check_files(manifest, data_key)
        self._check_log(manifest)
        for name in REQUIRED:
            if not self._folder.exists(name):
                self._bad(f"missing required file: {name}")
        self._look_closer(manifest)
        return self._verdict

    def _bad(self, text: str) -> None:
        self._verdict.problems.append(text)

    def _stop(self, text: str) -> _Stop:
        self._verdict.problems = [text]
        return _Stop()

    def _check_format(self) -> None:
        try:
            text = self._folder.text(BUNDLE)
        except (OSError, UnicodeDecodeError):
            raise self._stop(_unsupported(_LEGACY, FORMAT)) from None
        try:
            self._bundle = read_bundle(text)
        except JsonError as error:
            raise self._stop(_unsupported(f"invalid bundle.json: {error}", FORMAT)) from None
        version = self._bundle["format_version"]
        if version.partition(".")[0] != "1":
            raise self._stop(_unsupported(version, "1.x"))

    def _read_manifest(self) -> Manifest:
        try:
            manifest = read_manifest(self._folder.text(MANIFEST))
        except OSError as error:
            raise self._stop(f"cannot read manifest.json: {os_error_text(error)}") from None
        except UnicodeDecodeError:
            raise self._stop(f"cannot read manifest.json: {NOT_UTF8}") from None
        except JsonError as error:
            raise self._stop(f"invalid manifest.json: {error}") from None
        self._verdict.manifest = manifest
        self._check_hash(manifest)
        self._check_signature(manifest)
        return manifest

    def _check_hash(self, manifest: Manifest) -> None:
        if self._wanted.encryption and manifest.encryption is None:
            message = (
                "--require-encryption is set but the manifest has no encryption block (possible downgrade-to-plaintext strip)"
            )
            self._bad(f"evidence.encryption_required: {message}")
        recomputed = manifest.computed_hash()
        if recomputed != manifest.bundle_hash:
            message = (
                f"manifest.bundle_hash {manifest.bundle_hash} does not match the recomputed {recomputed} (manifest was edited)"
            )
            self._bad(f"evidence.bundle_hash_inconsistent: {message}")
        anchor = self._wanted.anchor
        if anchor is not None and recomputed != anchor:
            message = f"recomputed bundle_hash {recomputed} does not match the expected anchor {anchor}"
            self._bad(f"evidence.bundle_hash_anchor_mismatch: {message}")
        elif anchor is not None:
            self._verdict.vouched.append("anchor")

    def _check_signature(self, manifest: Manifest) -> None:
        if manifest.signature is None:
            if self._wanted.signature or self._wanted.verify_key is not None:
                self._bad("evidence.signature_required: bundle is unsigned but a signature was required")
            return
        pinned = self._wanted.verify_key
        problem = signature_problem(manifest.signature, manifest.bundle_hash, manifest.computed_hash(), pinned)
        if problem is not None:
            self._bad(problem)
        elif pinned is not None:
            self._verdict.vouched.append("signature")

    def _data_key(self, manifest: Manifest) -> bytes | None:
        how = manifest.encryption
        if how is None:
            return None
        if self._wanted.key is None:
            message = f"bundle is encrypted (kek_id={how.kek_id}); supply --bundle-encryption-key <hex> or set BORUNA_BUNDLE_KEK"
            raise self._stop(f"evidence.encryption_key_required: {message}")
        try:
            return unwrapped(self._wanted.key, how)
        except BadKey as error:
            raise self._stop(str(error)) from None

    def _check_files(self, manifest: Manifest, data_key: bytes | None) -> None:
        encrypted = set(manifest.encryption.files) if manifest.encryption is not None else set()
        total = 0
        for name in sorted(manifest.file_checksums):
            try:
                content = self._folder.read(name)
            except OSError as error:
                self._bad(f"cannot read {name}: {os_error_text(error)}")
                continue
            total += len(content)
            if total > LARGEST_BUNDLE:
                self._bad(f"the files have more than {LARGEST_BUNDLE} bytes; the rest is not read")
                return
            if data_key is not None and name in encrypted:
                plain = decrypted(data_key, name, content)
                if plain is None:
                    self._bad(f"evidence.cipher_tag_invalid: {name} failed AES-GCM authentication (bundle tampered or wrong key)")
                    continue
                content = plain
            self._verdict.files[name] = content
            expected, actual = manifest.file_checksums[name], digest(content)
            if expected != actual:
                self._bad(f"checksum mismatch for {name}: expected {expected}, got {actual}")

    def _check_log(self, manifest: Manifest) -> None:
        is_encrypted = manifest.encryption is not None and AUDIT in manifest.encryption.files
        content = self._verdict.files.get(AUDIT)
        if content is None and is_encrypted:
            return
        if content is None:
            try:
                content = self._folder.read(AUDIT)
            except OSError:
                self._bad("missing audit_log.json")
                return
        try:
            entries = read_audit(content.decode())
        except UnicodeDecodeError:
            self._bad("audit_log.json is not valid UTF-8")
            return
        except JsonError as error:
            self._bad(f"invalid audit_log.json: {error}")
            return
        self._verdict.entries = entries
        self._verdict.redacted = [entry.sequence for entry in entries if entry.redacted is not None]
        if (broken := first_broken(entries)) is not None:
            self._bad(f"audit log chain broken at entry {broken}")
        if (actual := log_hash(entries)) != manifest.audit_log_hash:
            self._bad(f"audit log hash mismatch: manifest says {manifest.audit_log_hash}, actual is {actual}")

    # ---- beyond the reference: warnings for its bundles, problems for ours ------------------------------------------

    def _look_closer(self, manifest: Manifest) -> None:
        problems = [*self._doubts(manifest)]
        if manifest.is_sealed:
            problems += self._not_canonical(manifest)
            self._verdict.problems += problems
        else:
            self._verdict.warnings += problems
        if not self._verdict.vouched:
            warning = (
                "nothing ties this bundle to an author, it is only self-consistent: pass --expected-bundle-hash or --verify-key"
            )
            self._verdict.warnings.append(warning)

    def _doubts(self, manifest: Manifest) -> list[str]:
        doubts = []
        listed = {MANIFEST, BUNDLE, *manifest.file_checksums}
        doubts += [f"file without a checksum: {name}" for name in self._folder.all_files() if name not in listed]
        if self._bundle["run_id"] != manifest.run_id:
            doubts.append(f"bundle.json names run {self._bundle['run_id']}, the manifest {manifest.run_id}")
        if self._bundle["workflow_hash"] != manifest.workflow_hash:
            doubts.append("bundle.json and manifest.json have different workflow hashes")
        for name, recorded in (("workflow.json", manifest.workflow_hash), ("policy.json", manifest.policy_hash)):
            if (content := self._verdict.files.get(name)) is not None and digest(content) != recorded:
                doubts.append(f"{name} does not have the hash that the manifest records")
        for number, entry in enumerate(self._verdict.entries):
            if entry.sequence != number:
                doubts.append(f"audit entry {number} has sequence {entry.sequence}")
                break
        return doubts + self._wrong_outputs()

    def _wrong_outputs(self) -> list[str]:
        doubts = []
        for entry in self._verdict.entries:
            [(name, fields)] = entry.event.items()
            if name == "StepCompleted" and entry.redacted is None:
                content = self._verdict.files.get(f"outputs/{fields['step_id']}/result.json")
                if content is not None and digest(content) != fields["output_hash"]:
                    doubts.append(f"the output of step '{fields['step_id']}' is not the one that the audit log records")
        return doubts

    def _not_canonical(self, manifest: Manifest) -> list[str]:
        problems = []
        if self._folder.text(MANIFEST) != pretty(manifest.as_dict()):
            problems.append("manifest.json is not in its canonical form (it was edited)")
        if (signature := manifest.signature) is not None and (
            signature.public_key + signature.signature
        ).lower() != signature.public_key + signature.signature:
            problems.append("the signature is not in its canonical form (it was edited)")
        if self._folder.text(BUNDLE) != pretty(bundle_json(manifest)):
            problems.append("bundle.json does not follow from the manifest (it was edited)")
        return problems + self._wrong_provenance(manifest)

    def _wrong_provenance(self, manifest: Manifest) -> list[str]:
        try:
            provenance: Any = json.loads(self._verdict.files[PROVENANCE])
            sources = provenance["source_hashes"]
            wrong = [name for name, recorded in sources.items() if digest(self._verdict.files[f"sources/{name}.ax"]) != recorded]
            problems = [f"the source of step '{name}' is not the one that ran" for name in wrong]
            if INPUTS_FILE in self._verdict.files:
                problems += self._wrong_inputs(json.loads(self._verdict.files[INPUTS_FILE]))
            if provenance["run_id"] != manifest.run_id:
                problems.append("provenance.json belongs to another run")
        except (KeyError, ValueError, TypeError, AttributeError):
            return ["provenance.json cannot be read or names files that are missing"]
        return problems

    def _wrong_inputs(self, inputs: Any) -> list[str]:
        """The audit chain binds the inputs: what was given, and a commitment to each secret."""
        events = [entry.event["StepStarted"] for entry in self._verdict.entries if "StepStarted" in entry.event]
        if [event["input_hash"] for event in events if event["step_id"] == INPUTS] == [digest(compact(inputs))]:
            return []
        return ["inputs.json differs from the inputs in the audit log"]


def bundle_json(manifest: Manifest) -> dict[str, Any]:
    """bundle.json as a manifest makes it."""
    top = {name.partition("/")[0] + ("/" if "/" in name else "") for name in manifest.file_checksums}
    return {
        "format_version": FORMAT,
        "boruna_version": manifest.env_fingerprint["boruna_version"],
        "created_at": manifest.completed_at,
        "run_id": manifest.run_id,
        "workflow_hash": manifest.workflow_hash,
        "components": sorted({MANIFEST, *top}),
    }


def _unsupported(what: str, expected: str) -> str:
    return f"unsupported evidence bundle format_version: found `{what}`, expected major `{expected}`"
