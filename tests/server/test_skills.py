"""Skills over HTTP: kept by version, read-only where they are not one's own, agreed to by hash."""

import httpx
import pytest

from tests.server.shelf import NOBODY, Json, Kept, Shelf
from tests.skills.shelf import TIDES, skill_text

pytestmark = pytest.mark.anyio

REFEREE: Json = {"name": " Referee ", "prompt": "Say what it claims."}
WHOLE: Json = {
    "description": "",
    "color": None,
    "files": [],
    "tools": [],
    "model": None,
    **REFEREE,
}


async def listed(project: Kept) -> dict[str, Json]:
    return {item["name"]: item for item in (await project.ask("GET", "/skills"))["items"]}


def lay(project: Kept, text: str = skill_text()) -> None:
    file = project.folder / TIDES
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


async def test_a_new_project_has_the_built_in_skills_and_an_example_of_its_own(
    shelf: Shelf,
) -> None:
    project = await shelf.project()
    skills = await listed(project)
    assert list(skills) == ["Code Review", "Debug Mode", "Concise", "Educational", "Proofread"]
    assert [skill["source"] for skill in skills.values()] == ["built-in"] * 4 + ["own"]
    concise = skills["Concise"]
    assert concise.pop("prompt").startswith("Answer as briefly")
    assert concise.pop("tokenCount") > 50
    assert concise.pop("color").startswith("#")
    assert concise == {
        "id": "builtin.concise",
        "name": "Concise",
        "description": "Short answers, nothing besides.",
        "isBuiltIn": True,
        "source": "built-in",
        "path": None,
        "trusted": True,
        "problem": None,
        "hash": None,
        "files": [],
        "tools": [],
        "model": None,
        "createdAt": None,
        "lastUsedAt": None,
        "version": 1,
    }


async def test_a_skill_is_made_changed_by_version_and_removed(shelf: Shelf) -> None:
    project = await shelf.project()
    made = await project.ask("POST", "/skills", REFEREE, status=201)
    assert (made["name"], made["source"], made["version"]) == ("Referee", "own", 1)
    path = f"/skills/{made['id']}"
    assert await project.ask("GET", path) == made

    await project.ask("PUT", path, WHOLE, status=428)
    changed = await project.ask("PUT", path, WHOLE | {"model": "a/b"}, version=1)
    assert (changed["model"], changed["version"]) == ("a/b", 2)
    await project.ask("PUT", path, WHOLE, version=1, status=412)

    await project.ask("DELETE", path, status=204)
    await project.ask("GET", path, status=404)
    await project.ask("DELETE", path, status=404)


async def test_the_version_is_the_etag(shelf: Shelf) -> None:
    project = await shelf.project()
    answer = await shelf.client.post(f"/api/v1/projects/{project.id}/skills", json=REFEREE)
    assert (answer.status_code, answer.headers["etag"]) == (201, '"1"')


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"prompt": ""},
        {"prompt": "a\u200bb"},
        {"name": "a\u202e"},
        {"color": "red"},
        {"tools": ["rm -rf"]},
        {"files": [""]},
        {"more": 1},
    ],
)
async def test_what_can_not_be_kept_is_refused(shelf: Shelf, wrong: Json) -> None:
    project = await shelf.project()
    await project.ask("POST", "/skills", REFEREE | wrong, status=422)


async def test_what_is_not_the_users_own_refuses_change_with_a_reason(shelf: Shelf) -> None:
    project = await shelf.project()
    lay(project)
    for name, reason in (("Concise", "comes with Recto"), ("tides", "a file of the folder")):
        path = f"/skills/{(await listed(project))[name]['id']}"
        for refused in (
            await project.ask("PUT", path, WHOLE, version=1, status=403),
            await project.ask("DELETE", path, status=403),
        ):
            assert reason in refused["detail"]
            assert refused["remedy"]
    body = {"hash": "0" * 64, "trusted": True}
    await project.ask("PUT", "/skills/builtin.concise/trust", body, status=403)


async def test_a_found_skill_is_agreed_to_as_it_was_shown(shelf: Shelf) -> None:
    project = await shelf.project()
    lay(project)
    shown = (await listed(project))["tides"]
    assert (shown["path"], shown["trusted"], shown["source"]) == (TIDES, False, "folder")
    path = f"/skills/{shown['id']}/trust"
    lay(project, skill_text(body="Other."))
    await project.ask("PUT", path, {"hash": shown["hash"], "trusted": True}, status=409)
    now = (await listed(project))["tides"]
    agreed = await project.ask("PUT", path, {"hash": now["hash"], "trusted": True})
    assert agreed == now | {"trusted": True}
    taken = await project.ask("PUT", path, {"hash": now["hash"], "trusted": False})
    assert taken == now


async def test_other_tabs_learn_of_skills_and_of_agreement(shelf: Shelf) -> None:
    project = await shelf.project()
    lay(project)
    tides = (await listed(project))["tides"]
    heard: list[str] = []
    async with shelf.client.stream("GET", "/api/v1/events") as events:
        lines = events.aiter_lines()
        await anext(lines)
        made = await project.ask("POST", "/skills", REFEREE, status=201)
        body = {"hash": tides["hash"], "trusted": True}
        await project.ask("PUT", f"/skills/{tides['id']}/trust", body)
        async for line in lines:
            heard.append(line)
            if tides["id"] in line:
                break
    assert any(made["id"] in line for line in heard)


async def test_what_is_not_there_is_not_found(shelf: Shelf) -> None:
    project, other = await shelf.project(), await shelf.project()
    made = await project.ask("POST", "/skills", REFEREE, status=201)
    for path in (f"/skills/{made['id']}", "/skills/folder.00000000", "/skills/builtin.nothing"):
        await other.ask("GET", path, status=404)
    await other.ask("PUT", f"/skills/{made['id']}", WHOLE, version=1, status=404)
    await other.ask("DELETE", f"/skills/{made['id']}", status=404)
    await other.ask("GET", "/skills/what", status=422)
    nowhere = Kept(shelf.client, NOBODY, other.folder)
    await nowhere.ask("GET", "/skills", status=404)
    await nowhere.ask("POST", "/skills", REFEREE, status=404)
    await nowhere.ask("GET", "/skills/builtin.concise", status=404)


async def test_many_skills_come_in_pages(shelf: Shelf) -> None:
    project = await shelf.project()
    for name in ("one", "two"):
        await project.ask("POST", "/skills", REFEREE | {"name": name}, status=201)
    lay(project)
    pages: list[list[str]] = []
    cursor: str | None = None
    while True:
        params = httpx.QueryParams({"limit": 2} | ({"cursor": cursor} if cursor else {}))
        page = await project.ask("GET", "/skills", params=params)
        pages.append([item["name"] for item in page["items"]])
        cursor = page["nextCursor"]
        if cursor is None:
            break
    built_in = ["Code Review", "Debug Mode", "Concise", "Educational"]
    assert pages == [[*built_in, "two", "one"], ["Proofread", "tides"]]


async def test_a_built_in_or_found_skill_may_be_a_default(shelf: Shelf) -> None:
    project = await shelf.project(defaultSkillIds=["builtin.concise", "folder.0123abcd"])
    settings = (await project.ask("GET", ""))["settings"]
    assert settings["defaultSkillIds"] == ["builtin.concise", "folder.0123abcd"]
