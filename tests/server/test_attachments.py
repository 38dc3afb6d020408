"""Pictures kept for a note, and notes made with the folders that they lie in."""

from datetime import UTC

import pytest

from recto.projects import attachment_name, attachment_place
from tests.served import Served
from tests.server.test_file_operations import post
from tests.server.test_files import project_address
from tests.server.test_raw import png

pytestmark = pytest.mark.anyio


async def test_a_picture_is_kept_once_where_the_settings_say(recto: Served) -> None:
    (recto.folder / "notes").mkdir()
    (recto.folder / "notes" / "a.md").write_text("")
    async with recto.script() as script:
        address = f"{await project_address(script)}/attachments"

        async def keep(data: bytes, name: str) -> str:
            answer = await script.post(
                address, params={"note": "notes/a.md", "name": name}, content=data
            )
            assert answer.status_code == 201, answer.text
            return answer.json()["path"]

        assert await keep(png(), "curve.png") == "attachments/curve.png"
        assert await keep(png(), "curve.png") == "attachments/curve.png"
        assert await keep(png(2, 2), "curve.png") == "attachments/curve 2.png"
        assert await keep(png(3, 3), "../../.git/hooks/x[1].exe") == "attachments/x-1.png"
        assert (recto.folder / "attachments" / "curve 2.png").read_bytes() == png(2, 2)
        refused = await script.post(
            address, params={"name": "x.png"}, content=b"<script>1</script>"
        )
        assert refused.status_code == 415
        saved = (await script.get("/api/v1/preferences")).json()
        saved["editor"]["attachmentsFolder"] = "./pictures/new"
        tag = (await script.get("/api/v1/preferences")).headers["etag"]
        changed = await script.put("/api/v1/preferences", json=saved, headers={"if-match": tag})
        assert changed.status_code == 200, changed.text
        assert await keep(png(), "curve.png") == "notes/pictures/new/curve.png"
        saved["editor"]["attachmentsFolder"] = "/etc"
        tag = changed.headers["etag"]
        refused = await script.put("/api/v1/preferences", json=saved, headers={"if-match": tag})
        assert refused.status_code == 422
    assert sorted(path.name for path in recto.folder.iterdir()) == ["attachments", "notes"]


async def test_a_note_is_made_with_the_folders_it_lies_in(recto: Served) -> None:
    async with recto.script() as script:
        made = await post(script, "files", path="daily/2026/a.md", text="# A\n", parents=True)
        assert made.status_code == 201
        again = await post(script, "files", path="daily/2026/a.md", parents=True)
        assert again.status_code == 409
    assert (recto.folder / "daily" / "2026" / "a.md").read_text() == "# A\n"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("image.png", "picture 2026-11-18 19.46.40.png"),
        ("", "picture 2026-11-18 19.46.40.png"),
        ("a/b\\c:d|e.JPEG", "c-d-e.png"),
        ("Bild#1 [x]^%.png", "Bild-1 -x.png"),
        ("x" * 400 + ".png", "x" * 100 + ".png"),
    ],
)
def test_a_name_is_one_that_links_can_say(name: str, kept: str) -> None:
    assert attachment_name(name, "image/png", 1_795_031_200_000, UTC) == kept


def test_the_place_is_a_folder_of_the_project_or_beside_the_note() -> None:
    assert attachment_place("attachments/", "a/b.md") == "attachments"
    assert attachment_place("./", "a/b.md") == "a"
    assert attachment_place("../x", "a/b.md") == "x"
    assert attachment_place("../../x", "a/b.md") == ""
    assert attachment_place("", "a/b.md") == ""
