"""Routes of the files of a project."""
