"""Threads: an ordinary chat with a passage, the same loop, store, replay and undo."""

import json
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from recto.chats import AdmittedTurn, Assistant, User, UserMessage
from recto.chats.history.journal import ChatJournal
from recto.margin import AnswerPlace, NoPassage, TextPlace
from recto.storage import Note, RecordNotFound
from tests.chats.record.runs import MODELS
from tests.chats.threads.desk import MODEL, TEXT, Desk, at_desk, tool_names
from tests.fakes.providers import Fault, Gate, calls, says
from tests.fakes.providers.serving import HttpServer

pytestmark = pytest.mark.anyio


async def test_a_thread_is_asked_with_its_passage_and_what_stands_around_it(desk: Desk) -> None:
    note, turn = await desk.begin("The sea goes.", "Is this right?", (says("It is."),))

    asked = desk.upstream.exchanges[0].json
    system = json.dumps(asked["system"], ensure_ascii=False)
    assert r"marked a passage of \"a.md\"" in system
    assert r">\nThe sea goes.\n</passage" in system
    assert "# Tide\\n\\nThe sea comes. 😀\\n\\n\\n</before" in system
    assert ">\\n\\n\\nThe moon stays.\\n\\n</after" in system
    assert "offer each edit with propose_edit" in system
    assert "propose_edit" in tool_names(asked)
    # A notice may follow: the small model sometimes talks until it is cut.
    contents = [entry.content for entry in await desk.entries(turn.chat_id)]
    (answer,) = [content for content in contents if isinstance(content, Assistant)]
    assert answer.source.template == "thread/2"
    assert len(answer.source.contexts) >= 3
    assert note.chat_id == turn.chat_id


async def test_a_chat_that_is_no_thread_has_no_propose_edit(desk: Desk) -> None:
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    desk.upstream.answer(says("Yes."))
    await desk.over(await desk.working.chats.say(chat.id, UserMessage("Hello.")))

    assert "propose_edit" not in tool_names(desk.upstream.exchanges[0].json)


async def test_its_chat_is_in_no_list_and_needs_no_title_of_a_model(desk: Desk) -> None:
    note, turn = await desk.begin("The sea goes.", "Is this right?", (says("It is."),))

    listed = await desk.working.chats.page(desk.project_id, None, 50)
    chat = await desk.working.chats.get(turn.chat_id)
    assert listed.items == ()
    assert (chat.is_thread, chat.title) == (True, "Is this right?")
    assert len(desk.upstream.exchanges) == 1
    assert note.text == "The sea goes."


async def test_replies_go_on_in_the_same_conversation(desk: Desk) -> None:
    note, first = await desk.begin("The sea goes.", "Is this right?", (says("It is."),))
    desk.upstream.answer(says("Because of the moon."))
    second = await desk.working.threads.reply(note.id, UserMessage("Why?"))
    await desk.over(second)

    assert second.chat_id == first.chat_id
    said = [entry.content for entry in await desk.entries(first.chat_id)]
    assert [item.text for item in said if isinstance(item, User)] == ["Is this right?", "Why?"]
    standing = (await desk.working.threads.statuses([note]))[note.id]
    assert (standing.status, standing.messages, standing.has_applied_edit) == ("idle", 4, False)


async def test_pages_hear_when_a_turn_of_a_thread_begins_and_ends(desk: Desk) -> None:
    note, _ = await desk.begin("The sea goes.", "Is this right?", (says("It is."),))

    assert await desk.told() == [
        (note.id, "created"),
        (note.id, "updated"),  # it has a conversation
        (note.id, "updated"),  # which runs
        (note.id, "updated"),  # and is over
    ]


async def test_a_status_says_what_goes_on(desk: Desk) -> None:
    gate = Gate()
    desk.upstream.answer(says("It is."), fault=Fault(hold_headers=True, gate=gate))
    place = desk.passage("The sea goes.")
    note, turn = await desk.working.threads.begin(
        desk.project_id, place, UserMessage("Right?", model=MODEL)
    )
    await gate.arrived.wait()
    streaming = (await desk.working.threads.statuses([note]))[note.id].status
    gate.open()
    await desk.over(turn)
    desk.upstream.script(Fault(status=400))
    await desk.over(await desk.working.threads.reply(note.id, UserMessage("Sure?", model=MODEL)))
    failed = (await desk.working.threads.statuses([note]))[note.id].status
    resolved = await desk.working.notes.change(note.id, resolved=True)
    over = (await desk.working.threads.statuses([resolved]))[note.id].status
    desk.upstream.answer(says("Yes."))
    await desk.over(await desk.working.threads.reply(note.id, UserMessage("And now?", model=MODEL)))
    again = await desk.working.notes.get(note.id)

    assert (streaming, failed, over) == ("streaming", "error", "resolved")
    assert (await desk.working.threads.statuses([again]))[note.id].status == "idle"


async def test_a_comment_that_is_replied_to_becomes_a_thread_with_its_words_first(
    desk: Desk,
) -> None:
    note = await desk.comment("The sea goes.", "Where to?")
    assert (await desk.working.threads.statuses([note]))[note.id].status == "idle"
    desk.upstream.answer(says("Out."))

    turn = await desk.working.threads.reply(note.id, UserMessage("Well?", model=MODEL))
    await desk.over(turn)

    system = json.dumps(desk.upstream.exchanges[0].json["system"], ensure_ascii=False)
    assert r">\nWhere to?\n</comment" in system
    assert (await desk.working.notes.get(note.id)).chat_id == turn.chat_id
    assert (await desk.working.chats.get(turn.chat_id)).title == "Where to?"


