"""What a new notebook begins with: one empty cell, for Python."""

import json
from typing import Any

from recto.notebooks.file.notebook import ID_LENGTH, digest

SUFFIX = ".ipynb"
PYTHON = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def first_text(path: str, text: str) -> str:
    """The text that a new file gets: an empty one is no notebook yet."""
    if text.strip() or not path.casefold().endswith(SUFFIX):
        return text
    cell: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "id": digest(path, ID_LENGTH),
        "metadata": {},
        "outputs": [],
        "source": [],
    }
    notebook = {
        "cells": [cell],
        "metadata": {"kernelspec": PYTHON},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1) + "\n"
