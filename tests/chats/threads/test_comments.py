"""Comments: sent as one message, each with its passage, each answer found again."""

import json

import pytest

from recto.chats import NothingToDo, User, UserMessage
from recto.storage import Note
from tests.chats.threads.desk import MODEL, Desk
from tests.fakes.providers import Fault, Gate, calls, says

pytestmark = pytest.mark.anyio

ANSWER = "### Comment 1\nTo the west.\n\n### Comment 2\nBecause of its mass.\n"


async def two(desk: Desk) -> tuple[Note, Note]:
    (desk.folder / "b.md").write_text("One.\nThe moon is heavy.\n", encoding="utf-8")
    return (
        await desk.comment("The sea goes.", "Where to?"),
        await desk.comment("heavy", "Why?", "b.md"),
    )


async def replies(desk: Desk, *notes: Note) -> list[str | None]:
    """The answers to comments as they are now."""
    now = [await desk.working.notes.get(note.id) for note in notes]
    return [statuse.reply for statuse in (await desk.working.threads.statuses(now)).values()]


async def test_comments_of_several_files_are_one_message(desk: Desk) -> None:
    one, two_ = await two(desk)
    desk.upstream.answer(says(ANSWER))
    desk.upstream.answer(says("A title"))
    threads = desk.working.threads

    turn = await threads.send(
        desk.project_id, [one.id, two_.id], None, UserMessage("Please look.", model=MODEL)
    )
    await desk.over(turn)

    said = next(
        entry.content
        for entry in await desk.entries(turn.chat_id)
        if isinstance(entry.content, User)
    )
    assert said.text == (
        "Please look.\n\n"
        'Comment 1, on "a.md", line 5 (“The sea goes.”):\nWhere to?\n\n'
        'Comment 2, on "b.md", line 2 (“heavy”):\nWhy?\n\n'
        "Answer each comment in a section of its own, under the heading “### Comment” and its "
        "number, 1 to 2. Say nothing outside these sections."
    )
    assert [(attachment.path, attachment.origin) for attachment in said.attached] == [
        ("a.md", "selection"),
        ("b.md", "selection"),
    ]
    asked = json.dumps(desk.upstream.exchanges[0].json, ensure_ascii=False)
    assert r">\nThe sea goes.\n</selected" in asked
    assert await replies(desk, one, two_) == ["To the west.", "Because of its mass."]
    chat = await desk.working.chats.get(turn.chat_id)
    assert not chat.is_thread


async def test_they_can_go_to_a_chat_that_is_there(desk: Desk) -> None:
    one, _ = await two(desk)
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    desk.upstream.answer(says(ANSWER))

    turn = await desk.working.threads.send(desk.project_id, [one.id], chat.id, UserMessage(""))
    await desk.over(turn)

    assert turn.chat_id == chat.id
    assert await replies(desk, one) == ["To the west."]


async def test_while_it_runs_there_is_no_answer_and_the_dot_pulses(desk: Desk) -> None:
    one, two_ = await two(desk)
    gate = Gate()
    desk.upstream.answer(says(ANSWER), fault=Fault(hold_headers=True, gate=gate))
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    turn = await desk.working.threads.send(
        desk.project_id, [one.id, two_.id], chat.id, UserMessage("")
    )
    await gate.arrived.wait()
    now = [await desk.working.notes.get(note.id) for note in (one, two_)]
    during = (await desk.working.threads.statuses(now)).values()
    before = await desk.working.storage.changes.latest()
    gate.open()
    await desk.over(turn)

    assert [(item.status, item.is_sent, item.reply) for item in during] == [
        ("streaming", True, None),
        ("streaming", True, None),
    ]
    assert await desk.told(before) == [(one.id, "updated"), (two_.id, "updated")]


async def test_an_answer_in_another_form_belongs_to_no_comment(desk: Desk) -> None:
    one, two_ = await two(desk)
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    desk.upstream.answer(says("West, and mass."))
    await desk.over(
        await desk.working.threads.send(
            desk.project_id, [one.id, two_.id], chat.id, UserMessage("")
        )
    )

    assert await replies(desk, one, two_) == [None, None]


