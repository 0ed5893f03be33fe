"""The MCP view: tools and resources for agents, over stdio or over a stream of the daemon.

`server.py` is the place to start; `tools/` has one module for each tool, `transport.py` brings lines in and out. What
the answers say is built in `boruna_ls.answers`, which the command line shares.
"""
