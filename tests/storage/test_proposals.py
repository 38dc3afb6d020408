from dataclasses import replace

import pytest

from recto.storage import Proposal, RecordExists, RecordNotFound, Storage, Suggestion
from tests.storage.conftest import add_project

pytestmark = pytest.mark.anyio

PROPOSAL = Proposal(
    id="o1",
    project_id="p1",
    chat_id="c1",
    run_id="r1",
    call_id="t1",
    note_id="n1",
    question="",
    options=[{"title": "Shorter", "detail": "", "path": "a.md", "old": "very big", "new": "big"}],
    status="open",
    chosen=None,
    edit_id=None,
    model="m/1",
    model_name="One",
    request_id="q1",
    prompt_hash="h",
    confidence=0.25,
    source="tokens",
    at_ms=5,
    decided_ms=None,
)
SUGGESTION = Suggestion(
    id="s1",
    project_id="p1",
    path="a.md",
    at_ms=5,
    model="m/1",
    model_name="One",
    request_id="q1",
    prompt_hash="h",
    template="ghost/1",
    temperature=None,
    items=[{"confidence": 0.5, "source": "tokens"}, {"confidence": None, "source": "none"}],
    outcome="pending",
    chosen=None,
    characters=0,
    decided_ms=None,
)


async def add(storage: Storage, *added: Proposal) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        for item in added:
            await storage.proposals.add(write, item)


async def suggest(storage: Storage, *added: Suggestion) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        for item in added:
            await storage.suggestions.add(write, item)


async def test_proposals_are_found_by_id_chat_project_and_call(storage: Storage) -> None:
    other = replace(PROPOSAL, id="o2", chat_id="c2", call_id="t2", confidence=None)
    await add(storage, other, PROPOSAL)
    proposals = storage.proposals

    assert await proposals.get("o1") == PROPOSAL
    assert await proposals.of_chat("c2") == (other,)
    assert await proposals.of_project("p1") == (PROPOSAL, other)
    assert await proposals.of_call("r1", "t2") == other
    assert await proposals.of_call("r2", "t2") is None
    with pytest.raises(RecordNotFound, match="no proposal o9"):
        await proposals.get("o9")


async def test_a_call_proposes_once(storage: Storage) -> None:
    await add(storage, PROPOSAL)
    with pytest.raises(RecordExists):
        async with storage.write() as write:
            await storage.proposals.add(write, replace(PROPOSAL, id="o2"))

    assert await storage.proposals.of_chat("c1") == (PROPOSAL,)


async def test_a_verdict_is_kept_told_and_counted(storage: Storage) -> None:
    await add(storage, PROPOSAL, replace(PROPOSAL, id="o2", call_id="t2"))
    async with storage.write() as write:
        taken = await storage.proposals.change(
            write, "o1", status="applied", chosen=0, edit_id="e1", decided_ms=9
        )

    assert taken == replace(PROPOSAL, status="applied", chosen=0, edit_id="e1", decided_ms=9)
    assert await storage.proposals.decided() == (taken,)
    assert await storage.proposals.decided(6) == ()
    async with storage.write() as write:
        await storage.proposals.remove(write, "o1")
    changes = await storage.changes.after(1)
    assert [(change.kind, change.resource_id, change.action) for change in changes] == [
        ("thread", "o1", "created"),
        ("thread", "o2", "created"),
        ("thread", "o1", "updated"),
        ("thread", "o1", "deleted"),
    ]


async def test_only_a_proposal_that_is_there_is_decided(storage: Storage) -> None:
    await add(storage)
    with pytest.raises(RecordNotFound, match="no proposal o1"):
        async with storage.write() as write:
            await storage.proposals.change(write, "o1", status="dismissed")
    with pytest.raises(RecordNotFound, match="no proposal o1"):
        async with storage.write() as write:
            await storage.proposals.remove(write, "o1")


async def test_proposals_and_suggestions_go_with_their_project(storage: Storage) -> None:
    await add(storage, PROPOSAL)
    async with storage.write() as write:
        await storage.suggestions.add(write, SUGGESTION)
        await storage.projects.remove(write, "p1")

    assert await storage.proposals.of_project("p1") == ()
    assert await storage.suggestions.some(["s1"]) == ()


async def test_what_became_of_a_suggestion_is_kept_and_no_page_is_told(storage: Storage) -> None:
    await suggest(storage, SUGGESTION, replace(SUGGESTION, id="s2", temperature=0.5))
    latest = await storage.changes.latest()
    async with storage.write() as write:
        taken = await storage.suggestions.change(
            write, "s2", outcome="partly", chosen=1, characters=12, decided_ms=9
        )

    assert await storage.suggestions.get("s1") == SUGGESTION
    assert await storage.suggestions.get("s2") == taken
    assert (taken.temperature, taken.outcome, taken.chosen, taken.characters) == (
        0.5,
        "partly",
        1,
        12,
    )
    assert await storage.suggestions.some(["s2", "s9"]) == (taken,)
    assert await storage.suggestions.some([]) == ()
    assert await storage.suggestions.decided() == (taken,)
    assert await storage.suggestions.decided(6) == ()
    assert await storage.changes.latest() == latest
    with pytest.raises(RecordNotFound, match="no suggestion s9"):
        await storage.suggestions.get("s9")
    with pytest.raises(RecordNotFound, match="no suggestion s9"):
        async with storage.write() as write:
            await storage.suggestions.change(write, "s9", outcome="dismissed")
