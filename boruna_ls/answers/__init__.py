"""Answers as plain dictionaries, exactly as the tools of the MCP view and the command line's `--json` give them.

One module for each answer; each is built from results of `analysis` and holds no logic of its own. Positions count
lines from 1 and columns from 1 in UTF-8 bytes (`col`), and columns from 0 in code points (`column`).
"""
