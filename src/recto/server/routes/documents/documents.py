"""Live documents over one WebSocket: many files, each on a channel of its own.

Text frames are JSON: open, close, save, resolve from the page; opened, review, refused, state, ack
to it. Binary frames are a channel (4 bytes), a kind (1 byte), and bytes as Yjs makes them: which
edits one has, all that the other lacks, one edit. An ack counts the edits that are in the journal.
"""

import asyncio
import json
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup
from fastapi import WebSocket
from pydantic import ValidationError
from starlette.websockets import WebSocketDisconnect

from recto.documents import (
    BadUpdate,
    DocumentFollower,
    Documents,
    DocumentState,
    EditedEvent,
    LiveDocument,
    NotStored,
    ReadOnly,
    ReviewedEvent,
)
from recto.projects import ProjectFailure, StorageFailure
from recto.reviews import Reviews
from recto.server.access import for_session
from recto.server.document_frames import (
    ASKED,
    PERSON,
    Close,
    FrameKind,
    Open,
    Resolve,
    Save,
    edit_in,
)
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.sessions import Session
from recto.server.sockets import NOT_SIGNED_IN, POLICY, PROTOCOL, shortened
from recto.server.views.document import Reviewing, presented
from recto.workspace import WorkspaceFailure

router = Router(tags=["documents"])

MAX_CHANNELS = 200
RETRY_S = 1.0
HEAD = struct.Struct(">IB")
OpenDocuments = Callable[[str], Awaitable[Documents]]


class InvalidFrame(Exception):
    """The page does not speak this protocol."""


@dataclass(slots=True)
class Channel:
    """One file that one page shows."""

    life: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    shown: tuple[LiveDocument, DocumentFollower] | None = None
    is_closed: bool = False
    edits: int = 0
    acknowledged: int = 0
    is_acknowledging: bool = False


@router.websocket("/api/v1/projects/{project_id}/documents/sync")
@for_session
async def sync(websocket: WebSocket, project_id: ResourceId) -> None:
    """Everything that one page does with the documents of a project, until either side ends it."""
    session: Session = websocket.state.session
    open_documents: OpenDocuments = websocket.app.state.services.documents
    await websocket.accept()
    try:
        documents = await open_documents(project_id)
    except (ProjectFailure, StorageFailure, WorkspaceFailure) as failure:
        await websocket.close(POLICY, shortened(failure.message))
        return
    reviews: Reviews = websocket.app.state.services.reviews
    await Connection(websocket, documents, Reviewing(reviews, project_id)).run(session.ended)


