"""Meaning of names and expressions: declarations, the environment of a file, scopes, types, the table of builtins."""
