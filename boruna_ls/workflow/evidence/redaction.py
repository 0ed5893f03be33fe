"""Removes the content of one audit entry and keeps the chain (spec chapter 17, section 6.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from analysis.data_classes import dataclass, replace
from boruna_ls import no_follow
from boruna_ls.workflow.audit import Entry, Redaction, digest, first_broken, log_hash
from boruna_ls.workflow.evidence.bundle_files import (
    AUDIT,
    MANIFEST,
    Folder,
    JsonError,
    Manifest,
    pretty,
    read_audit,
    read_manifest,
)
from boruna_ls.workflow.folders import NOT_UTF8, WorkflowError, os_error_text

_GONE: Final = "[REDACTED]"


@dataclass(frozen=True, slots=True)
class Redacted:
    """Report of a redaction."""

    sequence: int
    content_sha256: str
    audit_log_hash: str
    bundle_hash: str
    dropped_signature: bool


def redact(path: Path, index: int, field: str | None, reason: str | None) -> Redacted:
    """Redacts the entry at an index, or one field of it. Raises WorkflowError."""
    try:
        return _redact(Folder(path), index, field, reason)
    except OSError as error:
        raise WorkflowError(f"redact failed: io: {os_error_text(error)}") from None
    except UnicodeDecodeError:
        raise WorkflowError(f"redact failed: io: {NOT_UTF8}") from None


def _redact(folder: Folder, index: int, field: str | None, reason: str | None) -> Redacted:
    manifest = _manifest(folder)
    if manifest.encryption is not None:
        raise _refused("redaction of encrypted bundles is not supported (decrypt/rotate first)")
    entries = _entries(folder)
    if (broken := first_broken(entries)) is not None:
        raise _refused(f"audit chain is broken at entry {broken}; refusing to redact")
    if not 0 <= index < len(entries):
        raise _refused(f"entry index {index} is out of range")
    entry = entries[index]
    if not entry.content_sha256:
        message = "entry uses the legacy (1.0) chain with no content commitment; redaction requires format 1.1"
        raise _refused(f"{message} (migrate the bundle first)")
    if entry.redacted is not None:
        raise _refused(f"entry {index} is already redacted")
    entries[index] = replace(entry, event=_without(entry, field), redacted=Redaction(entry.content_sha256, reason))
    return _rewritten(folder, manifest, entries, index)


def _manifest(folder: Folder) -> Manifest:
    try:
        return read_manifest(folder.text(MANIFEST))
    except JsonError as error:
        raise _refused(f"invalid manifest: {error}") from None


def _entries(folder: Folder) -> list[Entry]:
    try:
        return read_audit(folder.text(AUDIT))
    except JsonError as error:
        raise _refused(f"invalid audit_log.json: {error}") from None


def _without(entry: Entry, field: str | None) -> dict[str, dict[str, Any]]:
    [(name, fields)] = entry.event.items()
    if field is not None and field not in fields:
        raise _refused(f"field `{field}` not found in the event")
    hidden = {key: _GONE if isinstance(value, str) and field in (None, key) else value for key, value in fields.items()}
    return {name: hidden}


def _rewritten(folder: Folder, manifest: Manifest, entries: list[Entry], index: int) -> Redacted:
    text = pretty([entry.as_dict() for entry in entries])
    checksums = {**manifest.file_checksums, AUDIT: digest(text)}
    redacted = replace(manifest, file_checksums=checksums, signature=None)
    redacted = replace(redacted, bundle_hash=redacted.computed_hash())
    for name, content in ((AUDIT, text), (MANIFEST, pretty(redacted.as_dict()))):
        write_whole(folder.path, name, content.encode())
    entry = entries[index]
    return Redacted(entry.sequence, entry.content_sha256, log_hash(entries), redacted.bundle_hash, manifest.signature is not None)


def write_whole(folder: Path, path: str, content: bytes) -> None:
    """Writes a file below a folder whole or not at all. What the folder holds may have come from elsewhere: no link in it is
    followed. Raises WorkflowError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        no_follow.write_below(str(folder), path.split("/"), content, mode=0o644, is_durable=True)
    except OSError as error:
        if no_follow.is_link_error(error):
            raise WorkflowError(f"{folder}/{path} is behind a symbolic link: remove that, or choose another folder") from None
        raise


def _refused(text: str) -> WorkflowError:
    return WorkflowError(f"redact failed: {text}")
