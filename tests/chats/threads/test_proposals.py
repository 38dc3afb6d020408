"""Proposals: offered in cards, applied as reviewed edits of their run, undone, and kept whole."""

from contextlib import nullcontext
from pathlib import Path

import anyio
import pytest

from recto.chats import NotOpen, PassageGone, UserMessage
from recto.documents import EditOrigin, ReadOnly, Splice
from recto.storage import Proposal
from tests.chats.threads.desk import MODEL, TEXT, Desk, at_desk
from tests.fakes.providers import calls, says
from tests.fakes.providers.serving import HttpServer

pytestmark = pytest.mark.anyio


async def only(desk: Desk, chat_id: str) -> Proposal:
    """The one proposal of a chat."""
    (proposal,) = await desk.working.proposals.of_chat(chat_id)
    return proposal


async def type_in(desk: Desk, at: int, old: str, new: str) -> None:
    """A person types in the live document."""
    documents = await desk.working.documents(desk.project_id)
    async with documents.using("a.md") as live:
        assert not isinstance(live, ReadOnly)
        await live.edit([Splice(at, at + len(old), new)], EditOrigin("person", "page"))


async def test_an_offer_changes_nothing_and_knows_where_it_comes_from(desk: Desk) -> None:
    note, turn = await desk.offer("goes", "leaves", note="Plainer.")

    proposal = await only(desk, turn.chat_id)
    assert desk.read() == TEXT
    assert (proposal.run_id, proposal.note_id) == (turn.turn_id, note.id)
    assert proposal.options == [
        {"title": "Edit of a.md", "detail": "", "path": "a.md", "old": "goes", "new": "leaves"}
    ]
    assert (proposal.model, proposal.model_name) == (MODEL, "Claude Sonnet 5.5")
    assert proposal.request_id
    assert len(proposal.prompt_hash) == 64
    assert proposal.source in ("heuristic", "unknown", "logprobs")


async def test_an_applied_edit_waits_for_review_in_the_name_of_its_call(desk: Desk) -> None:
    note, turn = await desk.offer("goes", "leaves")
    proposal = await only(desk, turn.chat_id)

    applied = await desk.working.proposals.apply(proposal.id, 0)

    assert desk.read() == TEXT.replace("sea goes", "sea leaves")
    (review,) = await desk.working.reviews.list(desk.project_id)
    (edit,) = review.edits
    assert (applied.status, applied.chosen, applied.edit_id) == ("applied", 0, edit.id)
    assert applied.decided_ms is not None
    assert (edit.run_id, edit.call_id, edit.tool) == (
        turn.turn_id,
        proposal.call_id,
        "propose_edit",
    )
    standing = (await desk.working.threads.statuses([note]))[note.id]
    assert standing.has_applied_edit


@pytest.mark.parametrize("of_call", [True, False])
async def test_an_applied_edit_can_be_undone_and_applied_again(desk: Desk, of_call: bool) -> None:
    _, turn = await desk.offer("goes", "leaves")
    proposal = await only(desk, turn.chat_id)
    chats, proposals = desk.working.chats, desk.working.proposals
    for _ in range(2):
        await proposals.apply(proposal.id, 0)
        assert "sea leaves" in desk.read()
        if of_call:
            await chats.undo_call(turn.turn_id, proposal.call_id, dry_run=False)
        else:
            await chats.undo_run(turn.turn_id, dry_run=False)
        assert desk.read() == TEXT
        now = await only(desk, turn.chat_id)
        assert (now.status, now.chosen, now.edit_id) == ("open", None, None)
    assert (await proposals.dismiss(proposal.id)).status == "dismissed"
    assert (await only(desk, turn.chat_id)).status == "dismissed"
    assert await desk.working.reviews.list(desk.project_id) == ()


async def test_a_rejected_edit_is_offered_again(desk: Desk) -> None:
    _, turn = await desk.offer("goes", "leaves")
    proposal = await only(desk, turn.chat_id)
    await desk.working.proposals.apply(proposal.id, 0)
    (review,) = await desk.working.reviews.list(desk.project_id)

    await desk.working.reviews.decide(review.id, "reject")

    assert desk.read() == TEXT
    assert (await only(desk, turn.chat_id)).status == "open"


async def test_what_people_typed_meanwhile_stays(desk: Desk) -> None:
    _, turn = await desk.offer("goes", "leaves")
    proposal = await only(desk, turn.chat_id)
    await type_in(desk, 0, "", "My ")

    await desk.working.proposals.apply(proposal.id, 0)

    assert desk.read() == "My " + TEXT.replace("sea goes", "sea leaves")


