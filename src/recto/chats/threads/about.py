"""What a thread is about: its passage as its model is told of it, and the answers to comments."""

from recto.chats.archive import Archive
from recto.chats.entries import Assistant, Entry, User
from recto.chats.means import Means
from recto.chats.search_text import search_text
from recto.context import ThreadFacts, read_comment_answers
from recto.storage import Chat, Note, NotFound, Run

NOT_OVER = frozenset({"queued", "running"})
NEVER_RAN = frozenset({"joined", "removed"})
MOST_COMMENTS = 100
"""The most comments of one message."""


async def thread_of(means: Means, chat: Chat) -> ThreadFacts | None:
    """What a chat is about, if it is the conversation of a thread."""
    if not chat.is_thread:
        return None
    try:
        note = await means.storage.notes.by_chat(chat.id)
    except NotFound:
        return None  # the thread was deleted a moment ago, and its chat goes after it
    return ThreadFacts(
        path=note.path,
        before=note.before,
        text=note.text,
        after=note.after,
        body=note.body,
        author=note.author,
        reply=await reply_to(means, note) or "",
    )


async def reply_to(means: Means, note: Note) -> str | None:
    """The answer to a comment that was sent with others; None while there is none."""
    if note.sent is None:
        return None
    run = await run_of(means, note.sent["turnId"])
    if run is None or run.state in NOT_OVER:
        return None
    answer = await answer_to(means.archive, note.sent["chatId"], run.id)
    return read_comment_answers(answer, MOST_COMMENTS).get(note.sent["number"])


async def run_of(means: Means, run_id: str) -> Run | None:
    """A run, if it is still known."""
    try:
        return await means.storage.runs.get(run_id)
    except NotFound:
        return None


async def answer_to(archive: Archive, chat_id: str, turn_id: str) -> str:
    """All that was answered to what began a turn, also if that was asked again."""
    since: list[Entry] = []
    async for entry in archive.backwards(chat_id):
        since.append(entry)
        if isinstance(entry.content, User) and entry.content.turn == turn_id:
            return words_of(since[::-1], turn_id)
    return ""  # it no longer counts: the message was edited


def words_of(entries: list[Entry], turn_id: str) -> str:
    """What was answered up to the next thing that somebody said, unless that was said to it."""
    turns = {turn_id}
    words: list[str] = []
    for entry in entries:
        match entry.content:
            case User(turn=turn) if turn not in turns:
                break
            case Assistant(turn=turn) as answer:
                turns.add(turn)
                words.append(search_text(answer))
            case _:
                pass
    return "\n\n".join(words)
