"""Refactorings: pure functions from a place in a file to edits, or to a refusal with its reason.

A refactoring is a module with a function; the table of all is in `table.py`. What they share: `site.py` (the place, its tree,
what is around), `effects.py` (what evaluating an expression does besides its value), `shapes.py` (trees compared with the one
that is expected), `change.py` (the outcome, and the trial that every change passes).
"""
