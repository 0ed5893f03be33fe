"""Started by path, wherever its package lies: `python -P …/boruna_ls/daemon/__main__.py --folder DIR`."""

import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _package_first() -> None:
    """Makes sure that `boruna_ls` is the package around this file and no other one."""
    for place in sys.path:
        if os.path.isdir(os.path.join(place, "boruna_ls")):
            if os.path.realpath(os.path.join(place, "boruna_ls")) == os.path.realpath(_PACKAGE):
                return
            break
    root = os.path.dirname(_PACKAGE)
    sys.path.insert(0, root)
    # The processes that run programs are of this package, too.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))


if __name__ == "__main__":
    _package_first()
    from boruna_ls.daemon.main import main

    sys.exit(main(sys.argv[1:]))
