"""Rules that mend a chunk that does not lex or parse. Each module holds one family of mistakes as functions from a `Site`
(the chunk and one of its errors) to proposals; `analysis/suggestions/broken_text.py` tries what they propose.
"""
