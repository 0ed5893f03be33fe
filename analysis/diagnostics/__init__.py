"""Diagnostics of a program: `Diagnostic`, the table of codes, the rules (a module for each family) and `check_file`."""
