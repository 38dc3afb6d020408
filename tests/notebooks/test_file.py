"""The file of a notebook: nothing changes that nobody changed, and edits change what they must."""

import copy
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.notebooks import (
    CellChanged,
    CellIds,
    LastCell,
    NoSuchCell,
    Notebook,
    NotebookBroken,
    NotebookReadOnly,
    add_cell,
    check_version,
    delete_cell,
    move_cell,
    parse,
    set_kind,
    set_outputs,
    set_source,
)
from tests.examples import examples
from tests.notebooks.generated import (
    JUPYTER,
    Json,
    Spelling,
    notebook,
    output,
    source,
    spelling,
    with_source,
)

GENERATED = 1000
ROOT = Path(__file__).parents[2]


def write(found: Json, spelled: Spelling = JUPYTER) -> Notebook:
    return parse(spelled.write(found))


def small(*sources: str) -> Json:
    cells: list[Json] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"c{at}",
            "metadata": {},
            "outputs": [],
            "source": text.splitlines(True),
        }
        for at, text in enumerate(sources)
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def test_real_notebooks_come_back_byte_for_byte_and_so_after_an_edit_that_is_taken_back() -> None:
    # More can be given: the notebooks of nbformat's and nbconvert's sources, say.
    folders = [ROOT / "sample", Path(sys.prefix), *os.environ.get("RECTO_NOTEBOOKS", "").split()]
    files = [file for folder in map(Path, folders) for file in folder.rglob("*.ipynb")]
    for file in files:
        data = file.read_bytes()
        try:
            found = parse(data)
        except NotebookBroken:
            continue
        assert found.data == data, file
        if found.problem or not found.cells:
            continue
        for cell in found.cells:
            edited = set_source(found, cell.id, f"{cell.source}\nmore ✓")
            assert [item.source for item in edited.cells if item.id != cell.id] == [
                item.source for item in found.cells if item.id != cell.id
            ]
            assert edited.cell(cell.id).source == f"{cell.source}\nmore ✓", file
            assert set_source(edited, cell.id, cell.source).cell(cell.id).source == cell.source
            if cell.kind == "code":
                assert set_outputs(found, cell.id, cell.outputs, cell.execution_count) is found, (
                    file
                )
    assert [file for file in files if file.is_relative_to(ROOT / "sample")]


Edit = Callable[[Random, Json, Notebook], tuple[Json, Notebook]]


def edit_source(chance: Random, found: Json, read: Notebook) -> tuple[Json, Notebook]:
    at, text = chance.randrange(len(read.cells)), source(chance)
    if "".join(found["cells"][at]["source"]) == text:
        return found, set_source(read, read.cells[at].id, text)
    return with_source(found, at, text), set_source(read, read.cells[at].id, text)


def edit_outputs(chance: Random, found: Json, read: Notebook) -> tuple[Json, Notebook]:
    code = [at for at, cell in enumerate(read.cells) if cell.kind == "code"]
    if not code:
        return found, read
    at, count = chance.choice(code), chance.randrange(100)
    outputs = [sorted_keys(output(chance)) for _ in range(chance.randrange(3))]
    found["cells"][at] |= {"outputs": outputs, "execution_count": count}
    return found, set_outputs(read, read.cells[at].id, outputs, count)


def add(chance: Random, found: Json, read: Notebook) -> tuple[Json, Notebook]:
    at, text = chance.randrange(len(read.cells) + 1), source(chance)
    code = chance.random() < 0.5
    new: Json = {"cell_type": "code" if code else "markdown"}
    new |= {"execution_count": None} if code else {}
    name = f"fresh-{chance.randrange(10**9)}"
    new |= {"id": name} if read.has_ids else {}
    new |= {"metadata": {}}
    new |= {"outputs": []} if code else {}
    found["cells"].insert(at, new | {"source": text.splitlines(True)})
    kind = "code" if code else "markdown"
    return found, add_cell(read, at, kind, text, new_id=name)


def delete(chance: Random, found: Json, read: Notebook) -> tuple[Json, Notebook]:
    if len(read.cells) == 1:
        return found, read
    at = chance.randrange(len(read.cells))
    del found["cells"][at]
    return found, delete_cell(read, read.cells[at].id)


def move(chance: Random, found: Json, read: Notebook) -> tuple[Json, Notebook]:
    at, to = chance.randrange(len(read.cells)), chance.randrange(len(read.cells))
    found["cells"].insert(to, found["cells"].pop(at))
    return found, move_cell(read, read.cells[at].id, to)


def sorted_keys(value: Json) -> Json:
    return json.loads(json.dumps(value, sort_keys=True))


