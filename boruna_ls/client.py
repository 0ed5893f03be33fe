"""One editor or agent on the standard streams of this process: through the user's daemon, or served right here.

It stays light: what serves is imported only where no daemon does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

INTERRUPTED = 130


def client(protocol: str, arguments: Sequence[str]) -> int:
    """Serves one client on the standard streams through the daemon, or in this process where that is wished or needed."""
    from boruna_ls.forwarder.main import STANDALONE, run

    _occupy_standard_streams()
    try:
        status = run(protocol, arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("BORUNA_TRACEBACK"):
            raise
        kind = type(error).__name__
        print(f"boruna-ls: internal error ({kind}: {error}); BORUNA_TRACEBACK=1 shows where", file=sys.stderr)
        return 1
    return standalone(protocol, arguments) if status == STANDALONE else status


def _occupy_standard_streams() -> None:
    """A stream that the caller has closed reads as ended: its number must not become that of a socket."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def standalone(protocol: str, arguments: Sequence[str]) -> int:
    """Serves one client in this process; exit status 2 for a bad command line."""
    from boruna_ls.forwarder.options import parse

    options = parse(protocol, arguments)
    if protocol == "lsp":
        from boruna_ls.lsp.stdio import main as serve_editor

        return serve_editor(options.libs_dir)
    from boruna_ls.mcp.main import main as serve_agent

    return serve_agent(options)