async def test_a_text_that_changed_says_so_and_the_offer_stays(desk: Desk) -> None:
    _, turn = await desk.offer("goes", "leaves")
    proposal = await only(desk, turn.chat_id)
    await type_in(desk, TEXT.index("goes"), "goes", "went")

    with pytest.raises(PassageGone, match="The text has changed since"):
        await desk.working.proposals.apply(proposal.id, 0)

    assert "sea went" in (await desk_text(desk))
    assert (await only(desk, turn.chat_id)).status == "open"


async def desk_text(desk: Desk) -> str:
    documents = await desk.working.documents(desk.project_id)
    async with documents.using("a.md") as live:
        assert not isinstance(live, ReadOnly)
        return live.text


async def test_words_that_are_there_twice_are_meant_in_the_passage(desk: Desk) -> None:
    _, turn = await desk.offer("The sea", "The water")
    proposal = await only(desk, turn.chat_id)
    await type_in(desk, 0, "", "The sea. ")

    await desk.working.proposals.apply(proposal.id, 0)

    assert desk.read() == "The sea. " + TEXT.replace("The sea goes", "The water goes")


async def test_words_that_came_to_be_there_twice_elsewhere_are_a_change(desk: Desk) -> None:
    _, turn = await desk.offer("moon stays", "moon waits")
    proposal = await only(desk, turn.chat_id)
    await type_in(desk, 0, "", "The moon stays. ")

    with pytest.raises(PassageGone):
        await desk.working.proposals.apply(proposal.id, 0)


async def test_the_file_of_a_thread_may_be_called_otherwise_now(desk: Desk) -> None:
    note, turn = await desk.offer("goes", "leaves")
    proposal = await only(desk, turn.chat_id)
    given = {"path": "a.md", "new_name": "b.md"}
    desk.upstream.answer(calls("rename_file", given))
    desk.upstream.answer(says("Renamed."))
    await desk.over(
        await desk.working.threads.reply(note.id, UserMessage("Call it b.md.", model=MODEL))
    )

    await desk.working.proposals.apply(proposal.id, 0)

    assert desk.read("b.md") == TEXT.replace("sea goes", "sea leaves")


async def test_a_dismissed_proposal_can_be_opened_again(desk: Desk) -> None:
    _, turn = await desk.offer("goes", "leaves")
    proposal = await only(desk, turn.chat_id)
    proposals = desk.working.proposals
    dismissed = await proposals.dismiss(proposal.id)
    for refused in (proposals.apply(proposal.id, 0), proposals.dismiss(proposal.id)):
        with pytest.raises(NotOpen):
            await refused
    reopened = await proposals.reopen(proposal.id)
    with pytest.raises(NotOpen):
        await proposals.reopen(proposal.id)

    assert (dismissed.status, dismissed.decided_ms is None) == ("dismissed", False)
    assert (reopened.status, reopened.decided_ms) == ("open", None)
    assert (await proposals.apply(proposal.id, 0)).status == "applied"


async def test_a_choice_is_told_to_the_model_with_the_next_message(desk: Desk) -> None:
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    options = [
        {"title": "Shorter", "path": "a.md", "old_string": "stays", "new_string": "is"},
        {"title": "Leave it", "detail": "It is good."},
    ]
    desk.upstream.answer(calls("create_proposal", {"question": "Which?", "options": options}))
    desk.upstream.answer(says("Choose."))
    await desk.over(await desk.working.chats.say(chat.id, UserMessage("Improve it.")))
    proposal = await only(desk, chat.id)
    with pytest.raises(NotOpen, match="no such option"):
        await desk.working.proposals.apply(proposal.id, 2)
    chosen = await desk.working.proposals.apply(proposal.id, 1)
    desk.upstream.answer(says("Good."))
    await desk.over(await desk.working.chats.say(chat.id, UserMessage("Go on.")))
    desk.upstream.answer(says("Well."))
    await desk.over(await desk.working.chats.say(chat.id, UserMessage("And on.")))

    assert (chosen.status, chosen.chosen, chosen.edit_id, chosen.note_id) == (
        "applied", 1, None, None,
    )  # fmt: skip
    assert desk.read() == TEXT
    told = r"The user chose \\\"Leave it\\\" of your proposal (\\\"Which?\\\").".replace("\\\\", "")
    assert desk.sent(-2).count(told) == 1
    assert desk.sent(-1).count(told) == 1