def test_a_thousand_generated_notebooks_are_kept_and_edited_as_a_json_writer_would() -> None:
    edits: list[Edit] = [edit_source, edit_outputs, add, delete, move]
    for seed in range(GENERATED):
        chance = Random(seed)
        found, spelled = notebook(chance, ids=chance.random() < 0.6), spelling(chance)
        data = spelled.write(found)
        read = parse(data)
        assert read.data == data, seed
        for edit in chance.choices(edits, k=2):
            ids = [cell.id for cell in read.cells]
            found, read = edit(chance, copy.deepcopy(found), read)
            assert read.data == spelled.write(found), (seed, edit)
            kept = [cell.id for cell in read.cells if not cell.id.startswith("fresh-")]
            assert set(kept) <= set(ids), (seed, edit)


def test_an_edit_changes_the_lines_of_its_cell_and_no_other() -> None:
    odd = (
        b'{\r\n   "nbformat_minor" : 5, "nbformat":4,\r\n'
        b'   "metadata": {"n": 1.0E+2, "x": NaN},\r\n'
        b'   "cells": [\r\n {"source": ["a\\u00e9\\n", "b\\/c"], "cell_type":"raw","id":"one",'
        b'"metadata":{}},\r\n'
        b' {"id": "two", "metadata": {"k":   1e0}, "cell_type": "markdown", "source": "x"}\r\n'
        b"]}\r\n\r\n"
    )
    read = parse(odd)
    assert set_source(read, "one", "a\u00e9\nb/c\nd").data == odd.replace(
        b'"b\\/c"]', b'"b/c\\n", "d"]'
    )
    assert set_source(read, "two", "y").data == odd.replace(b'"source": "x"', b'"source": "y"')
    assert move_cell(read, "two", 0).cells[0].source == "x"
    back = move_cell(move_cell(read, "two", 0), "two", 1)
    assert back.data == odd


def test_a_cell_of_another_kind_keeps_its_id_and_has_what_its_kind_has() -> None:
    read = write(small("# One", "two"))
    markdown = set_kind(read, "c0", "markdown")
    expected = small("# One", "two")
    expected["cells"][0] = {
        "cell_type": "markdown",
        "id": "c0",
        "metadata": {},
        "source": ["# One"],
    }
    assert markdown.data == JUPYTER.write(expected)
    assert set_kind(markdown, "c0", "code").data == read.data


def test_attachments_go_with_the_kind_that_can_have_them() -> None:
    found = small("x")
    found["cells"][0] = {
        "attachments": {"a.png": {}},
        "cell_type": "markdown",
        "id": "c0",
        "metadata": {},
        "source": ["x"],
    }
    assert set_kind(write(found), "c0", "code").data == JUPYTER.write(small("x"))


def test_the_only_cell_stays_and_an_unknown_one_is_said() -> None:
    read = write(small("x"))
    with pytest.raises(LastCell):
        delete_cell(read, "c0")
    with pytest.raises(NoSuchCell):
        set_source(read, "c1", "y")


def test_a_first_cell_is_written_into_an_empty_list() -> None:
    for spelled in (JUPYTER, Spelling(None, (", ", ": "), False, "\n", False, False, True)):
        read = write(small(), spelled)
        assert add_cell(read, 0, "code", "x = 1", new_id="c0").data == spelled.write(small("x = 1"))


def test_an_edit_names_the_version_it_was_based_on() -> None:
    read = write(small("a", "b"))
    version = read.cells[0].version
    assert check_version(read, "c0", version) == read.cells[0]
    with pytest.raises(CellChanged):
        check_version(set_source(read, "c0", "other"), "c0", version)
    with pytest.raises(CellChanged):
        check_version(set_kind(read, "c0", "markdown"), "c0", version)
    # Outputs are not what an edit was based on.
    ran = set_outputs(read, "c0", [{"output_type": "stream", "name": "stdout", "text": "1"}], 1)
    assert check_version(ran, "c0", version).outputs


def test_cells_without_ids_keep_those_they_were_given_whoever_changes_the_file() -> None:
    found = notebook(Random(4), ids=False)
    raw: Json = {"cell_type": "raw", "metadata": {}}
    found["cells"] = [raw | {"source": text} for text in ("a", "a", "b", "c")]
    ids = CellIds()
    first = ids.read("n", JUPYTER.write(found))
    one, two, three, four = (cell.id for cell in first.cells)
    assert len({one, two, three, four}) == 4
    assert [cell.id for cell in CellIds().read("n", first.data).cells] == [one, two, three, four]
    # Somebody else edits one cell and puts another before it.
    found["cells"][2]["source"] = "b changed"
    found["cells"].insert(0, raw | {"source": "new"})
    second = ids.read("n", JUPYTER.write(found))
    assert [cell.id for cell in second.cells][1:] == [one, two, three, four]
    assert second.data == JUPYTER.write(found)
    # Our own edits, too; and the file never names them.
    edited = set_source(move_cell(second, three, 0), three, "once more")
    ids.note("n", edited)
    assert ids.read("n", edited.data).cells[0].id == three
    assert b'"id"' not in edited.data


