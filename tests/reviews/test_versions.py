"""Versions: every edit of AI can be looked at, and gone back to."""

import codecs

import pytest

from tests.fakes.providers import calls
from tests.reviews.desk import Desk, create, edit

pytestmark = pytest.mark.anyio

OLD, NEW = "one\ntwo\n", "one\n2\n"
NOBODY = "0" * 26


async def versions(desk: Desk, name: str) -> list[dict[str, object]]:
    return (await desk.of_project("versions", path=name))["items"]


async def test_each_edit_is_a_version_with_the_text_before_and_after(desk: Desk) -> None:
    desk.put("a.md", OLD)
    turn = await desk.edit("a.md", "two", "2")
    await desk.edit("a.md", "one", "1")

    newest, oldest = await versions(desk, "a.md")

    assert (oldest["turnId"], oldest["tool"], oldest["kind"]) == (turn, "edit_file", "edited")
    assert await desk.get(f"versions/{oldest['id']}") == {"before": OLD, "after": NEW}
    assert await desk.get(f"versions/{newest['id']}") == {"before": NEW, "after": "1\n2\n"}


async def test_a_version_is_restored_whatever_came_later(desk: Desk) -> None:
    desk.put("a.md", OLD)
    await desk.edit("a.md", "two", "2")
    (version,) = await versions(desk, "a.md")
    desk.put("a.md", "something else\n")

    await desk.post(f"versions/{version['id']}/restore", {"side": "after"}, status=204)
    assert desk.read("a.md") == NEW
    await desk.post(f"versions/{version['id']}/restore", {"side": "before"}, status=204)
    assert desk.read("a.md") == OLD


async def test_the_version_of_a_file_that_is_gone_is_made_again(desk: Desk) -> None:
    await desk.work((create("a.md", NEW),))
    await desk.decide("a.md", "accept")
    (version,) = await versions(desk, "a.md")
    (desk.folder / "a.md").unlink()

    await desk.post(f"versions/{version['id']}/restore", {"side": "after"}, status=204)
    assert desk.read("a.md") == NEW
    assert await desk.get(f"versions/{version['id']}") == {"before": None, "after": NEW}
    problem = await desk.post(f"versions/{version['id']}/restore", {"side": "before"}, status=409)
    assert problem["detail"] == "There was no file before this edit."


SAID = "Müller said “no”.\nTwice.\n"


def in_form(encoding: str, mark: bytes = b"", ending: str = "\n") -> bytes:
    return mark + SAID.replace("\n", ending).encode(encoding)


FORMS = {
    "cp1252.txt": in_form("cp1252"),
    "utf-16-le.txt": in_form("utf-16-le", codecs.BOM_UTF16_LE),
    "utf-16-be.txt": in_form("utf-16-be", codecs.BOM_UTF16_BE, "\r\n"),
    "utf-8 with a mark.txt": in_form("utf-8", codecs.BOM_UTF8, "\r\n"),
    "latin-1.txt": b"M\xfcller\x81 said no.\nTwice.\n",
    "mixed.txt": b"M\xfcller said no.\r\nTwice.\n\rThrice.",
}


async def test_a_version_in_another_encoding_is_shown_and_restored_to_the_last_byte(
    desk: Desk,
) -> None:
    for name, data in FORMS.items():
        desk.put(name, data)
    await desk.work(tuple(edit(name, "Twice.", "Never.") for name in FORMS))
    for name, data in FORMS.items():
        file = desk.folder / name
        edited = file.read_bytes()
        (version,) = await versions(desk, name)
        shown = await desk.get(f"versions/{version['id']}")
        assert (shown["before"][:6], shown["after"].count("Never.")) == ("Müller", 1)
        for now in (edited, "in UTF-8: 日本\r\n".encode()):
            desk.put(name, now)
            for side, expected in (("before", data), ("after", edited)):
                await desk.post(f"versions/{version['id']}/restore", {"side": side}, status=204)
                assert file.read_bytes() == expected, (name, now, side)
        assert (await desk.of_project("file", path=name))["text"] == shown["after"]


async def test_a_text_that_the_file_could_not_hold_now_comes_back_in_its_own_form(
    desk: Desk,
) -> None:
    desk.put("a.txt", "日本\nTwo.\n")
    await desk.edit("a.txt", "Two.", "2.")
    (version,) = await versions(desk, "a.txt")
    desk.put("a.txt", "Müller\n".encode("cp1252"))
    await desk.post(f"versions/{version['id']}/restore", {"side": "before"}, status=204)
    assert desk.read("a.txt") == "日本\nTwo.\n"


async def test_what_is_no_text_is_not_restored_as_one(desk: Desk) -> None:
    await desk.work((calls("run_command", {"command": "printf '\\0' > a.bin"}),))
    (version,) = await versions(desk, "a.bin")

    assert await desk.get(f"versions/{version['id']}") == {"before": None, "after": None}
    await desk.post(f"versions/{version['id']}/restore", {"side": "after"}, status=415)


@pytest.mark.parametrize("path", ["../a.md", "/etc/passwd", "a\0b", ".git/config/../../x"])
async def test_a_hostile_path_is_refused(desk: Desk, path: str) -> None:
    for route in ("versions", "authorship", "authorship/statement"):
        where = f"/api/v1/projects/{desk.talk.project_id}/{route}"
        answer = await desk.talk.client.get(where, params={"path": path})
        assert answer.status_code in (403, 404, 422), (route, answer.text)


@pytest.mark.parametrize("bad", [NOBODY, "x", "'; drop table edits; --"])
async def test_an_id_that_nobody_gave_is_not_found(desk: Desk, bad: str) -> None:
    status = 404 if bad == NOBODY else 422
    await desk.get(f"reviews/{bad}", status)
    await desk.get(f"versions/{bad}", status)
    for verdict in ("accept", "reject"):
        await desk.post(f"reviews/{bad}/{verdict}", status=status)
        await desk.post(f"turns/{bad}/{verdict}", status=status)
        await desk.post(f"projects/{bad}/reviews/{verdict}", status=status)


async def test_a_hunk_that_is_not_there_is_refused_and_nothing_happens(desk: Desk) -> None:
    desk.put("a.md", OLD)
    await desk.edit("a.md", "two", "2")
    (hunk,) = await desk.hunks("a.md")

    problem = await desk.decide("a.md", "reject", [hunk["id"], "nothing"], status=409)
    assert (problem["detail"], problem["remedy"]) == (
        "The text changed.",
        "Look at the edit again.",
    )
    assert desk.read("a.md") == NEW
    await desk.decide("a.md", "accept", [], status=422)


async def test_a_review_that_is_over_is_not_found(desk: Desk) -> None:
    desk.put("a.md", OLD)
    await desk.edit("a.md", "two", "2")
    review = (await desk.reviews())["a.md"]
    await desk.decide("a.md", "accept")

    problem = await desk.get(f"reviews/{review['id']}", 404)
    assert problem["detail"] == "This edit does not wait for a review any more."


async def test_a_file_that_is_gone_can_be_accepted_and_not_rejected(desk: Desk) -> None:
    desk.put("a.md", OLD)
    await desk.edit("a.md", "two", "2")
    (desk.folder / "a.md").unlink()

    problem = await desk.decide("a.md", "reject", status=409)
    assert problem["detail"] == "a.md can't be put back. The file is gone."
    assert await desk.decide("a.md", "accept") == {"review": None}
    assert await desk.statuses("a.md") == ["accepted"]
