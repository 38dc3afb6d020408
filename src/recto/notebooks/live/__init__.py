"""The live notebook: its cells as one shared text, its runs, and what pages see of both."""
