"""Threads and proposals: conversations about a passage, and what models offer beside the text."""
