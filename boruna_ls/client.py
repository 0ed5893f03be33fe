"""One editor or agent on the standard streams of this process: through the user's daemon, or served right here.

It stays light: what serves is imported only where no daemon does.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

INTERRUPTED = 130


def client(protocol: str, arguments: Sequence[str], program: str = "") -> int:
    """Serves one client on the standard streams through the daemon, or in this process where that is wished or needed.

    `program` is what the command is called in messages about its options.
    """
    if list(arguments) in ([], ["--stdio"]):
        return serve(protocol, {}, program)
    _occupy_standard_streams()
    return serve(protocol, _options(protocol, arguments, program), program)


def serve(protocol: str, options: dict[str, Any], program: str = "") -> int:
    """The same for options that were read."""
    from boruna_ls.forwarder.main import STANDALONE, run

    _occupy_standard_streams()
    try:
        status = run(protocol, options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("BORUNA_TRACEBACK"):
            raise
        kind = type(error).__name__
        print(f"boruna-ls: internal error ({kind}: {error}); BORUNA_TRACEBACK=1 shows where", file=sys.stderr)
        return 1
    return _alone(protocol, options, program) if status == STANDALONE else status


def standalone(protocol: str, arguments: Sequence[str]) -> int:
    """Serves one client in this process; exit status 2 for a bad command line."""
    return _alone(protocol, _options(protocol, arguments, ""), "")


def _options(protocol: str, arguments: Sequence[str], program: str) -> dict[str, Any]:
    """The options of a command line; ends the process with status 2 if it is a bad one."""
    from boruna_ls.forwarder.options import read

    options = read(protocol, arguments)
    if options is not None:
        return options
    from boruna_ls.command_options import parse

    return parse(protocol, arguments, program or f"boruna-{protocol}")


def _alone(protocol: str, options: dict[str, Any], program: str) -> int:
    import gc

    from boruna_ls.forwarder.options import BadOptions, defaults
    from boruna_ls.library_models import late_attrs

    # What is imported stays: the collector would look through it again and again. `process.prepare` switches it on.
    gc.disable()
    options = {**defaults(protocol), **options}
    if protocol == "lsp":
        with late_attrs():
            from boruna_ls.lsp.stdio import main as serve_editor

        return serve_editor(options["libs_dir"])
    from boruna_ls.mcp.main import main as serve_agent

    try:
        return serve_agent(options)
    except BadOptions as error:
        from boruna_ls.command_options import refuse

        refuse(protocol, program or f"boruna-{protocol}", str(error))


def _occupy_standard_streams() -> None:
    """A stream that the caller has closed reads as ended: its number must not become that of a socket."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
