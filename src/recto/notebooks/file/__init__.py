"""The file of a notebook: read with the places of its parts, changed only where it must be."""
