"""A streamed answer that shows signs of life while there is nothing to tell.

Whatever stands between the server and a client may take a silent connection for a dead one. A
comment, which every client of server-sent events passes over, keeps it.
"""

from collections.abc import AsyncIterable

import anyio
from starlette.responses import StreamingResponse
from starlette.types import Message, Send

KEEP_ALIVE_S = 15.0
COMMENT = b": keep-alive\n\n"


class LiveStream(StreamingResponse):
    """Server-sent events, with a comment whenever nothing was sent for `every_s` seconds.

    Each piece of `content` must hold whole events: a comment may come between any two. The answer
    begins with the first of them: until then, a failure can still be an answer of its own.
    """

    def __init__(self, content: AsyncIterable[bytes], *, every_s: float = KEEP_ALIVE_S) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(content, media_type="text/event-stream", headers=headers)
        self._every_s = every_s
        self._told_at = 0.0
        self._is_over = False
        self._start: Message | None = None

    async def stream_response(self, send: Send) -> None:
        """Send everything, and comments in between."""

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                # Held back: once the head is sent, a failure can't have a status of its own.
                self._start = message
                return
            self._told_at = anyio.current_time()
            self._is_over = not message.get("more_body", True)
            start, self._start = self._start, None
            if start is not None:
                await send(start)
            await send(message)

        self._told_at = anyio.current_time()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._keep_alive, tell)
                await super().stream_response(tell)
                tasks.cancel_scope.cancel()
        except ExceptionGroup as group:
            # Whoever answers for failures looks for them, not for groups.
            raise group.exceptions[0] from None

    async def _keep_alive(self, send: Send) -> None:
        while not self._is_over:
            left_s = self._told_at + self._every_s - anyio.current_time()
            if left_s > 0:
                await anyio.sleep(left_s)
                continue
            self._told_at = anyio.current_time()
            await send({"type": "http.response.body", "body": COMMENT, "more_body": True})
