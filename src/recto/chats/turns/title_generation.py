"""A chat's title: asked after the first answer, and never in the way.

It is asked of the cheapest model of the provider that answered: what was said to one provider, or
to a model on this computer, goes to nobody else for the sake of a name.
"""

from contextlib import aclosing

from recto.access import BUILTIN, Access
from recto.assist import Sources
from recto.chats.history.archive import entry_events
from recto.chats.history.entries import (
    Assistant,
    ChatEntry,
    EntryContent,
    SideQuestion,
    Title,
    User,
)
from recto.chats.history.search_text import search_text
from recto.chats.history.title_text import first_words, title_of
from recto.chats.services import ChatServices
from recto.chats.turns.wire_exchange import Exchange
from recto.context import TITLE_SYSTEM, TITLE_TEMPLATE, title_request
from recto.messages import Finished, Request
from recto.storage import Chat, NewEvent, WriteTransaction

LONGEST_ANSWER = 100


async def generate_title(services: ChatServices, chat_id: str) -> None:
    """Give a chat a title, once it has an answer and none yet."""
    chat = await services.storage.chats.get(chat_id)
    if chat.title or chat.deleted_ms is not None:
        return
    # From its beginning: a first answer with many tools is long, and the request stands before it.
    entries = await services.archive.all(chat_id)
    request = next((entry.content for entry in entries if isinstance(entry.content, User)), None)
    answers = (entry.content for entry in entries if isinstance(entry.content, Assistant))
    answer = next((item for item in answers if search_text(item)), None)
    if request is None:
        return
    if answer is None:
        # Nothing was answered yet, or it failed: a list of chats needs something to tell it by.
        await store_title(services, chat_id, None, first_words(request.text))
        return
    answered_by = services.models.resolve(answer.model)
    title: Title | None = None
    if answered_by is not None and answered_by.provider.id != BUILTIN.id:
        access = services.models.cheapest(answered_by.provider.id) or answered_by
        title = await ask_title(services, chat, access, request.text, search_text(answer))
    # The built-in model is too small to name things; the first words say more.
    await store_title(services, chat_id, title, first_words(request.text))


async def ask_title(
    services: ChatServices, chat: Chat, access: Access, request: str, answer: str
) -> Title | None:
    """Ask a model; None when it gave none."""
    question = Request(
        model=access.model,
        messages=(title_request(request, answer),),
        max_output=LONGEST_ANSWER,
        system=TITLE_SYSTEM,
        # A model that thinks would spend the few tokens allowed before it says a word.
        effort="off",
    )
    exchange = Exchange()
    events = services.questions.ask(
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
                return Title(text, access.id, exchange.usage(event.usage), exchange.cost_micros)
    return None


async def store_title(
    services: ChatServices, chat_id: str, title: Title | None, words: str
) -> None:
    """Name the chat, unless somebody was faster."""
    contents: tuple[EntryContent, ...] = ()
    if title is not None:
        # Both are in the history for the account's sake; neither is ever sent.
        contents = (SideQuestion("Name this conversation.", "title_request"), title)
    text = title.text if title is not None else words

    async def work(write: WriteTransaction) -> tuple[list[ChatEntry], Chat] | None:
        chat = await services.storage.chats.get(chat_id, within=write)
        # A person may have named or deleted it while the model was asked.
        if chat.title or chat.deleted_ms is not None:
            return None
        chat = await services.storage.chats.update(write, chat_id, title=text, meta=chat.meta)
        await services.storage.search.name(write, chat_id, text)
        return [
            await services.archive.append(write, chat_id, content) for content in contents
        ], chat

    def tell(done: tuple[list[ChatEntry], Chat] | None) -> list[NewEvent]:
        if done is None:
            return []
        entries, chat = done
        renamed = NewEvent("chat", {"title": chat.title, "model": chat.meta.get("model")})
        return [*entry_events(entries, None), renamed]

    await services.journals.of(chat_id).commit_with(work, tell)
