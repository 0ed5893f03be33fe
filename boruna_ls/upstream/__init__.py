"""MCP servers whose tools programs call: configuration, trust, connections, calls. `docs/mcp-servers.md` is the page.

`broker.py` joins them to the effect broker; nothing here is imported before a program calls a tool or a client requests one,
since the MCP library takes a second to import.
"""
