"""The files of a bundle as values: manifest, bundle.json and audit log, read by typed readers and written canonically."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from analysis.data_classes import dataclass
from analysis.workflow.json_scanner import JsonError
from analysis.workflow.json_shapes import FLAG, TEXT, U32, U64, Field, ListOf, MapOf, Optional, Reading, Shape, Struct
from boruna_ls import no_follow
from boruna_ls.workflow.audit import EVENTS, FLAGS, NUMBERS, Entry, Redaction, digest

MANIFEST: Final = "manifest.json"
BUNDLE: Final = "bundle.json"
AUDIT: Final = "audit_log.json"
PROVENANCE: Final = "provenance.json"
INPUTS_FILE: Final = "inputs.json"
"""File that only our own bundles have: its presence in the checksums makes verification strict."""
FORMAT: Final = "1.1"
LARGEST_FILE: Final = 64 << 20
LARGEST_DOCUMENT: Final = 8 << 20
LARGEST_BUNDLE: Final = 256 << 20
"""Bytes that are read of a file, of a manifest or log, of all files of a bundle together."""
REQUIRED: Final = (BUNDLE, MANIFEST, "workflow.json", "policy.json", AUDIT, "env_fingerprint.json")


class BadBundle(Exception):
    """A file of a bundle cannot be used; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Encryption:
    """Encryption of a bundle's files."""

    algorithm: str
    kek_id: str
    wrapped_dek: str
    wrapped_dek_nonce: str
    files: Sequence[str] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "algorithm": self.algorithm,
            "kek_id": self.kek_id,
            "wrapped_dek": self.wrapped_dek,
            "wrapped_dek_nonce": self.wrapped_dek_nonce,
            "files": list(self.files),
        }


@dataclass(frozen=True, slots=True)
class Signature:
    """Signature of the bundle hash."""

    algorithm: str
    public_key: str
    signature: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest; `bundle_hash` covers all of it but itself and the signature."""

    run_id: str
    workflow_name: str
    workflow_hash: str
    policy_hash: str
    audit_log_hash: str
    file_checksums: Mapping[str, str]
    env_fingerprint: Mapping[str, str]
    started_at: str
    completed_at: str
    bundle_hash: str
    schema_version: int = 1
    encryption: Encryption | None = None
    signature: Signature | None = None

    def as_dict(self, bundle_hash: str | None = None, signed: bool = True) -> dict[str, Any]:
        """As JSON, fields in the order of the format."""
        shown: dict[str, Any] = {
            "schema_version": self.schema_version,
            "run_id": self.run_id,
            "workflow_name": self.workflow_name,
            "workflow_hash": self.workflow_hash,
            "policy_hash": self.policy_hash,
            "audit_log_hash": self.audit_log_hash,
            "file_checksums": dict(sorted(self.file_checksums.items())),
            "env_fingerprint": dict(self.env_fingerprint),
            "started_at": self.started_at,
            "completed_at": self.completed_at,
            "bundle_hash": self.bundle_hash if bundle_hash is None else bundle_hash,
        }
        if self.encryption is not None:
            shown["encryption"] = self.encryption.as_dict()
        if self.signature is not None and signed:
            signature = self.signature
            shown["signature"] = {
                "algorithm": signature.algorithm,
                "public_key": signature.public_key,
                "signature": signature.signature,
            }
        return shown

    def computed_hash(self) -> str:
        """Correct value of `bundle_hash`."""
        return digest(pretty(self.as_dict(bundle_hash="", signed=False)))

    @property
    def is_sealed(self) -> bool:
        """True if the bundle is one of ours, whose every byte is fixed."""
        return PROVENANCE in self.file_checksums


def pretty(value: Any) -> str:
    """JSON as bundles hold it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def _env(**values: str) -> dict[str, str]:
    return values


_ENV: Final = Struct(
    "EnvFingerprint", {name: Field(TEXT) for name in ("boruna_version", "rust_version", "os", "arch", "hostname")}, _env
)
_ENCRYPTION: Final = Struct(
    "BundleEncryption",
    {
        **{name: Field(TEXT) for name in ("algorithm", "kek_id", "wrapped_dek", "wrapped_dek_nonce")},
        "files": Field(ListOf(TEXT)),
    },
    Encryption,
)
_SIGNATURE: Final = Struct("BundleSignature", {name: Field(TEXT) for name in ("algorithm", "public_key", "signature")}, Signature)
_MANIFEST: Final = Struct(
    "BundleManifest",
    {
        "schema_version": Field(U32, 1),
        **{name: Field(TEXT) for name in ("run_id", "workflow_name", "workflow_hash", "policy_hash", "audit_log_hash")},
        "file_checksums": Field(MapOf(TEXT)),
        "env_fingerprint": Field(_ENV),
        **{name: Field(TEXT) for name in ("started_at", "completed_at", "bundle_hash")},
        "encryption": Field(Optional(_ENCRYPTION), None),
        "signature": Field(Optional(_SIGNATURE), None),
    },
    Manifest,
)
_BUNDLE: Final = Struct(
    "BundleJson",
    {
        **{name: Field(TEXT) for name in ("format_version", "boruna_version", "created_at", "run_id", "workflow_hash")},
        "components": Field(ListOf(TEXT)),
    },
)