def test_cells_of_one_id_are_told_apart() -> None:
    found = small("a", "b")
    found["cells"][1]["id"] = "c0"
    read = write(found)
    first, second = (cell.id for cell in read.cells)
    assert first == "c0" != second
    assert [cell.id for cell in move_cell(read, second, 0).cells] == [second, "c0"]
    assert set_source(read, second, "B").cells[0].source == "a"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is empty: delete it"),
        (b"\xef\xbb\xbf \n", "it is empty: delete it"),
        (b"<<<<<<< HEAD", "{ is missing at line 1, column 1"),
        (b"[]", "{ is missing"),
        (b"\xff{}", "not in UTF-8 (byte 1)"),
        (b'{\n "cells": [}', "expecting value at line 2, column 12"),
        (b'{"nbformat": 4}', "no list of cells"),
        (b'{"nbformat": 4, "cells": {}}', "no list of cells"),
        (b'{"cells": []}', "nbformat is not a number"),
        (b'{"nbformat": true, "cells": []}', "nbformat is not a number"),
        (b'{"nbformat": 3, "worksheets": []}', "old format 3"),
        (b'{"nbformat": 5, "cells": []}', "newer than Recto knows"),
        (b'{"nbformat": 4, "cells": [[]]}', "cell 1 is of no known kind"),
        (b'{"nbformat": 4, "cells": [1]}', "cell 1 is no object"),
        (b'{"nbformat": 4, "cells": [{"cell_type": "video"}]}', "no known kind"),
        (b'{"nbformat": 4, "cells": [{"cell_type": "raw", "source": 1}]}', "not text"),
        (b'{"nbformat": 4, "cells": []} {}', "something follows"),
        (b'{"nbformat": 4, "cells": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"nbformat": 4, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"nbformat": ' + b"4" * 100_000 + b', "cells": []}', "nbformat is not a number"),
        (
            b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "outputs": [1]}]}',
            "outputs of cell 1",
        ),
    ],
)
def test_a_broken_file_says_what_is_wrong(data: bytes, why: str) -> None:
    with pytest.raises(NotebookBroken, match=r".") as failed:
        parse(data)
    assert why in str(failed.value)


def test_a_newer_file_and_one_with_a_name_twice_are_read_but_not_changed() -> None:
    newer = small("x") | {"nbformat_minor": 99}
    twice = JUPYTER.write(small("x")).replace(b'"metadata": {},\n', b'"id": "c0",\n', 1)
    for data, problem in ((JUPYTER.write(newer), "4.99"), (twice, '"id" stands twice in cell 1')):
        read = parse(data)
        assert read.data == data
        assert problem in read.problem
        assert read.cells[0].source == "x"
        with pytest.raises(NotebookReadOnly, match="can't be changed"):
            set_source(read, "c0", "y")


def test_halves_of_surrogate_pairs_survive() -> None:
    data = JUPYTER.write(small("x")).replace(b'"x"', b'"a\\ud800"')
    read = parse(data)
    assert read.data == data
    edited = set_source(read, "c0", "a\ud800\n\udfff✓")
    assert b'"a\\ud800\\n",' in edited.data
    assert b'"\\udfff\xe2\x9c\x93"' in edited.data
    assert edited.cells[0].source == "a\ud800\n\udfff✓"


def test_fifty_megabytes_are_read_and_edited() -> None:
    found = small("x", "y")
    picture = "A" * 50_000_000
    found["cells"][0]["outputs"] = [
        {"data": {"image/png": picture}, "metadata": {}, "output_type": "display_data"}
    ]
    data = JUPYTER.write(found)
    edited = set_source(parse(data), "c1", "z")
    assert edited.data == data.replace(b'"y"', b'"z"')


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_any_damage_is_read_or_said(data: st.DataObject) -> None:
    whole = JUPYTER.write(notebook(Random(data.draw(st.integers(0, 50)))))
    at = data.draw(st.integers(0, len(whole)))
    length = data.draw(st.integers(0, 20))
    noise = data.draw(
        st.one_of(
            st.binary(max_size=6), st.sampled_from([b'"', b"{", b"]", b"\\u", b"1e999", b"}"])
        )
    )
    damaged = whole[:at] + noise + whole[at + length :]
    try:
        read = parse(damaged)
    except NotebookBroken:
        return
    assert read.data == damaged
    for cell in read.cells:
        if not read.problem:
            assert set_source(read, cell.id, "new\ntext").cell(cell.id).source == "new\ntext"
