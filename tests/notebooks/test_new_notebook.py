"""A new notebook has a cell to write in; what else is made, and what has a text, stays as it is."""

import pytest

from recto.notebooks import first_text, parse


@pytest.mark.parametrize("path", ["a.ipynb", "lab/B.IPYNB"])
def test_a_new_notebook_has_one_empty_cell_and_any_python(path: str) -> None:
    notebook = parse(first_text(path, "\n").encode())
    assert [(cell.kind, cell.source) for cell in notebook.cells] == [("code", "")]
    assert (notebook.kernel_name, notebook.language, notebook.problem) == ("python3", "python", "")
    assert notebook.has_ids


def test_other_files_begin_with_their_own_text() -> None:
    assert first_text("a.md", "") == ""
    assert first_text("a.ipynb", "{}") == "{}"
