"""What of a file is Markdown: all of a note, the Markdown cells of a notebook."""

from collections.abc import Sequence

from recto.documents import NotInForm
from recto.notebooks import notebook_form, split_cells
from recto.projects.links.markdown_links import Passage


def text_of(path: str, content: str) -> str | None:
    """The text that people see of a file's content; None for a notebook that is none."""
    form = notebook_form(path)
    if form is None:
        return content
    try:
        return form.read(content, "")
    except NotInForm:
        return None


def passages_of(path: str, text: str) -> Sequence[Passage] | None:
    """Where Markdown stands in such a text; None for all of it."""
    if notebook_form(path) is None:
        return None
    return [(cell.start, cell.end) for cell in split_cells(text) if cell.kind == "markdown"]
