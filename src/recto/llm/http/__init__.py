"""Calls to providers over HTTP: one transport, our own connections, what goes wrong with them."""
