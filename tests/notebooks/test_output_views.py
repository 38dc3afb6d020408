"""Each form of an output as the page gets it: the one that says most, and what is missing."""

import base64
import json
from typing import Any

import pytest

from recto.notebooks import attached, html_of, parse, picture_of, text_of_output
from recto.notebooks.live.output_views import MAX_SHOWN, PART, view_of

PNG = base64.b64encode(b"\x89PNG").decode()
WIDGET = "application/vnd.jupyter.widget-view+json"


def shown(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": {}}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"text/plain": "1", "text/html": ["<b>", "1</b>"]}, ("text/html", "<b>1</b>")),
        ({"text/plain": "x", "text/latex": "$x$"}, ("text/latex", "$x$")),
        ({"text/plain": "x", "text/markdown": "# x"}, ("text/markdown", "# x")),
        ({"text/plain": "x", "image/png": PNG}, ("image/png", None)),
        ({"image/jpeg": PNG}, ("image/jpeg", None)),
        ({"image/png": PNG, "image/svg+xml": "<svg/>"}, ("image/svg+xml", None)),
        ({"application/x-odd": "1"}, ("", "application/x-odd")),
    ],
)
def test_the_form_that_says_most_is_shown(data: dict[str, Any], told: tuple[str, Any]) -> None:
    view = view_of(shown(**data))
    assert (view["type"], view.get("text")) == told
    assert not view["isWidget"]


def test_json_is_a_tree_and_a_widget_is_its_text() -> None:
    assert view_of(shown(**{"application/json": {"a": [1]}}))["json"] == {"a": [1]}
    large = view_of(shown(**{"application/json": list(range(100_000))}))
    assert (large["type"], "json" in large) == ("text/plain", False)
    view = view_of(shown(**{WIDGET: {}, "text/html": "<b/>", "text/plain": "IntSlider(value=1)"}))
    assert (view["text"], view["isWidget"]) == ("IntSlider(value=1)", True)
    assert view_of(shown(**{WIDGET: {}}))["isWidget"]


def test_a_long_text_is_shown_by_part_and_kept_whole() -> None:
    output = {"output_type": "stream", "name": "stderr", "text": ["a" * MAX_SHOWN, "end"]}
    view = view_of(output)
    assert (view["name"], len(view["text"]), view["tail"][-3:]) == ("stderr", PART, "end")
    assert view["omitted"] == MAX_SHOWN + 3 - 2 * PART
    assert text_of_output(output) == "a" * MAX_SHOWN + "end"


def test_pictures_and_pages_are_read_whole() -> None:
    assert picture_of(shown(**{"image/png": PNG})) == ("image/png", b"\x89PNG")
    assert picture_of(shown(**{"image/png": "!"})) is None
    assert picture_of(shown(**{"image/svg+xml": "<svg/>"})) == ("image/svg+xml", b"<svg/>")
    assert html_of(shown(**{"text/html": ["<b>", "</b>"]})) == "<b></b>"
    assert html_of(shown(**{"text/plain": "x"})) is None


def test_a_picture_for_fine_screens_has_the_width_that_it_was_made_for() -> None:
    made = {**shown(**{"image/png": PNG}), "metadata": {"image/png": {"width": 320}}}
    assert view_of(made)["width"] == 320
    for odd in ({}, {"width": "wide"}, {"width": -1}, 3):
        assert "width" not in view_of({**made, "metadata": {"image/png": odd}})


def test_a_picture_that_a_text_carries_is_found_by_its_name() -> None:
    carried = {"a b.png": {"image/png": PNG}, "odd": 3}
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": [], "attachments": carried},
        {"cell_type": "markdown", "id": "b", "metadata": {}, "source": []},
    ]
    book: dict[str, Any] = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    notebook = parse(json.dumps(book).encode())
    assert picture_of(attached(notebook, "a", "a b.png")) == ("image/png", b"\x89PNG")
    for cell, name in (("a", "odd"), ("a", "gone"), ("b", "a b.png"), ("c", "a b.png")):
        assert picture_of(attached(notebook, cell, name)) is None
