"""The live text of a notebook and its file: every byte stays that nobody changed."""

import json
from random import Random

import pytest

from recto.documents import NotInForm
from recto.notebooks.file.arrange import WantedOutputs
from recto.notebooks.live.cells_text import MARK, CellText, joined_cells, laid_out, split_cells
from recto.notebooks.live.form import NotebookForm
from tests.notebooks.generated import Json, notebook, spelling

GENERATED = 300
CODE: Json = {
    "cell_type": "code",
    "execution_count": None,
    "metadata": {},
    "outputs": [],
    "source": ["1"],
}
NOTEBOOK: Json = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
STREAM = {"name": "stdout", "output_type": "stream", "text": "1\n"}


def opened(content: str) -> tuple[NotebookForm, str]:
    form = NotebookForm("a.ipynb")
    text = form.read(content, "")
    form.adopt(content, text)
    return form, text


def test_generated_notebooks_come_back_byte_for_byte_and_so_after_cells_went_and_came() -> None:
    seen = 0
    for seed in range(GENERATED):
        random = Random(seed)
        content = spelling(random).write(notebook(random)).decode().removeprefix("\ufeff")
        try:
            form, text = opened(content)
        except NotInForm:
            continue
        seen += 1
        assert form.write(text) == content, seed
        cells = list(split_cells(text))
        if len(cells) < 2:
            continue
        # Moved and moved back, deleted and brought back, edited and taken back.
        random.shuffle(shuffled := list(cells))
        kept = [CellText(cell.id, cell.kind, cell.source + "x") for cell in shuffled[1:]]
        form.write(joined_cells(kept))
        form.saved()
        assert [cell.source for cell in form.notebook.cells] == [cell.source for cell in kept]
        back = form.write(joined_cells(cells))
        assert json.loads(back) == json.loads(content), seed
    assert seen > GENERATED / 2


def test_an_edit_of_a_cell_changes_only_its_lines_and_outputs_only_theirs() -> None:
    content = json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "execution_count": None,
                    "id": name,
                    "metadata": {"n": 1.0},
                    "outputs": [],
                    "source": [f"{name} = 1\n", "print(1)"],
                }
                for name in ("one", "two", "three")
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    )
    form, text = opened(content)
    edited = form.write(text.replace("two = 1", "two = 2"))
    assert edited == content.replace("two = 1", "two = 2")
    form.set_outputs("three", WantedOutputs([STREAM], 7))
    assert form.is_changed
    written = json.loads(form.write(text))
    assert written["cells"][2]["outputs"] == [{**STREAM, "text": ["1\n"]}]
    assert written["cells"][2]["execution_count"] == 7
    form.saved()
    assert not form.is_changed
    # Somebody cleared the outputs on disk: they stay cleared.
    form.adopt(content, text)
    assert form.write(text) == content


def test_a_cell_that_comes_back_has_its_outputs_and_metadata_again() -> None:
    content = json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "execution_count": 3,
                    "id": name,
                    "metadata": {"tags": [name]},
                    "outputs": [STREAM],
                    "source": f"{name}",
                }
                for name in ("one", "two")
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )
    form, text = opened(content)
    form.write(text[: text.index(MARK, 1)])
    form.saved()
    assert [cell.id for cell in form.notebook.cells] == ["one"]
    assert json.loads(form.write(text)) == json.loads(content)


def test_every_text_has_cells_and_nothing_typed_is_in_none_of_them() -> None:
    for seed in range(2000):
        random = Random(seed)
        pieces = [
            "\x1fcode a\n",
            "\x1fmarkdown b\n",
            "\x1fcode a\n",
            "\x1fhere a\n",
            "\x1fhere b\n",
            "\x1f",
            "raw",
            "x = 1",
            "\n",
            " ",
        ]
        text = "".join(random.choice(pieces) for _ in range(random.randint(0, 12)))
        cells = split_cells(text)
        assert len({cell.id for cell in cells}) == len(cells)
        assert text.count("x = 1") == sum(cell.source.count("x = 1") for cell in cells), text
        again = joined_cells(cells)
        assert [(cell.id, cell.source) for cell in split_cells(again)] == [
            (cell.id, cell.source) for cell in cells
        ]
        # Whatever cells a file has, each that is known stays where it is, and the order is theirs.
        wanted = [cell for cell in cells if random.random() < 0.8]
        wanted.insert(random.randint(0, len(wanted)), CellText("new", "code", "y"))
        if random.random() < 0.3:
            random.shuffle(wanted)
        made = split_cells(laid_out(wanted, text))
        assert [(cell.id, cell.source) for cell in made] == [
            (cell.id, cell.source) for cell in wanted
        ], text


def test_a_moved_cell_stays_in_the_text_and_its_file_has_the_order_that_people_see() -> None:
    text = "\x1fcode a\n1\n\x1fcode b\n2\n\x1fcode c\n3\n\x1fhere a\n"
    assert [cell.id for cell in split_cells(text)] == ["b", "c", "a"]
    form = NotebookForm("a.ipynb")
    content = form.write(text)
    form.saved()
    assert [cell.id for cell in form.notebook.cells] == ["b", "c", "a"]
    assert form.read(content, text) == text
    edited = form.read(content.replace('"2"', '"two"'), text)
    assert edited == text.replace("\n2\n", "\ntwo\n")


def test_outputs_are_left_out_where_that_was_chosen_and_nothing_else_is_touched() -> None:
    ran: Json = {**CODE, "execution_count": 3, "outputs": [{**STREAM, "text": ["1\n"]}]}
    cells: list[Json] = [
        {**ran, "id": "a"},
        {"cell_type": "markdown", "id": "m", "metadata": {}, "source": []},
        {**CODE, "id": "b"},
    ]
    content = json.dumps(NOTEBOOK | {"cells": cells}, indent=1)
    bare = json.dumps(NOTEBOOK | {"cells": [{**CODE, "id": "a"}, *cells[1:]]}, indent=1)
    form = NotebookForm("a.ipynb", lambda: True)
    text = form.read(content, "")
    form.adopt(content, text)
    assert not form.is_changed
    assert form.write(text) == bare
    form.saved()
    assert form.outputs_of("a").outputs == ({**STREAM, "text": ["1\n"]},)
    # A cell that went and comes back is written without them, too.
    kept = joined_cells(split_cells(text)[1:])
    form.adopt(content, text)
    form.write(kept)
    form.saved()
    assert form.write(text) == bare


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "not a notebook|at line"),
        ('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 9}', "4.9"),
        (
            '{"cells": [{"cell_type": "raw", "metadata": {}, "source": "\\u001f"}], "metadata": {},'
            ' "nbformat": 4, "nbformat_minor": 2}',
            "cell 1 holds",
        ),
    ],
)
def test_what_can_not_be_edited_says_why(content: str, why: str) -> None:
    with pytest.raises(NotInForm, match=why):
        NotebookForm("a.ipynb").read(content, "")
