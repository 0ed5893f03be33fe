"""The views of the daemon are imported by one thread at a time, whoever asks for them first."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import itertools, sys, tempfile, threading
from boruna_ls.daemon.views import Views

class Notes:
    def find_spec(self, name, path=None, target=None):
        found.append(threading.get_ident())

found = []
views = Views(tempfile.mkdtemp())
sys.setswitchinterval(0.00005)
sys.meta_path.insert(0, Notes())
threads = [threading.Thread(target=views.load, args=(protocol,)) for protocol in ("lsp", "mcp")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(list(itertools.groupby(found))), len(set(found)))
"""


def test_one_thread_imports_at_a_time() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == ["2", "2"], done.stderr
