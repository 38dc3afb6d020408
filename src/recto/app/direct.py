"""One question without a server: everything is opened, asked, and closed again."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from recto.app.asking import open_asking
from recto.app.chat_dialect import ChatDialect
from recto.app.store import open_store
from recto.assist import NoModel, Sources
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings
from recto.server import answer_metadata, present_budget, present_usage

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
        open_asking(home, settings, storage, clock, ids) as asking,
    ):
        try:
            access = asking.questions.find(question.model)
        except NoModel as missing:
            yield {"error": {"message": str(missing)}}
            return
        writer = dialect.writer(ids.new(), question.model, body)
        events = asking.questions.ask(access, question, feature="ask", template="client/1")
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Sources):
                    yield {"metadata": answer_metadata(event)}
                    continue
                for chunk in chunks_of(writer.write(event)):
                    yield chunk


def chunks_of(frames: bytes) -> list[Mapping[str, Any]]:
    """The JSON of some frames."""
    found = (frame.removeprefix(b"data: ") for frame in frames.split(b"\n\n") if frame)
    return [json.loads(data) for data in found if data != DONE]


async def usage_report(home: Home, settings: Settings, month: str | None) -> dict[str, Any]:
    """A month's report, and the budget, as the API would answer them."""
    clock = SystemClock()
    ids = SystemIds(clock)
    async with (
        open_store(home, settings, clock) as storage,
        open_asking(home, settings, storage, clock, ids) as asking,
    ):
        report = present_usage(await asking.reports.month(month), asking.models, {})
        budget = await present_budget(asking.models, asking.budget)
        fields = report.model_dump(mode="json", by_alias=True)
        return {**fields, "budget": budget.model_dump(mode="json", by_alias=True)}
