"""What a thread is about: its passage as its model is told of it, and the answers to comments."""

from recto.chats.history.archive import Archive
from recto.chats.history.entries import Assistant, ChatEntry, User
from recto.chats.history.search_text import search_text
from recto.chats.services import ChatServices
from recto.context import ThreadFacts, read_comment_answers
from recto.storage import Chat, Note, RecordNotFound, Run

NOT_OVER = frozenset({"queued", "running"})
NEVER_RAN = frozenset({"joined", "removed"})
MOST_COMMENTS = 100
"""The most comments of one message."""


async def thread_of(services: ChatServices, chat: Chat) -> ThreadFacts | None:
    """What a chat is about, if it is the conversation of a thread."""
    if not chat.is_thread:
        return None
    try:
        note = await services.storage.notes.by_chat(chat.id)
    except RecordNotFound:
        return None  # the thread was deleted a moment ago, and its chat goes after it
    return ThreadFacts(
        path=note.path,
        before=note.before,
        text=note.text,
        after=note.after,
        body=note.body,
        author=note.author,
        reply=await reply_to(services, note) or "",
    )


async def reply_to(services: ChatServices, note: Note) -> str | None:
    """The answer to a comment that was sent with others; None while there is none."""
    if note.sent is None:
        return None
    run = await run_of(services, note.sent["turnId"])
    if run is None or run.state in NOT_OVER:
        return None
    answer = await answer_to(services.archive, note.sent["chatId"], run.id)
    return read_comment_answers(answer, MOST_COMMENTS).get(note.sent["number"])


async def run_of(services: ChatServices, run_id: str) -> Run | None:
    """A run, if it is still known."""
    try:
        return await services.storage.runs.get(run_id)
    except RecordNotFound:
        return None


async def answer_to(archive: Archive, chat_id: str, turn_id: str) -> str:
    """All that was answered to what began a turn, also if that was asked again."""
    since: list[ChatEntry] = []
    async for entry in archive.backwards(chat_id):
        since.append(entry)
        if isinstance(entry.content, User) and entry.content.turn == turn_id:
            return words_of(since[::-1], turn_id)
    return ""  # it no longer counts: the message was edited


def words_of(entries: list[ChatEntry], turn_id: str) -> str:
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
