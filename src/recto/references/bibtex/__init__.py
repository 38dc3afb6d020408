"""BibTeX and BibLaTeX files: read without losing a byte, and edited one entry at a time."""
