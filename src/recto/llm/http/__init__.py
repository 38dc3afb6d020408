"""Calls to providers over HTTP: one transport, our own connections, and what goes wrong with them."""
