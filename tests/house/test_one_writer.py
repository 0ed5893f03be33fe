"""Files are replaced by `rendezvous/atomic.py` only: a reader sees the old content or the new one. Other writing has a reason."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2] / "boruna_ls"
SANDBOX: Final = "runs inside of a sandbox; its code imports nothing of ours"
DEVICE: Final = "a device of the system"
STREAM: Final = "the standard output"
CHOSEN: Final = "the user names the file, which may be a device or a pipe"
EXCUSED: Final = {
    "cli/compile.py": CHOSEN,
    "cli/doc.py": "pages of this project (`make library-pages`)",
    "cli/doctor_daemon.py": "tries whether the file can be written",
    "cli/grammar.py": "a compiler writes the library",
    "cli/literate.py": "writes below open folders without following links; the texts can be extracted again",
    "cli/main.py": DEVICE,
    "cli/run.py": CHOSEN,
    "cli/programs.py": "is opened for writing only to learn whether it may be written",
    "cli/quick.py": DEVICE,
    "client.py": DEVICE,
    "daemon/logs.py": "appends",
    "effects/files.py": "a program's `fs.write`: on descriptors below its allowed roots",
    "forwarder/streams.py": DEVICE,
    "isolation/cgroup.py": DEVICE,
    "isolation/priority.py": DEVICE,
    "lock_order.py": "appends",
    "lsp/stdio.py": STREAM,
    "rendezvous/locks.py": "a lock, which has no content",
    "rendezvous/start.py": "appends",
    "runtime/worker.py": STREAM,
    "sandbox/inside/ax.py": SANDBOX,
    "sandbox/inside/commands.py": SANDBOX,
    "sandbox/inside/files.py": SANDBOX,
    "sandbox/inside/first.py": SANDBOX,
    "sandbox/inside/guest.py": SANDBOX,
    "sandbox/inside/place.py": SANDBOX,
    "sandbox/inside/system.py": SANDBOX,
    "sandbox/inside/zygote.py": SANDBOX,
    "upstream/service.py": STREAM,
    "workflow/service.py": STREAM,
}


def writes(text: str) -> bool:
    """True if a module opens a file for writing, or gives one the name of another."""
    nodes = list(ast.walk(ast.parse(text)))
    opens = any(isinstance(node, ast.Attribute) and node.attr in ("O_WRONLY", "O_RDWR", "O_CREAT") for node in nodes)
    return opens or any(isinstance(node, ast.Call) and _is_writing(node) for node in nodes)


def _is_writing(call: ast.Call) -> bool:
    name = ast.unparse(call.func)
    if name in ("open", "os.fdopen", "io.open"):
        modes = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
        return any(isinstance(mode, ast.Constant) and bool(set(str(mode.value)) & set("wax+")) for mode in modes)
    return name in ("os.replace", "os.rename", "os.link", "shutil.move") or name.endswith((".write_text", ".write_bytes"))


def test_files_are_replaced_by_one_function() -> None:
    modules = {str(module.relative_to(ROOT)): module for module in sorted(ROOT.rglob("*.py"))}
    writing = {name for name, module in modules.items() if writes(module.read_text("utf-8"))}
    assert writing - {"rendezvous/atomic.py"} == set(EXCUSED)


def test_writing_is_noticed() -> None:
    assert writes("open(path, 'w')\n")
    assert writes("descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)\n")
    assert writes("os.replace(temporary, path)\n")
    assert writes("Path(folder, 'a').write_text(page)\n")
    assert not writes("open(path, 'rb').read().replace(b'a', b'b')\n")