async def test_an_answer_that_was_asked_for_again_counts(desk: Desk) -> None:
    one, two_ = await two(desk)
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    desk.upstream.script(Fault(status=400))
    turn = await desk.working.threads.send(
        desk.project_id, [one.id, two_.id], chat.id, UserMessage("")
    )
    await desk.over(turn)
    now = [await desk.working.notes.get(note.id) for note in (one, two_)]
    failed = [statuse.status for statuse in (await desk.working.threads.statuses(now)).values()]
    asked = next(e for e in await desk.entries(chat.id) if isinstance(e.content, User))
    desk.upstream.answer(calls("read_file", {"path": "a.md"}))
    desk.upstream.answer(says(ANSWER))
    await desk.over(await desk.working.chats.retry(chat.id, asked.id, None))
    desk.upstream.answer(says("### Comment 1\nSomething else."))
    await desk.over(await desk.working.chats.say(chat.id, UserMessage("And comment 1?")))

    assert failed == ["error", "error"]
    assert await replies(desk, one, two_) == ["To the west.", "Because of its mass."]
    standing = await desk.working.threads.statuses(now)
    assert [item.status for item in standing.values()] == ["idle", "idle"]


async def test_a_message_that_is_taken_back_was_not_sent(desk: Desk) -> None:
    one, _ = await two(desk)
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    gate = Gate()
    desk.upstream.answer(says("Yes."), fault=Fault(hold_headers=True, gate=gate))
    running = await desk.working.chats.say(chat.id, UserMessage("Hello."))
    await gate.arrived.wait()
    waiting = await desk.working.threads.send(desk.project_id, [one.id], chat.id, UserMessage(""))
    await desk.working.chats.remove(waiting.turn_id)
    gate.open()
    await desk.over(running)

    note = await desk.working.notes.get(one.id)
    standing = (await desk.working.threads.statuses([note]))[one.id]
    assert (waiting.state, standing.status, standing.is_sent) == ("queued", "idle", False)


async def test_a_thread_that_was_a_comment_knows_its_answer(desk: Desk) -> None:
    one, _ = await two(desk)
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    desk.upstream.answer(says(ANSWER))
    await desk.over(
        await desk.working.threads.send(desk.project_id, [one.id], chat.id, UserMessage(""))
    )
    desk.upstream.answer(says("Yes."))
    await desk.over(await desk.working.threads.reply(one.id, UserMessage("Really?", model=MODEL)))

    system = json.dumps(desk.upstream.exchanges[-1].json["system"], ensure_ascii=False)
    assert r">\nTo the west.\n</answer" in system


async def test_what_is_no_comment_is_not_sent(desk: Desk) -> None:
    one, _ = await two(desk)
    place = desk.passage("The moon stays.")
    bare = await desk.working.notes.add(desk.project_id, place)
    threads = desk.working.threads
    for ids in ([], [bare.id], [one.id, bare.id]):
        with pytest.raises(NothingToDo):
            await threads.send(desk.project_id, ids, None, UserMessage("", model=MODEL))

    assert desk.upstream.exchanges == []


async def test_tasks_of_a_model_are_comments_and_can_be_read(desk: Desk) -> None:
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    await desk.comment("The sea goes.", "Where to?")
    given = {"path": "a.md", "passage": "moon stays", "task": "Check the moon."}
    desk.upstream.answer(calls("add_task", given))
    desk.upstream.answer(calls("read_tasks", {}))
    desk.upstream.answer(says("Noted."))
    turn = await desk.working.chats.say(chat.id, UserMessage("Note what is to do."))
    await desk.over(turn)

    _, task = await desk.working.notes.list(desk.project_id)
    assert (task.note.author, task.note.run_id, task.note.body, task.line) == (
        "run", turn.turn_id, "Check the moon.", 7,
    )  # fmt: skip
    told = desk.sent()
    assert r"1. a.md, line 5, by the user, not answered yet\n   On: “The sea goes.”" in told
    assert r"2. a.md, line 7, by a model, not answered yet\n   On: “moon stays”" in told
    assert (await desk.replay(turn)).difference is None
    assert len(await desk.working.notes.list(desk.project_id)) == 2


async def test_a_plan_may_read_tasks_and_add_none(desk: Desk) -> None:
    chat = await desk.working.chats.create(desk.project_id, "A chat", MODEL)
    desk.upstream.answer(calls("read_tasks", {}))
    desk.upstream.answer(says("None."))
    await desk.over(await desk.working.chats.say(chat.id, UserMessage("What is to do?", plan=True)))

    asked = desk.upstream.exchanges[0].json
    names = {tool["name"] for tool in asked["tools"]}
    assert "read_tasks" in names
    assert "add_task" not in names
    assert "There are no open tasks or comments here." in desk.sent()
