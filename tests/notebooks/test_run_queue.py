"""The queue of a notebook's runs: it goes on while the disk is slow, and says why it ended."""

from pathlib import Path

import anyio
import pytest

from recto.documents import DocumentState
from recto.notebooks.kernels.kernels import Kernels
from tests.notebooks.places import kernel_home
from tests.notebooks.test_live import bench, content, watching

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_home(tmp_path_factory, monkeypatch)


async def test_the_next_run_does_not_wait_for_the_disk_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = content(a="x = 1\nprint(x)", b="print(x + 1)")
    async with bench(tmp_path, data) as one, watching(one) as (live, page):
        is_saving, may_end, save = anyio.Event(), anyio.Event(), live.document.save

        async def save_slowly() -> DocumentState:
            is_saving.set()
            await may_end.wait()
            return await save()

        monkeypatch.setattr(live.document, "save", save_slowly)
        live.run(["a"])
        with anyio.fail_after(60):
            await is_saving.wait()
        live.run(["b"])
        await page.until(lambda: page.text("b") == "2\n")
        await page.until_done()
        # Both are in no file yet: what the AI runs meanwhile must not have them forgotten.
        live.written()
        (journal,) = (tmp_path / "records").iterdir()
        assert all(f'"text": "{number}\\n"' in journal.read_text("utf-8") for number in (1, 2))
        may_end.set()
        await page.until(lambda: not list((tmp_path / "records").iterdir()))
        assert [one.outputs(name)[0]["text"] for name in "ab"] == [["1\n"], ["2\n"]]


async def test_a_save_that_fails_ends_no_run_that_was_asked_for_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = content(a="x = 1", b="y = input()", c="print(x + 1)")
    async with bench(tmp_path, data) as one, watching(one) as (live, page):
        is_saving, may_end, save = anyio.Event(), anyio.Event(), live.document.save

        async def fail_once() -> DocumentState:
            monkeypatch.setattr(live.document, "save", save)
            is_saving.set()
            await may_end.wait()
            raise OSError("odd words")

        monkeypatch.setattr(live.document, "save", fail_once)
        live.run(["a"])
        with anyio.fail_after(60):
            await is_saving.wait()
        live.run(["b", "c"])
        await page.until(lambda: page.state["asked"] is not None)
        may_end.set()
        await page.until(lambda: "odd words" in page.state["problem"])
        assert live.answer("b", "")
        await page.until(lambda: page.text("c") == "2\n")


async def test_a_run_that_fails_in_a_way_nobody_foresaw_ends_and_says_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun = anyio.Event()

    async def break_down(_: Kernels, __: str, **___: object) -> None:
        has_begun.set()
        raise ZeroDivisionError("of the disk")

    monkeypatch.setattr(Kernels, "get", break_down)
    async with bench(tmp_path, content(a="1", b="2")) as one, watching(one) as (live, page):
        live.run(None)
        await page.until(lambda: bool(page.state["problem"]))
        await page.until_done()
        assert "ZeroDivisionError: of the disk" in page.state["problem"]
        has_begun = anyio.Event()
        live.run(["b"])
        with anyio.fail_after(60):
            await has_begun.wait()  # the next run begins
