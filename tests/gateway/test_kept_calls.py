"""Prompts and answers: none is kept unless an account's operator has switched it on."""

import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from recto.gateway import KeptCalls
from recto.gateway.kept_calls import AnsweredCall
from recto.gateway.kept_words import answered_words, asked_words
from recto.storage import DatabaseFull, KeptCall
from tests.fakes.callers import ANYBODY, KEY
from tests.fakes.providers import Fault, Gate, says
from tests.gateway.keeper import Keeper, keeper
from tests.gateway.served import ServedGateway, served_gateway
from tests.gateway.test_doors import DOORS, STREAMED, asked
from tests.gateway.test_whole_gateway import ASKED, AnthropicServer, key_of, lay_models
from tests.gateway.world import UPSTREAMS, GatewayWorld, running_gateway

__all__ = ["keeper"]

pytestmark = pytest.mark.anyio

PROMPT = "canary-of-a-prompt"
ANSWER = "canary-of-an-answer"
QUESTION = "When is high water?"
EVERYWHERE = {**DOORS, "gemini-array": "/v1beta/models/{model}:streamGenerateContent"}


def canary(door: str, model: str, *, is_streamed: bool) -> dict[str, Any]:
    body = json.dumps(asked(door, model)).replace('"Hi"', f'"{PROMPT}"')
    more = {"stream": True} if is_streamed and not door.startswith("gemini") else {}
    return {**json.loads(body), **more}


async def ask_everywhere(world: GatewayWorld) -> int:
    """Every door to every upstream, streamed and not: how many calls that were."""
    count = 0
    async with world.client() as client:
        for model in UPSTREAMS:
            for paths, is_streamed in ((EVERYWHERE, False), (STREAMED, True)):
                for name, path in paths.items():
                    world.upstreams[model].answer(says(ANSWER))
                    body = canary(name.removesuffix("-array"), model, is_streamed=is_streamed)
                    answer = await client.post(path.replace("{model}", model), json=body)
                    assert answer.status_code == 200, answer.text
                    assert ANSWER in answer.text
                    count += 1
    return count


async def found_in_files(folder: Path, *needles: str) -> list[str]:
    """The files in which any of some words stand."""
    found: list[str] = []
    async for path in anyio.Path(folder).rglob("*"):
        if await path.is_file():
            data = await path.read_bytes()
            found += [path.name for needle in needles if needle.encode() in data]
    return found


@pytest.fixture
async def keeping(tmp_path: Path) -> AsyncGenerator[GatewayWorld]:
    """A gateway whose caller's calls are kept."""
    async with running_gateway(tmp_path) as world:
        async with world.storage.write() as write:
            await world.storage.accounts.add(write, id=ANYBODY.account_id, name="ann")
            await world.storage.kept_calls.keep_for(write, ANYBODY.account_id, 30)
        world.callers.known = {KEY: replace(ANYBODY, keeps_calls=True)}
        yield world


async def test_nothing_is_kept_while_it_is_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[AnsweredCall] = []

    async def keep(_: KeptCalls, call: AnsweredCall) -> None:
        kept.append(call)

    monkeypatch.setattr(KeptCalls, "keep", keep)
    async with running_gateway(tmp_path) as world:
        assert await ask_everywhere(world) > 30
        assert kept == []
        assert await found_in_files(tmp_path, PROMPT, ANSWER) == []
        assert len(await world.spent()) > 30, "the calls were booked all the same"
    assert await found_in_files(tmp_path, PROMPT, ANSWER) == []
    assert PROMPT not in caplog.text
    assert ANSWER not in caplog.text


async def test_every_way_of_asking_is_kept_whole_and_can_be_read(
    keeping: GatewayWorld, keeper: Keeper
) -> None:
    count = await ask_everywhere(keeping)
    await keeper.until(count)
    kept = keeping.keeping
    calls = await all_of(keeping)
    assert len(calls) == count
    for call in calls:
        assert not call.is_cut
        assert call.status == 200
        assert call.model in UPSTREAMS
        words = await kept.read(ANYBODY.account_id, call.id)
        assert [said.text for said in words.asked] == [PROMPT]
        assert [(said.who, said.text) for said in words.answered] == [("assistant", ANSWER)]


