"""Probable fixes of mistakes, as edits: pure functions of text, tree and types.

Rules of `diagnostics/` attach these edits to what they report; `fixes/` tries them and decides. Nothing here knows a diagnostic.
"""
