"""Evidence: a bundle of ours is valid as it is, and invalid after any change of any byte."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.workflow.evidence.build import exported
from boruna_ls.workflow.evidence.redaction import redact
from boruna_ls.workflow.evidence.verify import Wanted, verify
from boruna_ls.workflow.local import DataFolder, checked, new_run
from boruna_ls.workflow.records import Decision
from boruna_ls.workflow.store import completed
from tests.support.commands import run

TAMPERINGS = 400
"""`python -m tests.workflow.tampering` tries 10,000."""


def bundle_at(folder: Path, name: str = "flow", sign: bool = False) -> Path:
    """A bundle of a run with a gate, signed by a key of its own."""
    workflow = folder / name
    workflow.mkdir(parents=True)
    steps = {
        "a": {"kind": "source", "source": "a.ax"},
        "g": {"kind": "approval_gate", "required_role": "lead", "depends_on": ["a"]},
        "b": {"kind": "source", "source": "b.ax", "inputs": {"v": "a.result"}, "depends_on": ["g"]},
    }
    document = {"schema_version": 1, "name": name, "version": "1", "steps": steps, "edges": []}
    (workflow / "workflow.json").write_text(json.dumps(document))
    (workflow / "a.ax").write_text('fn main() -> Int intent "a seed" {\n    42\n}\n')
    (workflow / "b.ax").write_text('fn main() -> String !{step.input} {\n    step_input("v")\n}\n')
    data = DataFolder(str(folder / "data"))
    found, _ = checked(str(workflow))
    run = data.store.begin(new_run(str(workflow), found, ALLOW_ALL, 1))
    for step in ("a", "b"):
        data.store.step_started(run, 1, step)
        data.store.step_ended(run, 1, completed(step, '{"Int":42}'))
    data.store.awaits(run, 1, "g", "awaiting_approval")
    assert data.store.decide(run, Decision("g", "approved", 1, "looks right", "ann", "lead"))
    data.store.finish(run, 1, "completed", 5, "0" * 64)
    key = folder / "key"
    key.write_text("11" * 32)
    return exported(data.store, run, folder / "out", sign, key).path


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_at(tmp_path_factory.mktemp("bundle"), sign=True)


def test_a_bundle_is_valid_and_says_what_vouches_for_it(bundle: Path) -> None:
    found = verify(bundle)
    assert (found.problems, found.vouched) == ([], [])
    assert any("only self-consistent" in warning for warning in found.warnings)
    assert found.manifest is not None
    assert found.manifest.signature is not None
    pinned = verify(bundle, Wanted(verify_key=found.manifest.signature.public_key, signature=True))
    assert (pinned.is_valid, pinned.vouched) == (True, ["signature"])
    anchored = verify(bundle, Wanted(anchor=found.manifest.bundle_hash))
    assert anchored.vouched == ["anchor"]


def test_a_stripped_signature_is_noticed_by_who_pins_a_key(bundle: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(bundle, tmp_path / "copy")
    manifest = json.loads((copy / "manifest.json").read_text())
    key = manifest.pop("signature")["public_key"]
    (copy / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False))
    assert verify(copy).is_valid
    assert not verify(copy, Wanted(verify_key=key)).is_valid


def flip(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    place = rng.randrange(len(content))
    content[place] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def truncate(path: Path, rng: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


def insert(path: Path, rng: random.Random) -> None:
    content = path.read_bytes()
    place = rng.randrange(len(content) + 1)
    path.write_bytes(content[:place] + bytes([rng.randrange(256)]) + content[place:])


def delete(path: Path, rng: random.Random) -> None:
    path.unlink()


def swap_lines(path: Path, rng: random.Random) -> None:
    whole = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if len(whole) < 2:
        truncate(path, rng)
        return
    first, second = rng.sample(range(len(whole)), 2)
    if whole[first] == whole[second]:
        flip(path, rng)
        return
    whole[first], whole[second] = whole[second], whole[first]
    path.write_text("".join(whole), encoding="utf-8")


def add_file(path: Path, rng: random.Random) -> None:
    (path.parent / f"extra-{rng.randrange(1000)}").write_bytes(b"x")


WAYS: tuple[Callable[[Path, random.Random], None], ...] = (flip, flip, flip, truncate, insert, delete, swap_lines, add_file)


def undetected(bundle: Path, scratch: Path, count: int, seed: int) -> list[str]:
    """The tamperings of a bundle that verification accepts."""
    rng = random.Random(seed)
    files = sorted(path.relative_to(bundle) for path in bundle.rglob("*") if path.is_file())
    missed = []
    copy = shutil.copytree(bundle, scratch / "tampered")
    for number in range(count):
        way, name = rng.choice(WAYS), rng.choice(files)
        way(copy / name, rng)
        if verify(copy).is_valid:
            missed.append(f"seed {seed}, tampering {number}: {way.__name__} of {name}")
        shutil.rmtree(copy)
        shutil.copytree(bundle, copy)
    return missed


def test_random_tamperings_are_detected(bundle: Path, tmp_path: Path) -> None:
    assert undetected(bundle, tmp_path, TAMPERINGS, seed=7) == []


def test_files_of_another_bundle_are_detected(bundle: Path, tmp_path: Path) -> None:
    other = bundle_at(tmp_path / "other", name="another")
    for name in sorted(path.relative_to(bundle) for path in bundle.rglob("*") if path.is_file()):
        copy = shutil.copytree(bundle, tmp_path / "mixed")
        content = (other / name).read_bytes()
        if content != (copy / name).read_bytes():
            (copy / name).write_bytes(content)
            assert not verify(copy).is_valid, name
        shutil.rmtree(copy)


def test_a_redacted_entry_still_verifies_and_names_itself(bundle: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(bundle, tmp_path / "copy")
    before = verify(copy).manifest
    made = redact(copy, 1, "output_hash", "on request")
    found = verify(copy)
    assert (found.is_valid, found.redacted) == (True, [1])
    assert before is not None
    assert made.audit_log_hash == before.audit_log_hash
    assert made.dropped_signature
    text = (copy / "audit_log.json").read_text()
    (copy / "audit_log.json").write_text(text.replace("[REDACTED]", "[OTHER]"))
    assert not verify(copy).is_valid


@pytest.mark.parametrize("command", ["verify", "inspect", "replay"])
def test_the_folder_of_a_bundle_is_named_where_another_is_given(command: str, bundle: Path, tmp_path: Path) -> None:
    """`export` writes the bundle into a folder below the one that it is given."""
    shutil.copytree(bundle, tmp_path / "out" / "run")
    done = run("evidence", command, "out", cwd=tmp_path)
    assert done.returncode == 1
    assert f"out is no bundle; there is one below it: {Path('out/run')}\n" in done.stderr


def test_a_link_or_a_pipe_in_a_bundle_is_refused(bundle: Path, tmp_path: Path) -> None:
    for name, make in {"link": _link, "pipe": _pipe}.items():
        copy = tmp_path / name
        shutil.copytree(bundle, copy)
        make(copy / "manifest.json", tmp_path)
        done = run("evidence", "verify", str(copy), timeout=20)
        assert done.returncode != 0
        assert "manifest.json" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def _link(path: Path, folder: Path) -> None:
    path.rename(folder / "elsewhere.json")
    path.symlink_to(folder / "elsewhere.json")


def _pipe(path: Path, folder: Path) -> None:
    path.unlink()
    os.mkfifo(path)
