"""Started by path, wherever its package lies: `python -P …/boruna_ls/daemon/__main__.py --folder DIR`, or `--try DIR`."""

import faulthandler
import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SECONDS_TO_START = 15.0
"""A daemon whose imports hang ends after that, so that its clients get another one; the event loop sets it anew."""


def _package_first() -> None:
    """Makes sure that `boruna_ls` is the package around this file and no other one."""
    for place in sys.path:
        if os.path.isdir(os.path.join(place, "boruna_ls")):
            if os.path.realpath(os.path.join(place, "boruna_ls")) == os.path.realpath(_PACKAGE):
                return
            break
    sys.path.insert(0, os.path.dirname(_PACKAGE))


if __name__ == "__main__":
    _package_first()
    from boruna_ls.rendezvous.start import ALLOCATOR

    for variable in ALLOCATOR:
        # The interpreter has read it; the processes that this one starts are not meant.
        os.environ.pop(variable, None)
    if sys.argv[1:2] == ["--try"]:
        from boruna_ls.daemon.trial import main as attempt

        sys.exit(attempt(sys.argv[2]))
    faulthandler.dump_traceback_later(_SECONDS_TO_START, exit=True, file=2)
    from boruna_ls.daemon.main import main

    sys.exit(main(sys.argv[1:]))
