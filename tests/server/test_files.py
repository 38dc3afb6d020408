from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.served import Served

pytestmark = pytest.mark.anyio


async def project_address(client: httpx.AsyncClient) -> str:
    project = (await client.get("/api/v1/projects/current")).json()
    return f"/api/v1/projects/{project['id']}"


async def ask(recto: Served, resource: str, **params: Any) -> httpx.Response:
    async with recto.script() as script:
        return await script.get(f"{await project_address(script)}/{resource}", params=params)


async def test_a_folder_is_listed_folders_first_in_natural_order(recto: Served) -> None:
    for name in ("file10.md", "file2.md", ".hidden"):
        (recto.folder / name).touch()
    (recto.folder / "zebra").mkdir()
    listing = (await ask(recto, "folder")).json()
    assert [item["name"] for item in listing["items"]] == [
        "zebra",
        ".hidden",
        "file2.md",
        "file10.md",
    ]
    assert listing["nextCursor"] is None


async def test_a_long_folder_comes_in_pages(recto: Served) -> None:
    for number in range(5001):
        (recto.folder / f"{number}.txt").touch()
    async with recto.script() as script:
        address = await project_address(script)
        first = (await script.get(f"{address}/folder")).json()
        second = (
            await script.get(f"{address}/folder", params={"cursor": first["nextCursor"]})
        ).json()
    names = [item["name"] for item in first["items"] + second["items"]]
    assert names == [f"{number}.txt" for number in range(5001)]
    assert second["nextCursor"] is None


async def test_a_text_is_read_with_how_it_is_stored(recto: Served) -> None:
    (recto.folder / "a.md").write_bytes("\ufeffGrüße\r\n".encode())
    found = (await ask(recto, "file", path="a.md")).json()
    assert (found["text"], found["bom"], found["lineEnding"]) == ("Grüße\r\n", True, "crlf")
    facts = (await ask(recto, "file-facts", path="a.md")).json()
    assert facts == {name: value for name, value in found.items() if name != "text"}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("missing.md", 404),
        ("../outside.md", 422),
        ("link.md", 403),
        ("/etc/passwd", 422),
        ("binary.bin", 415),
        ("big.txt", 413),
        ("sub", 409),
        ("a\x00b", 422),
        ("x" * 5000, 422),
    ],
)
async def test_a_file_that_cannot_be_shown_says_why(
    emptied_recto: Served, tmp_path: Path, path: str, status: int
) -> None:
    (tmp_path / "outside.md").write_text("secret", encoding="utf-8")
    (emptied_recto.folder / "link.md").symlink_to(tmp_path / "outside.md")
    (emptied_recto.folder / "binary.bin").write_bytes(b"\x00\x01")
    (emptied_recto.folder / "big.txt").write_bytes(b"x" * 11_000_000)
    (emptied_recto.folder / "sub").mkdir()
    answer = await ask(emptied_recto, "file", path=path)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert "secret" not in answer.text


async def test_names_are_found_by_some_of_their_letters(recto: Served) -> None:
    (recto.folder / "manuscript").mkdir()
    (recto.folder / "manuscript" / "methods.md").touch()
    (recto.folder / "𝒜mts.md").touch()
    found = (await ask(recto, "file-names", query="mts")).json()
    by_path = {item["path"]: item["positions"] for item in found["items"]}
    assert found["total"] == 2
    assert by_path["𝒜mts.md"] == [2, 3, 4], "counted as JavaScript counts"
    assert "manuscript/methods.md" in by_path


async def test_the_names_of_one_folder_are_those_at_any_depth_that_git_does_not_ignore(
    recto: Served,
) -> None:
    for path in ("data/2024/a.csv", "data/b.csv", "data/raw.bin", "data-old/c.csv", "data.md"):
        (recto.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (recto.folder / path).touch()
    (recto.folder / ".gitignore").write_text("raw.bin\n", encoding="utf-8")
    found = (await ask(recto, "file-names", under="data", limit=10_000)).json()
    assert [item["path"] for item in found["items"]] == ["data/b.csv", "data/2024/a.csv"]
    assert found["total"] == 2, "only those in the folder count"
    assert (await ask(recto, "file-names", under="data/2024", limit=1)).json()["total"] == 1


@pytest.mark.parametrize("under", ["../", "nowhere", "data/b.csv", "/", "."])
async def test_a_folder_that_is_not_there_has_no_names(recto: Served, under: str) -> None:
    (recto.folder / "data").mkdir()
    (recto.folder / "data" / "b.csv").touch()
    assert (await ask(recto, "file-names", under=under)).json()["items"] == []


async def test_lines_are_found_by_their_text(recto: Served) -> None:
    (recto.folder / "a.md").write_text("one\n𝒜 Rayleigh criterion\n", encoding="utf-8")
    found = (await ask(recto, "search", query="rayleigh")).json()
    assert found["items"] == [
        {
            "path": "a.md",
            "line": 2,
            "column": found["items"][0]["column"],
            "text": "𝒜 Rayleigh criterion",
            "ranges": [[3, 11]],
        }
    ]


async def test_a_wrong_expression_says_what_is_wrong(recto: Served) -> None:
    answer = await ask(recto, "search", query="(", regex=True)
    assert answer.status_code == 422
    assert "Correct the pattern" in answer.json()["remedy"]


async def test_a_folder_without_git_has_no_state(recto: Served) -> None:
    state = (await ask(recto, "git")).json()
    assert (state["repository"], state["files"]) == (False, {})
