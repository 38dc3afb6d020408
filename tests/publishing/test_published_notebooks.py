"""Notebooks made into files: text, code and what cells have answered."""

import base64
import io
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import docx
import pypdf
import pytest

from recto.projects import read_publishable
from recto.publishing import PublishFailed, PublishOptions
from recto.workspace import Workspace
from tests.publishing.drafts import PIXEL
from tests.publishing.test_publishing import make, squeezed

pytestmark = pytest.mark.anyio
PICTURE = base64.b64encode(PIXEL).decode()
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'


def data(**forms: Any) -> dict[str, Any]:
    found = {name.replace("_", "/").replace("svg", "svg+xml"): form for name, form in forms.items()}
    return {"output_type": "display_data", "metadata": {}, "data": found}


CELLS = [
    {
        "cell_type": "markdown",
        "source": ["# Residuals\n", "Much *ado* ![inside](attachment:p.png)"],
        "attachments": {"p.png": {"image/png": PICTURE}},
    },
    {
        "cell_type": "code",
        "source": "print('```')",
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["\x1b[31mred\x1b[0m words\n"]},
            data(image_png=PICTURE, text_plain="<Figure>"),
            data(text_html="<table><tr><th>a</th></tr><tr><td>seven</td></tr></table>"),
            data(image_svg=DRAWING),
            data(text_markdown="**strong**"),
            data(text_latex="\\frac{1}{2}"),
            {"output_type": "error", "traceback": ["\x1b[0;31mZeroDivisionError\x1b[0m: by zero"]},
        ],
    },
    {"cell_type": "raw", "source": "for another program"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cells = [{"metadata": {}, **cell} for cell in CELLS]
    notebook: dict[str, Any] = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "n.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "broken.ipynb").write_text("{")
    return tmp_path


async def test_a_notebook_is_published_with_what_its_cells_have_answered(folder: Path) -> None:
    page = (await make(folder, "n.ipynb", PublishOptions("html")))[0].decode()
    shown = ("Residuals", "red words", "seven", "<strong>strong</strong>", "ZeroDivisionError")
    assert [words for words in shown if words not in page] == []
    assert page.count("data:image/png") == 2
    assert "passwd" not in page
    assert "another program" not in page
    word, _ = await make(folder, "n.ipynb", PublishOptions("docx"))
    (table,) = docx.Document(io.BytesIO(word)).tables
    assert [row.cells[0].text for row in table.rows] == ["a", "seven"]
    assert any(name.startswith("word/media/") for name in ZipFile(io.BytesIO(word)).namelist())
    printed, _ = await make(folder, "n.ipynb", PublishOptions("pdf"))
    pages = pypdf.PdfReader(io.BytesIO(printed)).pages
    text = squeezed("".join(page.extract_text() for page in pages))
    assert "redwords" in text
    assert "print('```')" in text


async def test_a_broken_notebook_is_not_published_and_says_why(folder: Path) -> None:
    async with await Workspace.open(str(folder)) as workspace:
        with pytest.raises(PublishFailed, match="not a notebook that can be read"):
            await read_publishable(workspace, "broken.ipynb")