async def all_of(world: GatewayWorld) -> list[KeptCall]:
    """Every kept call, page by page."""
    found = [*await world.keeping.of(ANYBODY.account_id)]
    while more := await world.keeping.of(ANYBODY.account_id, before=found[-1].id):
        found += more
    return found


async def test_the_very_bytes_are_kept(keeping: GatewayWorld, keeper: Keeper) -> None:
    async with keeping.client() as client:
        keeping.upstreams["claude"].answer(says(ANSWER * 200))
        body = canary("anthropic-messages", "claude", is_streamed=True)
        answer = await client.post("/v1/messages", json=body)
    await keeper.until(1)
    [call] = await keeping.keeping.of(ANYBODY.account_id)
    assert call.answered_bytes == len(answer.content)
    assert call.asked_bytes == len(answer.request.content)


async def test_an_answer_that_the_client_left_is_kept_as_far_as_it_came(
    keeping: GatewayWorld, keeper: Keeper
) -> None:
    gate, upstream, seen = Gate(), keeping.upstreams["claude"], b""
    upstream.answer(says(*["many words "] * 60), fault=Fault(hold_at=900, gate=gate))
    body = canary("anthropic-messages", "claude", is_streamed=True)
    async with (
        keeping.client() as client,
        client.stream("POST", "/v1/messages", json=body) as answer,
    ):
        async for piece in answer.aiter_raw():
            seen += piece
            if len(seen) >= 900:
                break
    # The upstream holds back the rest until the gateway has noticed that the client left.
    await keeper.until(1)
    gate.open()
    [call] = await keeping.keeping.of(ANYBODY.account_id)
    words = await keeping.keeping.read(ANYBODY.account_id, call.id)
    assert call.is_cut
    assert words.answered[0].text.startswith("many words ")
    assert words.answered[-1].who == "error"


async def test_only_the_owner_and_admins_see_and_erase(tmp_path: Path, keeper: Keeper) -> None:
    home = tmp_path / "home"
    async with AnthropicServer() as upstream:
        await lay_models(home, upstream)
        async with served_gateway(home) as gateway:
            admin = await gateway.admin()
            ann, bob = await gateway.member(admin, "ann"), await gateway.member(admin, "bob")
            key = await key_of(gateway, ann)
            await say(gateway, upstream, key)
            async with gateway.client(admin) as client:
                person = next(
                    one
                    for one in (await client.get("/api/v1/people")).json()
                    if one["name"] == "ann"
                )
                path = f"/api/v1/people/{person['id']}"
                assert person["keepDays"] is None
                assert (await client.get(f"{path}/kept")).json() == []
                switched = await client.put(f"{path}/keeping", json={"days": 30})
                assert switched.json()["keepDays"] == 30
            # A key that is known already is looked at again; the very next one is known anew.
            await say(gateway, upstream, await key_of(gateway, ann))
            await keeper.until(1)
            async with gateway.client(ann) as client:
                assert (await client.get("/api/v1/session")).json()["keepDays"] == 30
                [call] = (await client.get("/api/v1/kept")).json()
                words = (await client.get(f"/api/v1/kept/{call['id']}")).json()
            assert words["answered"] == [{"who": "assistant", "text": ANSWER}]
            assert [said["text"] for said in words["asked"]] == [QUESTION]
            async with gateway.client(bob) as client:
                assert (await client.get("/api/v1/session")).json()["keepDays"] is None
                assert (await client.get("/api/v1/kept")).json() == []
                assert (await client.get(f"/api/v1/kept/{call['id']}")).status_code == 404
                assert (await client.delete(f"/api/v1/kept/{call['id']}")).status_code == 404
                assert (await client.delete("/api/v1/kept")).status_code == 204
                assert (await client.put(f"{path}/keeping", json={"days": None})).status_code == 403
            async with gateway.client(admin) as client:
                [seen] = (await client.get(f"{path}/kept")).json()
                assert seen == call
                assert (await client.get(f"{path}/kept/{call['id']}")).json() == words
                off = await client.put(f"{path}/keeping", json={"days": None})
                assert off.json()["keepDays"] is None
                assert (await client.get(f"{path}/kept")).json() == []
            await say(gateway, upstream, await key_of(gateway, ann))
            async with gateway.client(ann) as client:
                assert (await client.get("/api/v1/kept")).json() == []


