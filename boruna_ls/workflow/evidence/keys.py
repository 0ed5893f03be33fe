"""Keys: AES-256-GCM for the files of a bundle, Ed25519 for signatures; both by `cryptography`, imported when they are needed."""

from __future__ import annotations

import base64
import binascii
import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Final

from boruna_ls import given
from boruna_ls.rendezvous import atomic
from boruna_ls.state import folder
from boruna_ls.workflow.evidence.bundle_files import Encryption, Signature
from boruna_ls.workflow.folders import WorkflowError

ALGORITHM: Final = "aes-256-gcm"
SIGNATURES: Final = "ed25519"
_HEX: Final = re.compile(r"[0-9a-fA-F]*")
_OWN_KEY: Final = "signing.key"


class BadKey(Exception):
    """A bundle cannot be opened; the message is verification's."""


def key_of(text: str) -> bytes:
    """A key of 64 hex digits. Raises WorkflowError."""
    if len(text) != 64:
        raise WorkflowError(f"invalid KEK: invalid KEK: expected 64 hex chars (32 bytes), got {len(text)} chars")
    if not _HEX.fullmatch(text):
        raise WorkflowError("invalid KEK: invalid KEK: expected 64 hex chars (32 bytes), got non-hex digits")
    return bytes.fromhex(text)


def wrapped(key: bytes, kek_id: str, files: list[str]) -> tuple[bytes, Encryption]:
    """A new key for files, and how it is kept under `key`."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    data_key, nonce = os.urandom(32), os.urandom(12)
    sealed = AESGCM(key).encrypt(nonce, data_key, kek_id.encode())
    how = Encryption(ALGORITHM, kek_id, base64.b64encode(sealed).decode(), base64.b64encode(nonce).decode(), sorted(files))
    return data_key, how


def unwrapped(key: bytes, how: Encryption) -> bytes:
    """The key of the files. Raises BadKey."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if how.algorithm != ALGORITHM:
        message = f'bundle declares algorithm="{how.algorithm}"; reader supports only "{ALGORITHM}"'
        raise BadKey(f"evidence.unsupported_algorithm: {message}")
    try:
        sealed = base64.b64decode(how.wrapped_dek, validate=True)
        nonce = base64.b64decode(how.wrapped_dek_nonce, validate=True)
        if len(nonce) != 12:
            raise ValueError(f"wrapped_dek_nonce has {len(nonce)} bytes, expected 12")
    except (ValueError, binascii.Error) as error:
        raise BadKey(f"invalid encryption metadata: {error}") from None
    try:
        return AESGCM(key).decrypt(nonce, sealed, how.kek_id.encode())
    except InvalidTag:
        message = f"supplied KEK does not unwrap the bundle's wrapped_dek (kek_id={how.kek_id})"
        raise BadKey(f"evidence.encryption_key_mismatch: {message}") from None


def encrypted(data_key: bytes, name: str, content: bytes) -> bytes:
    """A file as an encrypted bundle holds it."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(data_key).encrypt(_nonce(name), content, None)


def decrypted(data_key: bytes, name: str, content: bytes) -> bytes | None:
    """The content of a file, None if it was tampered with."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(data_key).decrypt(_nonce(name), content, None)
    except (InvalidTag, ValueError):
        return None


def _nonce(name: str) -> bytes:
    return sha256(name.encode()).digest()[:12]


def signed(bundle_hash: str, key_file: Path | None = None) -> Signature:
    """The owner's signature of a bundle hash; the key is made at its first use. Raises WorkflowError."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = Ed25519PrivateKey.from_private_bytes(_private_key(key_file))
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return Signature(SIGNATURES, public.hex(), key.sign(bundle_hash.encode()).hex())


def _private_key(key_file: Path | None) -> bytes:
    path = key_file or folder.opened("keys") / _OWN_KEY
    if key_file is None and not path.exists():
        with folder.locked(path.with_suffix(".lock")):
            if not path.exists():
                atomic.write(path, os.urandom(32).hex().encode())
    try:
        text = given.read(path).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise WorkflowError(f"cannot read the signing key {path}: {error}") from None
    if len(text) != 64 or not _HEX.fullmatch(text):
        raise WorkflowError(f"the signing key {path} must hold 64 hex digits")
    return bytes.fromhex(text)


def signature_problem(signature: Signature, bundle_hash: str, recomputed: str, pinned: str | None) -> str | None:
    """The first thing wrong with a signature."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if signature.algorithm != SIGNATURES:
        supported = f'(reader supports only "{SIGNATURES}")'
        return f'evidence.signature_invalid: unsupported signature algorithm "{signature.algorithm}" {supported}'
    if pinned is not None and signature.public_key.lower() != pinned.lower():
        return f"evidence.signature_untrusted_key: bundle signed with {signature.public_key} but --verify-key pins {pinned}"
    if bundle_hash != recomputed:
        return f"evidence.signature_invalid: manifest bundle_hash {bundle_hash} does not match recomputed {recomputed}"
    for name, text, length in (("public_key", signature.public_key, 64), ("signature", signature.signature, 128)):
        if len(text) != length:
            return f"evidence.signature_invalid: bad {name} hex: expected {length} hex chars, got {len(text)}"
        if not _HEX.fullmatch(text):
            return f"evidence.signature_invalid: bad {name} hex: non-hex digit"
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.public_key))
    except ValueError as error:
        return f"evidence.signature_invalid: invalid public_key: {error}"
    try:
        key.verify(bytes.fromhex(signature.signature), bundle_hash.encode("utf-8", "surrogatepass"))
    except InvalidSignature:
        return "evidence.signature_invalid: ed25519 signature does not verify over bundle_hash"
    return None
