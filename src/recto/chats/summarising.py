"""A summary of a chat, made on request: a checkpoint from which the conversation goes on."""

from contextlib import aclosing

import anyio

from recto.agent import TurnEnded
from recto.assist import NoModel, Sources
from recto.chats import telling
from recto.chats.documenting import toolbox_for
from recto.chats.entries import Asked, Error
from recto.chats.exchange import Exchange
from recto.chats.ground import brought_by, lay_ground
from recto.chats.inputs import input_of
from recto.chats.means import Means
from recto.chats.minutes import Minutes
from recto.chats.permits import already_followed
from recto.chats.prompting import PINS, Asking, ask_for
from recto.chats.summaries import summary_entry
from recto.chats.threads.about import thread_of
from recto.context import SUMMARY_TEMPLATE, TooLong, summary_request
from recto.messages import Failure, Finished
from recto.storage import Chat, Run

EMPTY = Failure("upstream", "The model gave no summary. The conversation is as it was.")


class SummaryTurn:
    """The turn in which a model summarises. The conversation stays as it is until it has."""

    def __init__(self, means: Means, chat: Chat, run: Run) -> None:
        self.chat = chat
        self.run = run
        self.done = anyio.Event()
        self.is_stopped = False
        self._means = means
        self._minutes = Minutes(means, chat, run)
        self._scope = anyio.CancelScope()
        self._exchange = Exchange()

    def stop(self) -> None:
        """A person has had enough."""
        self.is_stopped = True
        self._scope.cancel()

    async def end(self, event: TurnEnded) -> None:
        """The turn is over."""
        await self._minutes.end(event, is_stopped=self.is_stopped)

    async def work(self) -> None:
        """Ask for the summary and keep it."""
        ended = TurnEnded("cancelled", "The summary was stopped. The conversation is as it was.")
        try:
            with self._scope:
                ended = await self._summarise()
        finally:
            with anyio.CancelScope(shield=True):
                await self.end(ended)

    async def _summarise(self) -> TurnEnded:
        means = self._means
        try:
            access = means.questions.find(input_of(self.run.body).model or "")
        except NoModel as missing:
            return TurnEnded("failed", missing.message, Failure("not_found", str(missing)))
        workspace = await means.open_workspace(self.chat.project_id)
        thread = await thread_of(means, self.chat)
        plain = await means.open_toolbox(workspace)
        toolbox = toolbox_for(means, self.chat.project_id, plain, None, thread)
        self._minutes.entries = await means.archive.since_checkpoint(self.chat.id)
        # The same tools as always: without them the provider's cache would not be hit.
        today = means.models.today()
        brought = await brought_by(workspace)
        follow = already_followed(means, workspace.root, self.chat, brought)
        ground = await lay_ground(
            workspace, toolbox, access, today, plan=False, follow=follow, thread=thread
        )
        asking = ask_for(
            self._minutes.entries,
            ground,
            access,
            means.counter,
            chat_id=self.chat.id,
            pins=self.chat.meta.get(PINS, ()),
            request=summary_request(),
        )
        if isinstance(asking, TooLong):
            return TurnEnded("failed", asking.failure.message, asking.failure)
        self._minutes.add("step", telling.step(1, access))
        events = means.questions.ask(
            access,
            asking.request,
            feature="summary",
            template=SUMMARY_TEMPLATE,
            contexts=(*ground.contexts, *asking.prompt.context_hashes),
            project_id=self.chat.project_id,
            chat_id=self.chat.id,
            turn_id=self.run.id,
            cache_at=asking.cache_at,
            record=self._exchange.note,
            on_booked=self._exchange.booked.append,
        )
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Finished):
                    return await self._keep(event, access.id, asking)
                if not isinstance(event, Sources) and (shown := telling.piece(1, event)):
                    self._minutes.add(*shown)
        raise RuntimeError("A stream ended without Finished.")

    async def _keep(self, end: Finished, model: str, asking: Asking) -> TurnEnded:
        failure = end.failure or (None if end.message.text.strip() else EMPTY)
        if failure is not None:
            await self._minutes.append(Error(failure, self.run.id))
            return TurnEnded("failed", failure.message, failure)
        summary = summary_entry(
            self._minutes.entries,
            text=end.message.text,
            model=model,
            usage=end.usage,
            cost_micros=self._exchange.cost_micros,
            pins=self.chat.meta.get(PINS, ()),
        )
        await self._minutes.append(Asked(summary_request().text, "summary_request"), summary)
        return TurnEnded("done")
