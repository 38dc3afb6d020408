"""Contexts and token counts over HTTP."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.colours import colour_of
from recto.tokenizer import tokenize
from tests.served import Served, served

pytestmark = pytest.mark.anyio

METHODS = "We read the tide gauge at Brest every hour.\n"
FIT = "def fit(levels):\n    return sum(levels) / len(levels)\n"


@dataclass(frozen=True, slots=True)
class Desk:
    """A script at work in a project."""

    script: httpx.AsyncClient
    folder: Path
    project_id: str

    @property
    def contexts(self) -> str:
        return f"/api/v1/projects/{self.project_id}/contexts"

    async def make(self, name: str, *files: str) -> dict[str, Any]:
        answer = await self.script.post(self.contexts, json={"name": name, "files": files})
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def calculate(self, **choice: object) -> httpx.Response:
        address = f"/api/v1/projects/{self.project_id}/tokens/calculate"
        return await self.script.post(address, json=choice)


@pytest.fixture(scope="module")
async def recto(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    around = tmp_path_factory.mktemp("contexts")
    async with served(around / "home", around / "folder") as running:
        yield running


@pytest.fixture
async def desk(recto: Served, tmp_path: Path) -> AsyncGenerator[Desk]:
    """A project of its own for each test."""
    folder = tmp_path / "x" / "data"
    (folder / "analysis").mkdir(parents=True)
    (folder / "methods.md").write_text(METHODS, encoding="utf-8")
    (folder / "analysis" / "fit.py").write_text(FIT, encoding="utf-8")
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (tmp_path / "x" / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "way-out").symlink_to("../secret.txt")
    async with recto.script() as script:
        answer = await script.post("/api/v1/projects", json={"path": str(folder)})
        yield Desk(script, folder, answer.json()["id"])


async def test_a_context_is_kept_counted_and_listed_the_newest_first(desk: Desk) -> None:
    made = await desk.script.post(
        desk.contexts, json={"name": " Methods ", "files": ["methods.md", "gone.md", "methods.md"]}
    )
    await desk.make("Code", "analysis/fit.py")
    listed = (await desk.script.get(desk.contexts)).json()
    one = await desk.script.get(f"{desk.contexts}/{made.json()['id']}")

    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    assert made.json() == {
        "id": made.json()["id"],
        "projectId": desk.project_id,
        "name": "Methods",
        "files": ["methods.md", "gone.md"],
        "color": colour_of("Methods"),
        "tokenCount": tokenize(METHODS).total,
        "tokenCountUpdatedAt": made.json()["tokenCountUpdatedAt"],
        "missingFiles": ["gone.md"],
        "createdAt": made.json()["createdAt"],
        "lastUsedAt": None,
        "version": 1,
    }
    assert [context["name"] for context in listed["items"]] == ["Code", "Methods"]
    assert listed["items"][0]["tokenCount"] == tokenize(FIT).total
    assert one.json() | {"tokenCountUpdatedAt": 0} == made.json() | {"tokenCountUpdatedAt": 0}


async def test_lists_come_in_pages(desk: Desk) -> None:
    names = [f"context {number}" for number in range(5)]
    for name in names:
        await desk.make(name)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = await desk.script.get(
            desk.contexts, params={"limit": 2, **({"cursor": cursor} if cursor else {})}
        )
        seen += [item["name"] for item in page.json()["items"]]
        cursor = page.json()["nextCursor"]
        if cursor is None:
            break
    wrong = await desk.script.get(desk.contexts, params={"cursor": "none of ours"})

    assert seen == names[::-1]
    assert wrong.status_code == 422


async def test_a_change_names_the_version_it_is_based_on(desk: Desk) -> None:
    made = await desk.make("Methods", "methods.md")
    address = f"{desk.contexts}/{made['id']}"
    body = {"name": "All", "files": ["methods.md", "analysis/fit.py"], "color": "#000000"}

    none = await desk.script.put(address, json=body)
    done = await desk.script.put(address, json=body, headers={"if-match": '"1"'})
    stale = await desk.script.put(address, json=body, headers={"if-match": '"1"'})
    plain = await desk.script.put(
        address, json={"name": "All", "files": []}, headers={"if-match": '"2"'}
    )

    assert [item.status_code for item in (none, done, stale, plain)] == [428, 200, 412, 200]
    assert done.headers["etag"] == '"2"'
    assert {key: done.json()[key] for key in ("name", "files", "color", "tokenCount")} == {
        **body,
        "tokenCount": tokenize(METHODS).total + tokenize(FIT).total,
    }
    assert (plain.json()["color"], plain.json()["tokenCount"]) == (colour_of("All"), 0)


async def test_a_deleted_context_is_gone_and_its_files_stay(desk: Desk) -> None:
    made = await desk.make("Methods", "methods.md")
    address = f"{desk.contexts}/{made['id']}"

    deleted = await desk.script.delete(address)
    again = await desk.script.delete(address)
    found = await desk.script.get(address)
    counted = await desk.calculate(contextIds=[made["id"]])

    assert deleted.status_code == 204
    assert {again.status_code, found.status_code, counted.status_code} == {404}
    assert (desk.folder / "methods.md").exists()


async def test_a_context_of_another_project_is_not_found(desk: Desk, tmp_path: Path) -> None:
    made = await desk.make("Methods", "methods.md")
    (tmp_path / "other").mkdir()
    answer = await desk.script.post("/api/v1/projects", json={"path": str(tmp_path / "other")})
    other = Desk(desk.script, tmp_path / "other", answer.json()["id"])
    address = f"{other.contexts}/{made['id']}"

    body: dict[str, object] = {"name": "Mine", "files": []}
    tries = [
        await desk.script.get(address),
        await desk.script.put(address, json=body, headers={"if-match": '"1"'}),
        await desk.script.delete(address),
        await other.calculate(contextIds=[made["id"]]),
        await desk.script.get(f"/api/v1/projects/{'0' * 26}/contexts"),
        await desk.script.post(f"/api/v1/projects/{'0' * 26}/contexts", json=body),
    ]

    assert {attempt.status_code for attempt in tries} == {404}
    assert (await desk.script.get(f"{desk.contexts}/{made['id']}")).json()["name"] == "Methods"


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "/etc/passwd", "way-out", "analysis/../methods.md", "a//b", "x/", "x" * 256],
)
async def test_a_path_outside_the_folder_is_refused_by_name(desk: Desk, path: str) -> None:
    made = await desk.make("Methods", "methods.md")
    body = {"name": "Out", "files": ["methods.md", path]}
    tries = [
        await desk.script.post(desk.contexts, json=body),
        await desk.script.put(
            f"{desk.contexts}/{made['id']}", json=body, headers={"if-match": '"1"'}
        ),
        await desk.calculate(files=["methods.md", path]),
    ]
    for answer in tries:
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        assert path[:150] in answer.json()["detail"]
        assert "secret" not in answer.json()["detail"].replace(path, "")
    assert len((await desk.script.get(desk.contexts)).json()["items"]) == 1


async def test_half_a_letter_is_no_path(desk: Desk) -> None:
    answer = await desk.script.post(
        desk.contexts,
        content=b'{"name": "Half", "files": ["\\ud800"]}',
        headers={"content-type": "application/json"},
    )

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


async def test_t23_deduplicated_counts_a_file_once_and_skills_go_by_id(desk: Desk) -> None:
    first = await desk.make("First", "methods.md")
    second = await desk.make("Second", "methods.md", "analysis/fit.py")
    concise = await desk.script.get(f"/api/v1/projects/{desk.project_id}/skills/builtin.concise")
    prompt = tokenize(concise.json()["prompt"]).total
    methods, fit = tokenize(METHODS).total, tokenize(FIT).total

    answer = await desk.calculate(
        files=["methods.md", "photo.png", "gone.md"],
        contextIds=[first["id"], second["id"], first["id"]],
        skillIds=["builtin.concise"],
        additionalPrompt="Answer in French.",
    )

    extra = tokenize("Answer in French.").total
    assert answer.status_code == 200
    assert answer.json() == {
        "totalTokens": 3 * methods + fit + prompt + extra,
        "deduplicatedTokens": methods + fit + prompt + extra,
        "fileTokens": {"analysis/fit.py": fit, "methods.md": methods, "photo.png": 0},
        "contextTokens": {first["id"]: methods, second["id"]: methods + fit},
        "skillTokens": {"builtin.concise": prompt},
        "additionalPromptTokens": extra,
        "overlappingFiles": ["methods.md"],
        "missingFiles": ["gone.md"],
        "unreadable": [{"path": "photo.png", "reason": '"photo.png" is not a text file.'}],
    }


async def test_nothing_chosen_takes_nothing(desk: Desk) -> None:
    answer = await desk.calculate()

    assert (answer.status_code, answer.json()["totalTokens"]) == (200, 0)
    assert answer.json()["fileTokens"] == {}


async def test_a_count_follows_the_file(desk: Desk) -> None:
    made = await desk.make("Methods", "methods.md")
    (desk.folder / "methods.md").write_text("Short.", encoding="utf-8")
    shorter = await desk.script.get(f"{desk.contexts}/{made['id']}")
    (desk.folder / "methods.md").unlink()
    gone = await desk.script.get(f"{desk.contexts}/{made['id']}")

    assert shorter.json()["tokenCount"] == tokenize("Short.").total
    assert (gone.json()["tokenCount"], gone.json()["missingFiles"]) == (0, ["methods.md"])


async def test_a_context_whose_file_became_a_way_out_is_counted_without_it(desk: Desk) -> None:
    made = await desk.make("Methods", "methods.md", "analysis/fit.py")
    (desk.folder / "methods.md").unlink()
    (desk.folder / "methods.md").symlink_to("../secret.txt")

    answer = await desk.calculate(contextIds=[made["id"]])

    assert answer.json()["contextTokens"] == {made["id"]: tokenize(FIT).total}
    assert [item["path"] for item in answer.json()["unreadable"]] == ["methods.md"]


async def test_contexts_outlive_their_folder(desk: Desk) -> None:
    made = await desk.make("Methods", "methods.md")
    desk.folder.rename(desk.folder.parent / "moved")

    listed = await desk.script.get(desk.contexts)
    counted = await desk.calculate(contextIds=[made["id"]])

    assert (listed.status_code, counted.status_code) == (200, 404)
    assert [(item["tokenCount"], item["name"]) for item in listed.json()["items"]] == [
        (None, "Methods")
    ]


async def test_ten_thousand_files_are_counted_and_one_more_is_refused(desk: Desk) -> None:
    paths = [
        f"folder/with/a/long/name/to/fill/the/body/{number:05}.txt" for number in range(10_001)
    ]
    most = await desk.make("Most", *paths[:10_000])

    over = await desk.calculate(files=paths)
    together = await desk.calculate(files=paths[-1:], contextIds=[most["id"]])
    just = await desk.calculate(files=paths[:10_000])

    assert (over.status_code, together.status_code, just.status_code) == (422, 422, 200)
    assert "10,001 files" in together.json()["detail"]
    assert just.json()["missingFiles"] == paths[:10_000]