async def say(gateway: ServedGateway, upstream: AnthropicServer, key: str) -> httpx.Response:
    upstream.answer(says(ANSWER))
    async with gateway.client() as program:
        answer = await program.post("/v1/messages", headers={"x-api-key": key}, json=ASKED)
    assert answer.status_code == 200, answer.text
    return answer


async def test_what_is_erased_is_in_no_file_any_more(keeping: GatewayWorld, keeper: Keeper) -> None:
    keeping.upstreams["claude"].answer(says(ANSWER))
    async with keeping.client() as client:
        await client.post(
            "/v1/messages", json=canary("anthropic-messages", "claude", is_streamed=False)
        )
    account = ANYBODY.account_id
    await keeper.until(1)
    [call] = await keeping.keeping.of(account)
    _, asked_bytes, answered_bytes = await keeping.storage.kept_calls.get(
        account, call.id, now_ms=0
    )
    stored = asked_bytes.hex(), answered_bytes.hex()
    assert await hex_in_files(keeping.home, *stored) > 0
    await keeping.keeping.switch(account, None)
    await keeping.keeping.tidy()
    assert await hex_in_files(keeping.home, *stored) == 0


async def test_an_answer_reaches_its_client_also_when_it_can_not_be_kept(
    keeping: GatewayWorld, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def keep(_: AnsweredCall) -> None:
        raise DatabaseFull

    monkeypatch.setattr(keeping.keeping, "keep", keep)
    keeping.upstreams["claude"].answer(says(ANSWER))
    async with keeping.client() as client:
        answer = await client.post(
            "/v1/messages", json=canary("anthropic-messages", "claude", is_streamed=False)
        )
    assert answer.status_code == 200
    assert ANSWER in answer.text
    assert "should be kept" in caplog.text
    assert ANSWER not in caplog.text


async def test_what_is_erased_while_the_files_are_cleaned_is_cleaned_next(
    keeping: GatewayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgets: list[str] = []

    async def forget() -> bool:
        forgets.append("cleaned")
        if len(forgets) == 1:
            # Too late for this time: it may have gone by already.
            await keeping.keeping.erase(ANYBODY.account_id)
        return True

    monkeypatch.setattr(keeping.storage, "forget_deleted_bytes", forget)
    for cleaned in (1, 2, 2):
        await keeping.keeping.tidy()
        assert len(forgets) == cleaned


async def hex_in_files(folder: Path, *needles: str) -> int:
    """How often some bytes stand in the files."""
    count = 0
    async for path in anyio.Path(folder).rglob("*"):
        if await path.is_file():
            data = await path.read_bytes()
            count += sum(data.count(bytes.fromhex(needle)) for needle in needles)
    return count


def test_what_is_no_conversation_is_shown_as_it_was_sent() -> None:
    assert asked_words("openai-chat", "/v1/embeddings", b'{"input": "a"}')[0].who == "as sent"
    assert asked_words("gemini", "/v1beta", b"\xff{")[0].who == "as sent"
    for body in (b"not json", b"[", b'{"data": []}', b"<html>", b"event: x\n\n"):
        for door in DOORS:
            assert [said.who for said in answered_words(door, body)][-1] in ("as sent", "error")
    assert answered_words("gemini", b"") == ()
