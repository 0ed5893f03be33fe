"""The outside world of the .ax analysis: workspaces, the LSP, MCP and command line views, and the daemon.

What a program means is decided in `analysis`, never here. Keep this file free of imports: every command pays for them.
"""

__version__ = "0.1.0"
