"""The language server: a view of the analysis for editors.

`server.py` puts a connection together, `protocol.py` moves messages, `session.py` knows what one editor has open,
`features/` holds one module per feature of the protocol.
"""
