"""Signing in to MCP servers at addresses: OAuth, kept tokens, calls that wait."""
