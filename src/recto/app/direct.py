"""One question without a server: everything is opened, asked, and closed again."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from recto.app.chat_dialect import ChatDialect
from recto.app.model_services import open_model_services
from recto.app.store import open_store
from recto.assist import NoModelAvailable, Sources
from recto.chats.service import title_of
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings
from recto.server import answer_metadata, present_budget, present_usage
from recto.storage import RecordNotFound, Storage

DONE = b"[DONE]"


async def ask_chunks(
    home: Home, settings: Settings, body: bytes
) -> AsyncGenerator[Mapping[str, Any]]:
    """The chunks of an answer in OpenAI's format, the metadata among them."""
    clock = SystemClock()
    ids = SystemIds(clock)
    dialect = ChatDialect(clock.now_ms)
    question = dialect.serve(body)
    async with (
        open_store(home, settings, clock) as storage,
        open_model_services(home, settings, storage, clock, ids) as asking,
    ):
        try:
            access = asking.questions.find(question.model)
        except NoModelAvailable as missing:
            yield {"error": {"message": str(missing)}}
            return
        writer = dialect.writer(ids.new(), question.model, body)
        events = asking.questions.ask(access, question, feature="ask", template="client/1")
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Sources):
                    yield {"metadata": answer_metadata(event)}
                    continue
                for chunk in read_chunks(writer.write(event)):
                    yield chunk


def read_chunks(frames: bytes) -> list[Mapping[str, Any]]:
    """The JSON of some frames."""
    found = (frame.removeprefix(b"data: ") for frame in frames.split(b"\n\n") if frame)
    return [json.loads(data) for data in found if data != DONE]


async def usage_report(home: Home, settings: Settings, month: str | None) -> dict[str, Any]:
    """A month's report, and the budget, as the API would answer them."""
    clock = SystemClock()
    ids = SystemIds(clock)
    async with (
        open_store(home, settings, clock) as storage,
        open_model_services(home, settings, storage, clock, ids) as asking,
    ):
        found = await asking.reports.month(month)
        projects = await names_of_projects(storage, [project.id for project in found.projects])
        known = {chat.id: chat for chat in await storage.chats.some([c.id for c in found.chats])}
        chats = {item.id: title_of(known.get(item.id)) for item in found.chats}
        report = present_usage(found, asking.models, projects, chats)
        budget = await present_budget(asking.models, asking.budget)
        fields = report.model_dump(mode="json", by_alias=True)
        return {**fields, "budget": budget.model_dump(mode="json", by_alias=True)}


async def names_of_projects(storage: Storage, ids: Sequence[str]) -> dict[str, str]:
    """What people call these projects; what a deleted one cost stays."""
    names: dict[str, str] = {}
    for item in ids:
        try:
            names[item] = (await storage.projects.get(item)).name
        except RecordNotFound:
            names[item] = "A deleted project"
    return names
