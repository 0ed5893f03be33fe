"""`boruna-ls lsp` and `boruna-ls mcp`: standard input and output to the user's daemon and back.

Editors and agents start one each, so it imports the standard library and `boruna_ls.rendezvous` only, and little of both.
"""