def _redaction(content_sha256: str, reason: str | None) -> Redaction:
    return Redaction(content_sha256, reason)


def _entry(content_sha256: str | None, **values: Any) -> Entry:
    return Entry(content_sha256=content_sha256 or "", **values)


class _Event(Shape):
    """One of the events: an object with its name and its fields."""

    wanted = "enum AuditEvent"
    _fields: Final = {
        name: Struct(
            f"AuditEvent::{name}",
            {part: Field(U64 if part in NUMBERS else FLAG if part in FLAGS else TEXT) for part in parts},
        )
        for name, parts in EVENTS.items()
    }

    def _read(self, reading: Reading, letter: str) -> dict[str, Any]:
        if letter != "{":
            raise self.refuse(reading, letter)
        reading.open()
        if not reading.another_key(True):
            raise reading.at("expected value")
        name = reading.key()
        if name not in self._fields:
            expected = ", ".join(f"`{field}`" for field in self._fields)
            raise reading.at(f"unknown variant `{name}`, expected one of {expected}")
        reading.colon()
        fields = self._fields[name].read(reading)
        reading.path.pop()
        if reading.another_key(False):
            raise reading.next("expected `}`")
        reading.close()
        return {name: fields}


_AUDIT: Final = ListOf(
    Struct(
        "AuditEntry",
        {
            "sequence": Field(U64),
            "prev_hash": Field(TEXT),
            "content_sha256": Field(Optional(TEXT), None),
            "event": Field(_Event()),
            "redacted": Field(
                Optional(Struct("Redaction", {"content_sha256": Field(TEXT), "reason": Field(Optional(TEXT), None)}, _redaction)),
                None,
            ),
            "entry_hash": Field(TEXT),
        },
        _entry,
    )
)


def read_manifest(text: str) -> Manifest:
    """Raises JsonError."""
    manifest: Manifest = _whole(_MANIFEST, text)
    return manifest


def read_bundle(text: str) -> dict[str, Any]:
    """bundle.json. Raises JsonError."""
    bundle: dict[str, Any] = _whole(_BUNDLE, text)
    return bundle


def read_audit(text: str) -> list[Entry]:
    """Raises JsonError."""
    entries: list[Entry] = _whole(_AUDIT, text)
    return entries


def _whole(shape: Shape, text: str) -> Any:
    reading = Reading(text)
    value = shape.read(reading)
    reading.end()
    return value


@dataclass(frozen=True, slots=True)
class Folder:
    """A bundle on disk. Files are read from below it only, whatever names the manifest holds."""

    path: Path

    def read(self, name: str, limit: int = LARGEST_FILE) -> bytes:
        """The bytes of a regular file. Raises OSError, also for a name that leads out of the folder, for a link, and for a file
        over the limit.
        """
        parts = [part for part in name.replace(os.sep, "/").split("/") if part != os.curdir]
        if os.pardir in parts or os.path.isabs(name):
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        return no_follow.read_below(str(self.path), parts, limit)

    def text(self, name: str) -> str:
        """The text of a document. Raises OSError, UnicodeDecodeError."""
        return self.read(name, LARGEST_DOCUMENT).decode()

    def exists(self, name: str) -> bool:
        """True if the bundle has this file."""
        return (self.path / name).is_file()

    def all_files(self) -> list[str]:
        """Every file of the folder, by path; links and devices count, too."""
        paths = []
        for place, folders, names in os.walk(self.path):
            links = [name for name in folders if os.path.islink(os.path.join(place, name))]
            paths += [os.path.relpath(os.path.join(place, name), self.path).replace(os.sep, "/") for name in [*names, *links]]
        return sorted(paths)


__all__ = [
    "AUDIT",
    "BUNDLE",
    "FORMAT",
    "MANIFEST",
    "PROVENANCE",
    "REQUIRED",
    "BadBundle",
    "Encryption",
    "Folder",
    "JsonError",
    "Manifest",
    "Signature",
    "pretty",
    "read_audit",
    "read_bundle",
    "read_manifest",
]
