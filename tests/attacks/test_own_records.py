"""Recto's own home is never served or attached, and no answer stays in a browser's cache."""

from pathlib import Path

import pytest

from recto.config import Home, Secret, save_keys
from tests.served import Served, served

pytestmark = pytest.mark.anyio


async def project_of(recto: Served) -> str:
    async with recto.script() as script:
        return (await script.get("/api/v1/projects/current")).json()["id"]


@pytest.mark.parametrize("place", ["share/recto", "recto-home"])
async def test_a_home_inside_the_folder_is_closed(tmp_path: Path, place: str) -> None:
    home = tmp_path / "folder" / place
    home.mkdir(parents=True)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("canary-7e1")})
    (tmp_path / "folder" / "way-in").symlink_to(place)
    async with served(home, tmp_path / "folder") as recto, recto.script() as script:
        project = f"/api/v1/projects/{await project_of(recto)}"
        for path in (f"{place}/keys.env", "way-in/keys.env", f"{place}/recto.db"):
            for route in ("file", "file-part", "raw"):
                answer = await script.get(f"{project}/{route}", params={"path": path})
                assert answer.status_code in {403, 404}, (route, path)
                assert "canary" not in answer.text
        tree = await script.get(f"{project}/folder", params={"path": place})
        assert tree.status_code == 403
        found = await script.get(f"{project}/search", params={"query": "canary"})
        assert "keys.env" not in found.text


async def test_answers_are_not_kept_by_browsers_and_proxies(recto: Served) -> None:
    (recto.folder / "a.md").write_text("one\n", encoding="utf-8")
    project = f"/api/v1/projects/{await project_of(recto)}"
    async with recto.script() as script:
        for path in ("/api/v1/projects", f"{project}/folder", "/api/v1/health", "/api/v1/nowhere"):
            answer = await script.get(path)
            assert answer.headers["cache-control"] == "no-store", path
        page = await script.get("/", headers={"accept": "text/html"})
        assert page.headers.get_list("cache-control") == [page.headers["cache-control"]]
