"""Options that every command that serves agents has; the forwarder, which imports nothing of this package, owns them."""

from __future__ import annotations

from boruna_ls.forwarder.options import add_tools as add_options
from boruna_ls.wire.toolsets import ALL, GROUPS

__all__ = ["ALL", "GROUPS", "add_options"]
