"""A chat's title: asked after the first answer, and never in the way.

It is asked of the cheapest model of the provider that answered: what was said to one provider, or
to a model on this computer, goes to nobody else for the sake of a name.
"""

from contextlib import aclosing

from recto.access import BUILTIN, Access
from recto.assist import Sources
from recto.chats.archive import told
from recto.chats.entries import Asked, Assistant, Content, Entry, Title, User
from recto.chats.exchange import Exchange
from recto.chats.means import Means
from recto.chats.search_text import search_text
from recto.chats.titles import first_words, title_of
from recto.context import TITLE_SYSTEM, TITLE_TEMPLATE, title_request
from recto.messages import Finished, Request
from recto.storage import Chat, NewEvent, Write

LONGEST_ANSWER = 100


async def title_chat(means: Means, chat_id: str) -> None:
    """Give a chat a title, once it has an answer and none yet."""
    chat = await means.storage.chats.get(chat_id)
    if chat.title or chat.deleted_ms is not None:
        return
    entries, _ = await means.archive.end(chat_id, limit=20)
    request = next((one.content for one in entries if isinstance(one.content, User)), None)
    answers = (one.content for one in entries if isinstance(one.content, Assistant))
    answer = next((one for one in answers if search_text(one)), None)
    if request is None or answer is None:
        return
    asked = means.models.resolve(answer.model)
    title: Title | None = None
    if asked is not None and asked.provider.id != BUILTIN.id:
        access = means.models.cheapest(asked.provider.id) or asked
        title = await ask_title(means, chat, access, request.text, search_text(answer))
    # The built-in model is too small to name things; the first words say more.
    await keep_title(means, chat_id, title, first_words(request.text))


async def ask_title(
    means: Means, chat: Chat, access: Access, request: str, answer: str
) -> Title | None:
    """Ask a model; None when it gave none."""
    question = Request(
        model=access.model,
        messages=(title_request(request, answer),),
        max_output=LONGEST_ANSWER,
        system=TITLE_SYSTEM,
        effort="off",
    )
    exchange = Exchange()
    events = means.questions.ask(
        access,
        question,
        feature="title",
        template=TITLE_TEMPLATE,
        project_id=chat.project_id,
        chat_id=chat.id,
        on_booked=exchange.booked.append,
    )
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Sources) or not isinstance(event, Finished):
                continue
            text = title_of(event.message.text)
            if event.failure is None and text:
                return Title(text, access.id, event.usage, exchange.cost_micros)
    return None


async def keep_title(means: Means, chat_id: str, title: Title | None, words: str) -> None:
    """Name the chat, unless somebody was faster."""
    contents: tuple[Content, ...] = ()
    if title is not None:
        contents = (Asked("Name this conversation.", "title_request"), title)
    text = title.text if title is not None else words

    async def work(write: Write) -> tuple[list[Entry], Chat] | None:
        chat = await means.storage.chats.get(chat_id, within=write)
        if chat.title or chat.deleted_ms is not None:
            return None
        chat = await means.storage.chats.update(write, chat_id, title=text, meta=chat.meta)
        await means.storage.search.name(write, chat_id, text)
        return [await means.archive.append(write, chat_id, one) for one in contents], chat

    def tell(done: tuple[list[Entry], Chat] | None) -> list[NewEvent]:
        if done is None:
            return []
        entries, chat = done
        renamed = NewEvent("chat", {"title": chat.title, "model": chat.meta.get("model")})
        return [*told(entries, None), renamed]

    await means.journals.of(chat_id).commit_with(work, tell)