class Connection:
    """One page's socket."""

    def __init__(self, websocket: WebSocket, documents: Documents, reviewing: Reviewing) -> None:
        self._socket = websocket
        self._documents = documents
        self._reviewing = reviewing
        self._channels: dict[int, Channel] = {}
        self._sending = anyio.Lock()

    async def run(self, ended: asyncio.Event) -> None:
        """Answer the page until it leaves, talks nonsense, or its session ends."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._close_when, ended, tasks)
            try:
                while True:
                    await self._receive(tasks)
            except WebSocketDisconnect:
                tasks.cancel_scope.cancel()
            except InvalidFrame as nonsense:
                await self._close(PROTOCOL, str(nonsense), tasks)

    async def _close_when(self, ended: asyncio.Event, tasks: TaskGroup) -> None:
        await ended.wait()
        await self._close(POLICY, NOT_SIGNED_IN, tasks)

    async def _close(self, code: int, reason: str, tasks: TaskGroup) -> None:
        async with self._sending:  # whoever waits to send is ended before it can
            with suppress(WebSocketDisconnect):
                await self._socket.close(code, shortened(reason))
            tasks.cancel_scope.cancel()

    async def _receive(self, tasks: TaskGroup) -> None:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        data = message.get("bytes")
        if data is not None:
            await self._on_bytes(data, tasks)
            return
        try:
            asked = ASKED.validate_json(message.get("text") or "")
        except ValidationError as error:
            raise InvalidFrame("The message is not one of this protocol.") from error
        await self._on_asked(asked, tasks)

    async def _on_asked(self, asked: Open | Close | Save | Resolve, tasks: TaskGroup) -> None:
        match asked:
            case Open():
                if asked.channel in self._channels or len(self._channels) >= MAX_CHANNELS:
                    raise InvalidFrame("The channel is taken, or there are too many.")
                channel = self._channels[asked.channel] = Channel()
                tasks.start_soon(self._show, asked, channel)
            case Close():
                channel = self._channels.get(asked.channel)
                if channel is not None:
                    channel.is_closed = True
                    channel.life.cancel()
            case Save() | Resolve():
                channel = self._channels.get(asked.channel)
                if channel is not None and channel.shown is not None:
                    tasks.start_soon(carry_out, asked, channel.shown[0])

    async def _show(self, asked: Open, channel: Channel) -> None:
        """Follow a file for the page, for as long as it is shown."""
        number = asked.channel
        try:
            with channel.life:
                async with self._documents.using(asked.path) as opened:
                    if isinstance(opened, ReadOnly):
                        await self._refuse(number, opened.reason, read_only=True)
                    else:
                        await self._follow(asked, channel, opened)
        except WorkspaceFailure as failure:
            await self._refuse(number, str(failure))
        finally:
            del self._channels[number]

    async def _follow(self, asked: Open, channel: Channel, document: LiveDocument) -> None:
        number = asked.channel
        with document.follow() as follower:
            channel.shown = (document, follower)
            await self._tell(
                type="opened", channel=number, epoch=document.epoch, ending=document.shape.ending
            )
            try:
                if asked.whole:
                    await self._send(number, FrameKind.MISSING, document.whole())
                    await self._tell_review(number, document)
                else:
                    await self._send(number, FrameKind.VERSION, document.version())
                while True:
                    for news in await follower.news():
                        await self._pass_on(number, document, news)
            finally:
                if not channel.is_closed:
                    await remember(document)
                await self._reviewing.leave(document)

    async def _pass_on(
        self, number: int, document: LiveDocument, news: EditedEvent | ReviewedEvent | DocumentState
    ) -> None:
        match news:
            case EditedEvent():
                kind = FrameKind.EDIT_BY_AI if news.is_undoable else FrameKind.EDIT
                await self._send(number, kind, news.update)
            case ReviewedEvent():
                await self._tell_review(number, document)
            case DocumentState():
                await self._tell(type="state", channel=number, **presented(news))

    async def _tell_review(self, number: int, document: LiveDocument) -> None:
        review = await self._reviewing.presented(document)
        await self._tell(type="review", channel=number, **review)

    async def _on_bytes(self, data: bytes, tasks: TaskGroup) -> None:
        if len(data) < HEAD.size:
            raise InvalidFrame("The frame has no head.")
        number, kind = HEAD.unpack_from(data)
        channel = self._channels.get(number)
        if channel is None or channel.shown is None:
            return  # it was closed or refused while this was on its way
        document, follower = channel.shown
        body = data[HEAD.size :]
        try:
            if kind == FrameKind.VERSION:
                await self._send(number, FrameKind.MISSING, document.updates_since(body))
                # Behind the text that it is about.
                tasks.start_soon(self._tell_review, number, document)
            elif (edit := edit_in(kind, body)) is not None:
                origin, update = edit
                document.take_update(update, origin, by=follower)
                channel.edits += 1
                if not channel.is_acknowledging:
                    channel.is_acknowledging = True
                    tasks.start_soon(self._acknowledge, number, channel, document)
            else:
                raise InvalidFrame("The frame is of no known kind.")
        except BadUpdate as failure:
            await self._refuse(number, str(failure))
            channel.life.cancel()

    async def _acknowledge(self, number: int, channel: Channel, document: LiveDocument) -> None:
        """Tell the page which of its edits are in the journal, as many at once as there are."""
        while channel.acknowledged < channel.edits:
            edits = channel.edits
            try:
                await document.store()
            except NotStored:  # the state says so; the page keeps them until they are
                await anyio.sleep(RETRY_S)
                continue
            channel.acknowledged = edits
            await self._tell(type="ack", channel=number, edits=edits)
        channel.is_acknowledging = False

    async def _refuse(self, number: int, reason: str, *, read_only: bool = False) -> None:
        await self._tell(type="refused", channel=number, reason=reason, readOnly=read_only)

    async def _tell(self, **message: object) -> None:
        await self._put({"type": "websocket.send", "text": json.dumps(message)})

    async def _send(self, number: int, kind: FrameKind, body: bytes) -> None:
        await self._put({"type": "websocket.send", "bytes": HEAD.pack(number, kind) + body})

    async def _put(self, message: dict[str, object]) -> None:
        """Send; that the page has left is for the receiving side to see."""
        async with self._sending:
            with suppress(WebSocketDisconnect):
                await self._socket.send(message)


async def remember(document: LiveDocument) -> None:
    """Store even a text nobody edited: a page that was cut off may come back with edits of it."""
    with anyio.CancelScope(shield=True), suppress(NotStored):
        await document.store()


async def carry_out(asked: Save | Resolve, document: LiveDocument) -> None:
    """Do what a page asked for; how it went is in the state that all pages get."""
    if isinstance(asked, Save):
        await document.save(asked=True, as_utf8=asked.as_utf8)
    else:
        await document.resolve(asked.choice, PERSON)
