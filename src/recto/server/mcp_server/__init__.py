"""Recto as an MCP server: its tools for other programs, over HTTP."""