async def test_a_first_reply_goes_where_another_process_has_begun_meanwhile(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await desk.comment("The sea goes.", "Where to?")
    theirs = await desk.working.chats.create(desk.project_id, "Where to?", MODEL)
    await desk.working.notes.begin_conversation(note.id, theirs.id)
    desk.upstream.answer(says("Out."))

    async def as_it_was(note_id: str) -> Note:
        monkeypatch.undo()
        return note

    monkeypatch.setattr(desk.working.notes, "get", as_it_was)
    turn = await desk.working.threads.reply(note.id, UserMessage("Well?", model=MODEL))
    await desk.over(turn)

    assert turn.chat_id == theirs.id


async def test_a_turn_whose_request_is_given_up_runs_all_the_same(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.upstream.answer(says("Out."))
    note = await desk.comment("The sea goes.", "Where to?")
    commit = ChatJournal.commit_with
    with anyio.CancelScope() as request:

        async def given_up_meanwhile(journal: ChatJournal, *told: Any) -> Any:
            done = await commit(journal, *told)
            monkeypatch.undo()
            request.cancel()
            # Here the request would be told.
            await anyio.lowlevel.checkpoint()
            return done

        monkeypatch.setattr(ChatJournal, "commit_with", given_up_meanwhile)
        await desk.working.threads.reply(note.id, UserMessage("Well?", model=MODEL))
    assert request.cancelled_caught
    chat_id = (await desk.working.notes.get(note.id)).chat_id
    assert chat_id is not None
    [run] = await desk.working.storage.runs.with_state({"running", "finished"}, chat_id=chat_id)
    assert await desk.over(AdmittedTurn(chat_id, run.id, "running")) == "finished"


async def test_a_passage_of_an_answer_can_be_talked_about(desk: Desk) -> None:
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    desk.upstream.answer(says("The tide is old."))
    await desk.over(await desk.working.chats.say(chat.id, UserMessage("Tell.")))
    entry = (await desk.entries(chat.id))[-1]
    desk.upstream.answer(says("Very."))

    place = AnswerPlace(chat.id, entry.id, "tide is old", 0)
    note, turn = await desk.working.threads.begin(
        desk.project_id, place, UserMessage("How old?", model=MODEL)
    )
    await desk.over(turn)

    asked = desk.upstream.exchanges[-1].json
    assert "a passage of an answer" in json.dumps(asked["system"])
    assert "propose_edit" not in tool_names(asked)
    assert note.path == ""


async def test_a_deleted_thread_takes_its_conversation_along(desk: Desk) -> None:
    note, turn = await desk.begin("The sea goes.", "Right?", (says("It is."),))

    await desk.working.threads.delete(note.id)

    for gone in (desk.working.notes.get(note.id), desk.working.chats.get(turn.chat_id)):
        with pytest.raises(RecordNotFound):
            await gone


async def test_a_thread_needs_a_passage(desk: Desk) -> None:
    too_far = TextPlace("a.md", 0, 10_000)
    with pytest.raises(NoPassage):
        await desk.working.threads.begin(
            desk.project_id, too_far, UserMessage("Right?", model=MODEL)
        )

    assert await desk.working.notes.list(desk.project_id) == ()


@pytest.mark.parametrize("name", MODELS)
async def test_every_protocol_can_offer_an_edit_and_the_replay_comes_out_the_same(
    desk: Desk, name: str
) -> None:
    given = {"old_string": "goes", "new_string": "leaves", "note": "Plainer."}
    steps = (says("Let me see."), calls("propose_edit", given)), (says("Offered."),)
    note, turn = await desk.begin("The sea goes.", "Better?", *steps, name=name)
    assert [exchange.refusal for exchange in desk.servers[name].exchanges] == [None, None]
    (proposal,) = await desk.working.proposals.of_chat(turn.chat_id)
    assert (proposal.note_id, proposal.question, proposal.status) == (note.id, "Plainer.", "open")
    entries = [entry.content for entry in await desk.entries(turn.chat_id)]
    answer = next(entry for entry in entries if isinstance(entry, Assistant))
    assert (proposal.confidence, proposal.source) == (answer.sureness.value, answer.sureness.source)
    assert (proposal.request_id, proposal.prompt_hash) == (
        answer.source.request_id,
        answer.source.prompt_hash,
    )

    before = await desk.replay(turn)
    await desk.working.proposals.apply(proposal.id, 0)
    after = await desk.replay(turn)

    for replayed in (before, after):
        assert (replayed.difference, replayed.steps, replayed.ends_early) == (None, 2, False)
    assert len(await desk.working.proposals.of_chat(turn.chat_id)) == 1
    assert desk.read() == TEXT.replace("The sea goes", "The sea leaves")


async def test_the_built_in_model_answers_in_a_thread_without_tools(
    tmp_path: Path, servers: dict[str, HttpServer]
) -> None:
    brief = {"id": "brief", "name": "Brief", "provider": "builtin", "model": "smollm2-135m"}
    models = {"models": [{**brief, "max_output": 48}]}
    (tmp_path / "home" / "models.json").write_text(json.dumps(models), encoding="utf-8")
    async with at_desk(tmp_path, servers) as desk:
        place, said = desk.passage("The moon stays."), UserMessage("Who stays?", model="brief")
        _, turn = await desk.working.threads.begin(desk.project_id, place, said)
        assert await desk.over(turn) == "finished"

        # A notice may follow: the small model often talks until it is cut.
        contents = [entry.content for entry in await desk.entries(turn.chat_id)]
        (answer,) = [content for content in contents if isinstance(content, Assistant)]
        assert answer.source.template == "thread/2"
        assert (await desk.replay(turn)).difference is None
