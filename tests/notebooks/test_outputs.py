"""What a kernel sends becomes outputs: merged, written over, cleared, updated, bounded."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recto.notebooks import CellOutputs, Displays
from recto.notebooks.kernels.stream_text import StreamText


def stream(text: str, name: str = "stdout") -> tuple[str, dict[str, Any]]:
    return "stream", {"name": name, "text": text}


def shown(
    data: dict[str, Any], *, display_id: str = "", kind: str = "display_data"
) -> tuple[str, dict[str, Any]]:
    transient = {"display_id": display_id} if display_id else {}
    return kind, {"data": data, "metadata": {}, "transient": transient}


def collect(*messages: tuple[str, dict[str, Any]], limit: int = 1000) -> list[dict[str, Any]]:
    outputs = CellOutputs(Displays(), limit=limit)
    for message in messages:
        outputs.take(*message)
    return outputs.outputs()


def printed(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"name": name, "output_type": "stream", "text": text}


def test_pieces_of_one_stream_become_one_output() -> None:
    found = collect(stream("a"), stream("b\n"), stream("E", "stderr"), stream("c"))
    assert found == [printed("ab\n"), printed("E", "stderr"), printed("c")]


def test_a_line_that_is_written_over_has_its_last_state() -> None:
    bar = [stream(f"\r{done:3}%") for done in range(0, 101, 10)]
    assert collect(stream("go\n"), *bar, stream("\nend")) == [printed("go\n100%\nend")]
    assert collect(stream("abc\rX")) == [printed("Xbc")]
    assert collect(stream("abd\bc\b\b\b\b\bA")) == [printed("Abc")]
    assert collect(stream("one\r"), stream("\ntwo\r\n")) == [printed("one\ntwo\n")]


def test_clearing_waits_for_the_next_output_if_told_so() -> None:
    now, later = ("clear_output", {"wait": False}), ("clear_output", {"wait": True})
    assert collect(stream("a"), now) == []
    assert collect(stream("a"), later) == [printed("a")]
    assert collect(stream("a"), later, stream("b")) == [printed("b")]


def test_a_named_display_is_updated_in_whichever_cell_it_is() -> None:
    displays = Displays()
    first, second = CellOutputs(displays), CellOutputs(displays)
    first.take(*shown({"text/plain": "0 %"}, display_id="bar"))
    first.is_changed = False
    second.take(*shown({"text/plain": "100 %"}, display_id="bar", kind="update_display_data"))
    assert first.is_changed
    assert first.outputs() == [
        {"data": {"text/plain": "100 %"}, "metadata": {}, "output_type": "display_data"}
    ]
    assert second.outputs() == []
    displays.forget(first)
    second.take(*shown({"text/plain": "late"}, display_id="bar", kind="update_display_data"))
    assert first.outputs()[0]["data"] == {"text/plain": "100 %"}


def test_names_of_displays_are_those_of_their_outputs() -> None:
    displays = Displays()
    first, second = CellOutputs(displays), CellOutputs(displays)
    for number in range(1_001):
        owner = second if number % 2 else first
        owner.take(*shown({"text/plain": str(number)}, display_id=f"d{number}"))
    assert displays.name_of(first.outputs()[0]) is None, "too many are named: the oldest is not"
    assert displays.name_of(second.outputs()[0]) == "d1"
    assert displays.name_of(first.outputs()[-1]) == "d1000"
    kept = first.outputs()[-1]
    displays.forget(first)
    assert displays.name_of(kept) is None
    assert displays.name_of(second.outputs()[-1]) == "d999"


def test_too_much_is_counted_and_left_out() -> None:
    told = "[1,500 more characters are left out: this is too much for a cell.]\n"
    assert collect(stream("x" * 2500)) == [printed("x" * 1000), printed(told, "stderr")]
    picture = shown({"image/png": "A" * 2000})
    assert [item["output_type"] for item in collect(stream("a"), picture)] == ["stream", "stream"]
    endless = CellOutputs(Displays(), limit=1000)
    for _ in range(10_000):
        endless.take(*stream("\rprogress"))
    assert endless.outputs() == [printed("progress")]


def test_what_has_another_form_becomes_words_or_nothing() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    found = collect(
        ("stream", {"name": 3, "text": None}),
        shown({"application/json": deep}),
        ("display_data", {"data": "no object"}),
        ("error", {"ename": 1, "traceback": [2]}),
        ("update_display_data", {}),
        ("no_such_kind", {}),
    )
    assert found == [
        printed("None"),
        {
            "data": {"text/plain": "[an output that is nested too deeply]"},
            "metadata": {},
            "output_type": "display_data",
        },
        {"data": {}, "metadata": {}, "output_type": "display_data"},
        {"ename": "1", "evalue": "", "output_type": "error", "traceback": ["2"]},
    ]


@given(st.text(alphabet="ab\r\n\b", max_size=30), st.lists(st.integers(0, 30), max_size=5))
def test_how_a_text_is_cut_into_pieces_makes_no_difference(text: str, cuts: list[int]) -> None:
    whole, pieces = StreamText(1000), StreamText(1000)
    whole.add(text)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    for start, end in zip(places, places[1:], strict=False):
        pieces.add(text[start:end])
    assert pieces.value == whole.value


@given(pieces=st.lists(st.text(alphabet="ab\n\r\b", max_size=8)), limit=st.integers(0, 20))
def test_printed_text_is_what_a_cursor_that_moves_sign_by_sign_leaves(
    pieces: list[str], limit: int
) -> None:
    text, signs, cursor, line, dropped = StreamText(limit), list[str](), 0, 0, 0
    for piece in pieces:
        text.add(piece)
        for sign in piece:
            if sign == "\r":
                cursor = line
            elif sign == "\b":
                cursor = max(line, cursor - 1)
            else:
                cursor = len(signs) if sign == "\n" else cursor
                if cursor < limit:
                    signs[cursor : cursor + 1] = [sign]
                    cursor += 1
                else:
                    dropped += 1
                line = cursor if sign == "\n" else line
    assert (text.value, text.settled, text.dropped) == ("".join(signs), line, dropped)
