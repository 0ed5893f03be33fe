"""MCP tools as functions of programs: modules made from schemas, and what a program's names mean in them."""
