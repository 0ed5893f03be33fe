"""The debugger: runs that stand at any of their steps, behind the Debug Adapter Protocol (docs/debugging.md)."""
