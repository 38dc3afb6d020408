"""The journal of outputs: whole after every crash, and never much larger than what it keeps."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.notebooks import CellOutputs, Displays
from recto.notebooks.live import outputs_journal
from recto.notebooks.live.outputs_journal import NotebookPlace, OutputsJournal, places_in
from tests.examples import examples

PLACE = NotebookPlace("p", "a.ipynb")
Said = tuple[str, dict[str, Any]]
TEXTS = st.text(alphabet="ab\r\n\b😀", max_size=6)


def named(kind: str, text: str, name: int) -> Said:
    transient = {"display_id": str(name)} if name else {}
    return kind, {"data": {"text/plain": text}, "metadata": {}, "transient": transient}


def printed(text: str, name: str) -> Said:
    return "stream", {"name": name, "text": text}


def cleared(wait: bool) -> Said:
    return "clear_output", {"wait": wait}


COUNT: Said = ("execute_input", {"execution_count": 3})
ERROR: Said = ("error", {"ename": "E", "evalue": "v", "traceback": ["t"]})
MESSAGES: st.SearchStrategy[Said] = st.one_of(
    st.builds(printed, TEXTS, st.sampled_from(["stdout", "stderr"])),
    st.builds(
        named,
        st.sampled_from(["display_data", "update_display_data"]),
        TEXTS,
        st.integers(0, 2),
    ),
    st.builds(cleared, st.booleans()),
    st.just(COUNT),
    st.just(ERROR),
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
    max_examples=examples(30),
)
@given(
    said=st.lists(st.tuples(st.sampled_from("xy"), MESSAGES), max_size=25),
    cut=st.integers(0) | st.none(),
)
def test_after_a_crash_at_any_byte_the_outputs_are_those_of_some_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[tuple[str, Said]], cut: int | None
) -> None:
    # Written anew often, or never: then it is cut, as a crash while a line is written would.
    monkeypatch.setattr(outputs_journal, "LARGE", 400 if cut is None else 1_000_000)
    for file in tmp_path.iterdir():
        file.unlink()
    with closing(OutputsJournal(tmp_path, PLACE)) as journal:
        moments = list(told(journal, said, tmp_path))
    if not said or cut is None:
        return
    (file,) = tmp_path.glob("*.jsonl")
    data = file.read_bytes()
    file.write_bytes(data[: cut % (len(data) + 1)])
    assert OutputsJournal(tmp_path, PLACE).outputs() in moments
    # Whoever goes on writing behind half a line loses nothing of their own.
    later = CellOutputs(Displays())
    with closing(OutputsJournal(tmp_path, PLACE)) as after:
        after.begin("z", later)
        later.take("stream", {"name": "stdout", "text": "late"})
        after.note("z", "stream", {"name": "stdout", "text": "late"})
    assert OutputsJournal(tmp_path, PLACE).outputs()["z"].outputs == later.outputs()


def told(
    journal: OutputsJournal, said: list[tuple[str, Said]], folder: Path
) -> Iterator[dict[str, Any]]:
    """Tell a journal all of it; what there is after each step, which the journal says, too."""
    displays = Displays()
    cells: dict[str, CellOutputs] = {}
    yield {}
    for cell_id, (kind, content) in said:
        if cell_id not in cells:
            cells[cell_id] = CellOutputs(displays)
            journal.begin(cell_id, cells[cell_id])
            yield moment(cells)
        cells[cell_id].take(kind, content)
        journal.note(cell_id, kind, content)
        assert OutputsJournal(folder, PLACE).outputs() == moment(cells)
        yield moment(cells)


def moment(cells: dict[str, CellOutputs]) -> dict[str, Any]:
    return {
        cell_id: outputs_journal.WantedOutputs(outputs.outputs(), outputs.execution_count)
        for cell_id, outputs in cells.items()
    }


def test_a_bar_without_an_end_and_one_that_floods_take_little_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs_journal, "LARGE", 20_000)
    journal, outputs = OutputsJournal(tmp_path, PLACE), CellOutputs(Displays(), limit=5000)
    journal.begin("a", outputs)
    for number in range(5000):
        for text in (f"\r{number} %", f"{number}\n"):
            outputs.take("stream", {"name": "stdout", "text": text})
            journal.note("a", "stream", {"name": "stdout", "text": text})
    journal.close()
    (file,) = tmp_path.iterdir()
    assert file.stat().st_size < 60_000
    found = OutputsJournal(tmp_path, PLACE).outputs()["a"].outputs
    assert found[0] == outputs.outputs()[0]


def test_what_is_from_before_a_crash_stays_until_a_file_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = OutputsJournal(tmp_path, PLACE)
    for cell_id in "ab":
        first.begin(cell_id, CellOutputs(Displays()))
        first.note(cell_id, "stream", {"name": "stdout", "text": cell_id})
    first.close()
    monkeypatch.setattr(outputs_journal, "LARGE", 10)
    second = OutputsJournal(tmp_path, PLACE)
    outputs = CellOutputs(Displays())
    second.begin("c", outputs)
    for _ in range(50):
        outputs.take("stream", {"name": "stdout", "text": "c"})
        second.note("c", "stream", {"name": "stdout", "text": "c"})
    assert set(OutputsJournal(tmp_path, PLACE).outputs()) == {"a", "b", "c"}
    second.forget("a")
    assert OutputsJournal(tmp_path, PLACE).outputs()["a"].outputs == []
    assert places_in(tmp_path) == [PLACE]
    second.clear()
    assert places_in(tmp_path) == []
    second.forget("a")
    assert list(tmp_path.iterdir()) == []
