"""Texts as values: the text of a file in chunks and their blocks, edits and the fixes that they make, comparison by lines."""
