"""The MCP server of the wheel that lies beside this file."""

import sys

from boruna_ls.entry import mcp_main

sys.exit(mcp_main())
