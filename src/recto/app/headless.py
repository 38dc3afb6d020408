"""Chats for a command without a server: all services, working in a thread beside the command.

The command does one thing at a time and waits for it, so Ctrl+C reaches the command alone and what
it started can be brought to a good end.
"""

import threading
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from contextlib import aclosing, contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from recto.app.services import AppServices, open_services
from recto.chats import ApprovalAnswer, NoSuchApproval, NotRunning, UserMessage
from recto.chats.transfer.exports import ExportFormat
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings, claim_home, load_keys
from recto.server import logging_to
from recto.server.routes.chats.undo import shown
from recto.server.routes.contexts import present as present_context
from recto.server.schemas.skills import Skill
from recto.server.views.chat import present_chat, present_event
from recto.tools import ElicitationAnswer

Json = dict[str, Any]
ENDED = frozenset({"finished", "failed", "cancelled", "interrupted"})
LOOK_AGAIN_S = 0.01
MOST_LISTED = 1000


class Headless:
    """The chats of a home, for one caller in another thread. JSON in the form of the API."""

    def __init__(self, portal: BlockingPortal, working: AppServices) -> None:
        self._portal = portal
        self._working = working
        self._heard: SimpleQueue[Json | None] = SimpleQueue()
        self._hearing: Future[None] | None = None
        self._chat_id = ""

    def begin(self, title: str, model: str | None) -> str:
        """Begin a chat in the folder, and listen to it; its id."""
        self._chat_id = self._portal.call(self._begin, title, model)
        self._hearing = self._portal.start_task_soon(self._hear)
        self._hearing.add_done_callback(lambda _: self._heard.put(None))
        return self._chat_id

    def say(self, said: UserMessage) -> str:
        """Start a turn; its id. Raises a WorkspaceFailure for a bad file, a SkillFailure."""
        return self._portal.call(self._working.chats.say, self._chat_id, said).turn_id

    def contexts(self) -> list[Json]:
        """The contexts of the folder's project."""
        return self._portal.call(self._contexts)

    def skills(self) -> list[Json]:
        """The skills of the folder's project, those that can't be used included."""
        return self._portal.call(self._skills)

    def events(self, turn_id: str) -> Iterator[Json]:
        """What happens next in the chat, up to the end of a turn."""
        assert self._hearing is not None
        while True:
            event = self._heard.get()
            if event is None:
                self._hearing.result()
                return
            yield event
            if is_end(event, turn_id):
                return

    def answer(self, approval_id: str, answer: ApprovalAnswer) -> None:
        """Answer a tool that asks; too late is no failure."""
        try:
            self._portal.call(self._working.chats.answer, approval_id, answer)
        except NoSuchApproval:
            return

    def reply(self, elicitation_id: str, reply: ElicitationAnswer) -> None:
        """Answer an MCP server that asks; too late is no failure."""
        try:
            self._portal.call(self._working.chats.answer_elicitation, elicitation_id, reply)
        except NoSuchApproval:
            return

    def stop(self, turn_id: str) -> None:
        """Stop a turn; one that has just ended is no failure."""
        try:
            self._portal.call(self._working.chats.stop, turn_id)
        except NotRunning:
            return

    def undo(self, turn_id: str, *, dry_run: bool) -> Json:
        """Take back what a turn did to files, or say what that would do."""
        # The end of a turn is told a moment before it lets go of its chat.
        while self._portal.call(self._working.chats.is_running, self._chat_id):
            threading.Event().wait(LOOK_AGAIN_S)
        return self._portal.call(self._undo, turn_id, dry_run)

    def accept(self, turn_id: str) -> None:
        """Where there is no page, no edit waits for review; but the run may become a commit."""
        self._portal.call(self._working.commits.consider, {turn_id})

    def chats(self) -> list[Json]:
        """The chats of the folder, the most recently active first."""
        return self._portal.call(self._chats)

    def export(self, chat_id: str, format: ExportFormat) -> bytes:
        """A chat as a file. Raises RecordNotFound."""
        return self._portal.call(self._working.chats.export, chat_id, format).data

    def close(self) -> None:
        """Listen no longer."""
        if self._hearing is not None:
            self._hearing.cancel()

    async def _begin(self, title: str, model: str | None) -> str:
        project = await self._working.projects.current()
        return (await self._working.chats.create(project.id, title, model)).id

    async def _contexts(self) -> list[Json]:
        project = await self._working.projects.current()
        page = await self._working.contexts.page(project.id, None, MOST_LISTED)
        return [present_context(item).model_dump(mode="json", by_alias=True) for item in page.items]

    async def _skills(self) -> list[Json]:
        project = await self._working.projects.current()
        found = map(Skill.model_validate, await self._working.skills.list(project.id))
        return [item.model_dump(mode="json", by_alias=True) for item in found]

    async def _hear(self) -> None:
        async with aclosing(self._working.chats.follow(self._chat_id, 0)) as events:
            async for told in events:
                event = present_event(told, ())
                if event is not None:
                    self._heard.put(event.model_dump(mode="json", by_alias=True))

    async def _undo(self, turn_id: str, dry_run: bool) -> Json:
        undone = await self._working.chats.undo_run(turn_id, dry_run=dry_run)
        return shown(undone).model_dump(mode="json", by_alias=True)

    async def _chats(self) -> list[Json]:
        project = await self._working.projects.current()
        page = await self._working.chats.page(project.id, None, MOST_LISTED)
        shown_chats = map(partial(present_chat, is_running=False), page.items)
        return [shown_chat.model_dump(mode="json", by_alias=True) for shown_chat in shown_chats]


def is_end(event: Json, turn_id: str) -> bool:
    """Whether an event tells the end of a turn."""
    return event["kind"] == "turn" and event["turnId"] == turn_id and event["state"] in ENDED


@contextmanager
def open_headless(home: Home, settings: Settings, folder: Path) -> Generator[Headless]:
    """The chats of a home that nobody serves, for the length of the block.

    Raises ConfigFailure while another command has the home to itself.
    """
    clock = SystemClock()
    claim = claim_home(home)
    try:
        secrets = [*load_keys(home).values()]
        with (
            logging_to(home.log_file, settings.logs.level, secrets, clock),
            start_blocking_portal() as portal,
        ):
            # The command shows the diff itself, and asks.
            working = open_services(
                home, settings, folder, clock, SystemIds(clock), has_reviewer=False
            )
            opened = portal.wrap_async_context_manager(working)
            headless = Headless(portal, opened.__enter__())
            try:
                yield headless
            finally:
                # What the command failed at is not the services' failure: they close in peace.
                headless.close()
                opened.__exit__(None, None, None)
    finally:
        claim.release()
