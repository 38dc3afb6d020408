"""Where a command's chats are: in a Recto that runs already, or in one of the command's own.

Both speak the JSON of the API, so the command need not know which it is.
"""

import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol
from urllib.parse import quote

from recto.app import open_headless
from recto.chats import UserMessage
from recto.cli.running_server import RequestRefused, ask, download, fetch, stream_events
from recto.config import Home, RunningServer, find_running, load_settings
from recto.tools import ElicitationAnswer as Reply

Json = dict[str, Any]
Answer = Literal["once", "chat", "always", "deny"]
Format = Literal["markdown", "html", "json"]
ENDED = frozenset({"finished", "failed", "cancelled", "interrupted"})
NOT_NOW = 409
ATTEMPTS = 50
LOOK_AGAIN_S = 0.1
MOST_LISTED = 1000
PAGE = 200


class CommandChats(Protocol):
    """The chats of one folder, as a command uses them."""

    def begin(self, title: str, model: str | None) -> str:
        """Begin a chat; its id."""
        ...

    def say(self, said: UserMessage) -> str:
        """Start a turn in it; the turn's id."""
        ...

    def contexts(self) -> list[Json]:
        """The contexts of the folder's project."""
        ...

    def skills(self) -> list[Json]:
        """The skills of the folder's project, those that can't be used included."""
        ...

    def events(self, turn_id: str) -> Iterator[Json]:
        """What happens next in the chat, up to the end of a turn. May be asked for again."""
        ...

    def answer(self, approval_id: str, answer: Answer) -> None:
        """Answer a tool that asks; too late is no failure."""
        ...

    def reply(self, elicitation_id: str, reply: Reply) -> None:
        """Answer an MCP server that asks; too late is no failure."""
        ...

    def stop(self, turn_id: str) -> None:
        """Stop a turn; too late is no failure."""
        ...

    def undo(self, turn_id: str, *, dry_run: bool) -> Json:
        """Take back what a turn did to files, or say what that would do."""
        ...

    def accept(self, turn_id: str) -> None:
        """Agree to what a turn did to files: nobody need review it."""
        ...

    def chats(self) -> list[Json]:
        """The chats of the folder, the most recently active first."""
        ...

    def export(self, chat_id: str, format: Format) -> bytes:
        """A chat as a file."""
        ...


class ServedChats:
    """The chats of a Recto that runs already."""

    def __init__(self, running: RunningServer, folder: Path) -> None:
        self._running = running
        project = ask(running, "/api/v1/projects", {"path": str(folder)})
        self._project_path = f"/api/v1/projects/{project['id']}"
        self._chats_path = f"{self._project_path}/chats"
        self._chat_path = ""
        self._last = 0

    def begin(self, title: str, model: str | None) -> str:
        """Begin a chat; its id."""
        chat = ask(self._running, self._chats_path, {"title": title, "model": model})
        self._chat_path = f"/api/v1/chats/{chat['id']}"
        return chat["id"]

    def say(self, said: UserMessage) -> str:
        """Start a turn in it; the turn's id."""
        body = {
            "text": said.text,
            "files": list(said.files),
            "plan": said.plan,
            "model": said.model,
            "contextIds": list(said.context_ids),
            "skillIds": list(said.skill_ids),
        }
        return ask(self._running, f"{self._chat_path}/turns", body)["turnId"]

    def contexts(self) -> list[Json]:
        """The contexts of the folder's project."""
        return self._every("contexts")

    def skills(self) -> list[Json]:
        """The skills of the folder's project, those that can't be used included."""
        return self._every("skills")

    def events(self, turn_id: str) -> Iterator[Json]:
        """What happens next in the chat, up to the end of a turn."""
        for event in stream_events(self._running, f"{self._chat_path}/events?after={self._last}"):
            yield event
            self._last = event["seq"]
            if event["kind"] == "turn" and event["turnId"] == turn_id and event["state"] in ENDED:
                return

    def answer(self, approval_id: str, answer: Answer) -> None:
        """Answer a tool that asks; somebody at the page may have been first."""
        self._unless_late(f"/api/v1/approvals/{approval_id}", {"answer": answer})

    def reply(self, elicitation_id: str, reply: Reply) -> None:
        """Answer an MCP server that asks; somebody at the page may have been first."""
        body = {"action": reply.action, "content": reply.content}
        self._unless_late(f"/api/v1/elicitations/{elicitation_id}", body)

    def stop(self, turn_id: str) -> None:
        """Stop a turn."""
        self._unless_late(f"/api/v1/turns/{turn_id}/cancel")

    def undo(self, turn_id: str, *, dry_run: bool) -> Json:
        """Take back what a turn did to files, or say what that would do."""
        path = f"/api/v1/turns/{turn_id}/undo?dryRun={'true' if dry_run else 'false'}"
        for _ in range(ATTEMPTS):
            try:
                return ask(self._running, path)
            except RequestRefused as refused:
                if refused.status != NOT_NOW:
                    raise
            # The end of a turn is told a moment before it lets go of its chat.
            threading.Event().wait(LOOK_AGAIN_S)
        return ask(self._running, path)

    def accept(self, turn_id: str) -> None:
        """Agree to what a turn did to files: nobody need review it."""
        ask(self._running, f"/api/v1/turns/{turn_id}/accept")

    def chats(self) -> list[Json]:
        """The chats of the folder, the most recently active first."""
        return fetch(self._running, f"{self._chats_path}?limit={MOST_LISTED}")["items"]

    def export(self, chat_id: str, format: Format) -> bytes:
        """A chat as a file."""
        path = f"/api/v1/chats/{quote(chat_id, safe='')}/export?format={format}"
        return download(self._running, path)

    def _every(self, what: str) -> list[Json]:
        """All pages of a list of the project."""
        found: list[Json] = []
        cursor = ""
        while True:
            page = fetch(self._running, f"{self._project_path}/{what}?limit={PAGE}{cursor}")
            found += page["items"]
            if page["nextCursor"] is None:
                return found
            cursor = f"&cursor={quote(page['nextCursor'], safe='')}"

    def _unless_late(self, path: str, body: object = None) -> None:
        try:
            ask(self._running, path, body)
        except RequestRefused as refused:
            if refused.status != NOT_NOW:
                raise


@contextmanager
def open_command_chats(home: Home, folder: Path) -> Generator[CommandChats]:
    """The chats of a folder, for the length of the block."""
    running = find_running(home)
    if running is not None:
        yield ServedChats(running, folder)
        return
    with open_headless(home, load_settings(home.settings_file), folder) as headless:
        yield headless
