"""Who wrote each passage of a text, and which edits of AI in it still wait for review."""
