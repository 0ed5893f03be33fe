"""The MCP view over Streamable HTTP: `app.py` puts the server together, `auth.py` knows tokens, `options.py` the command line.

One server object answers all clients, of both generations of the protocol; sessions, streams and their limits are the SDK's.
"""