async def test_an_option_that_is_an_edit_is_made_when_it_is_chosen(desk: Desk) -> None:
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    options = [
        {"title": "A", "path": "a.md", "old_string": "stays", "new_string": "is"},
        {"title": "B", "path": "a.md", "old_string": "stays", "new_string": "waits"},
    ]
    desk.upstream.answer(calls("create_proposal", {"question": "Which?", "options": options}))
    desk.upstream.answer(says("Choose."))
    await desk.over(await desk.working.chats.say(chat.id, UserMessage("Improve it.")))
    proposal = await only(desk, chat.id)

    await desk.working.proposals.apply(proposal.id, 1)

    assert desk.read() == TEXT.replace("stays", "waits")


async def test_two_calls_of_one_id_make_one_proposal(desk: Desk) -> None:
    given = {"old_string": "goes", "new_string": "leaves"}
    twice = (calls("propose_edit", given, id="toolu_1"),)
    _, turn = await desk.begin("The sea goes.", "Better?", twice, twice, (says("Offered."),))

    assert len(await desk.working.proposals.of_chat(turn.chat_id)) == 1
    assert "has made a proposal already" in desk.sent()


async def test_a_crash_while_applying_is_found_out_from_the_text(
    tmp_path: Path, servers: dict[str, HttpServer]
) -> None:
    async with at_desk(tmp_path, servers) as desk:
        _, turn = await desk.offer("goes", "leaves")
        proposal = await only(desk, turn.chat_id)
        applied = await desk.working.proposals.apply(proposal.id, 0)
        storage = desk.working.storage
        async with storage.write() as write:  # as it is between the edit and the decision
            await storage.proposals.change(write, proposal.id, status="open", decided_ms=None)
            assert applied.edit_id is not None
            await storage.edits.change(write, [applied.edit_id], status="writing")
    async with at_desk(tmp_path, servers) as desk:
        found = await only(desk, turn.chat_id)

    assert (found.status, found.chosen, found.edit_id) == ("applied", 0, applied.edit_id)


async def test_a_crash_before_the_edit_leaves_the_offer_open(
    tmp_path: Path, servers: dict[str, HttpServer]
) -> None:
    async with at_desk(tmp_path, servers) as desk:
        _, turn = await desk.offer("goes", "leaves")
        proposal = await only(desk, turn.chat_id)
        applied = await desk.working.proposals.apply(proposal.id, 0)
        await desk.working.chats.undo_run(turn.turn_id, dry_run=False)
        storage = desk.working.storage
        async with storage.write() as write:
            await storage.proposals.change(write, proposal.id, status="open", decided_ms=None)
            assert applied.edit_id is not None
            await storage.edits.change(write, [applied.edit_id], status="writing")
    async with at_desk(tmp_path, servers) as desk:
        found = await only(desk, turn.chat_id)
        assert (await desk.working.proposals.apply(proposal.id, 0)).status == "applied"

    assert (found.status, found.chosen, found.edit_id) == ("open", None, None)


async def test_a_proposal_cannot_be_applied_to_what_the_ai_may_not_know(desk: Desk) -> None:
    _, turn = await desk.offer("goes", "leaves")
    proposal = await only(desk, turn.chat_id)
    (desk.folder / ".rectoignore").write_text("a.md\n", encoding="utf-8")

    with pytest.raises(Exception, match=r"a\.md|changed since"):
        await desk.working.proposals.apply(proposal.id, 0)

    assert desk.read() == TEXT


async def test_of_two_that_take_an_offer_at_once_one_makes_the_edit(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes have no lock of the program's in common: the records decide."""
    _, turn = await desk.offer("goes", "goes away")
    proposal = await only(desk, turn.chat_id)
    ends: list[str] = []
    monkeypatch.setattr(desk.working.proposals, "_applying", nullcontext())

    async def take() -> None:
        try:
            ends.append((await desk.working.proposals.apply(proposal.id, 0)).status)
        except NotOpen:
            ends.append("refused")

    async with anyio.create_task_group() as group:
        group.start_soon(take)
        group.start_soon(take)

    assert sorted(ends) == ["applied", "refused"]
    assert desk.read() == TEXT.replace("sea goes", "sea goes away")
    with pytest.raises(NotOpen):
        await desk.working.proposals.dismiss(proposal.id)
