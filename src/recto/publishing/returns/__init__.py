"""Drafts that come back from Word: what was changed and said there, as edits of the Markdown."""
