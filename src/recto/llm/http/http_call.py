"""One call to a provider: the request, the bytes of its answer, and what went wrong with it."""

import asyncio
import contextlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, Protocol

from recto.llm.answers import MAX_FAILURE_BYTES, MAX_WHOLE_BYTES, UnreadableAnswer
from recto.llm.endpoint import Endpoint, Limit, Timeouts
from recto.llm.http.http_answers import HttpAnswer, Take
from recto.llm.http.http_faults import CERTIFICATE_FAULTS, FAULTS, explain_fault
from recto.llm.http.request_head import BadKey, sent_headers
from recto.llm.http.unpacking import Unpacker
from recto.llm.wire import REDIRECT, Record, WireRequest
from recto.messages import Failure, FailureKind

MAX_ANSWER_BYTES = 256 * 1024 * 1024
SHORTEST_SECRET = 8
DRAIN_S = 0.1
REQUEST_ID_HEADERS = ("request-id", "x-request-id")
UNRECORDED_HEADERS = frozenset(
    ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-goog-api-key"]
)
Method = Literal["GET", "POST", "DELETE"]


class Connections(Protocol):
    """Where a request is sent; the transport is one."""

    async def open(
        self, method: str, address: str, headers: Mapping[str, str], body: bytes, deadline: float
    ) -> HttpAnswer:
        """One request, until its answer begins. Raises one of FAULTS."""
        ...


class HttpCall:
    """One request and the bytes of its answer, within the time allowed."""

    def __init__(
        self,
        connections: Connections,
        endpoint: Endpoint,
        wire: WireRequest,
        *,
        timeouts: Timeouts,
        record: Record | None = None,
        method: Method = "POST",
    ) -> None:
        self._connections = connections
        self._endpoint = endpoint
        self._wire = wire
        self._timeouts = timeouts
        self._record = record
        self._method = method
        self._secret = endpoint.key.reveal() if endpoint.key else ""
        self._answer: HttpAnswer | None = None
        self._held = b""
        self._unpacker: Unpacker | None = None
        self._size = 0
        self._now = asyncio.get_running_loop().time
        self._began = self._told_at = self._heard_at = self._now()
        self._limit: Limit = "total"

    @property
    def host(self) -> str:
        """All of the address that may be told."""
        return self._endpoint.host

    @property
    def status(self) -> int | None:
        """The HTTP status, once there is one."""
        return self._answer.status if self._answer else None

    @property
    def headers(self) -> Mapping[str, str]:
        """The answer's headers, with names in lower case."""
        return self._answer.headers if self._answer else {}

    async def open(self) -> None:
        """Send the request and wait until the answer begins. Raises UnreadableAnswer."""
        if self._record:
            self._record("request", self._wire.body)
        address = self._endpoint.address(self._wire.path)
        try:
            headers = sent_headers(self._endpoint, self._wire.headers)
        except BadKey as fault:
            words = "The key holds signs that no key has. Set it again."
            raise self._broken("auth", words) from fault
        try:
            answer = self._answer = await self._connections.open(
                self._method, address, headers, self._wire.body, self._deadline()
            )
        except FAULTS as fault:
            raise self._broken(*self._told_of(fault), fault=fault) from fault
        if self._record:
            self._record("head", self._head())
        if 300 <= answer.status < 400:
            raise self._broken("not_found", self._redirect_words(), code=REDIRECT)
        if self._record and (request_id := self._request_id()):
            self._record("request_id", request_id.encode())
        packing = answer.headers.get("content-encoding", "").strip().lower()
        if packing in {"gzip", "x-gzip", "deflate"}:
            self._unpacker = Unpacker()
        elif packing not in {"", "identity"}:
            raise self._broken("upstream", f"{self.host} packed its answer in an unknown way.")

    async def read(self) -> bytes | None:
        """Some more bytes, possibly none yet; None at the end. Raises UnreadableAnswer."""
        try:
            if self._unpacker and self._unpacker.has_more:
                return self._taken(self._unpacker.unpack())
            assert self._answer is not None
            found = await self._answer.read(self._deadline())
            # Whole, if it tells of a failure: a key in it may come in two pieces.
            while found and not self._is_success() and len(self._held) < MAX_FAILURE_BYTES:
                self._held += found
                found = await self._answer.read(self._deadline())
            found, self._held = self._held + found, b""
            if not found:
                return None
            return self._taken(self._unpacker.unpack(found) if self._unpacker else found)
        except (*FAULTS, RuntimeError) as fault:
            # A RuntimeError is how aiohttp tells of a connection that ended while nobody read.
            raise self._broken(*self._told_of(fault), fault=fault) from fault

    async def pass_on(self, take: Take) -> bool:
        """Hand over what comes as it comes, until `take` answers no; False at the end.

        Raises UnreadableAnswer, also when `take` did.
        """
        answer = self._answer
        assert answer is not None
        if self._unpacker or self._held or not self._is_success():
            piece = await self.read()
            if piece is not None:
                take(piece)
            return piece is not None
        broken: list[UnreadableAnswer] = []

        def taken(found: bytes) -> bool:
            self._heard_at = self._now()
            try:
                return take(self._taken(found))
            except UnreadableAnswer as error:
                # Told to whoever waits below; a bug ends the connection, with its trace in the log.
                broken.append(error)
                return False

        self._heard_at = self._now()
        try:
            goes_on = await answer.pass_on(taken, lambda: self._deadline(self._heard_at))
        except (*FAULTS, RuntimeError) as fault:
            raise self._broken(*self._told_of(fault), fault=fault) from fault
        if broken:
            raise broken[0]
        return goes_on

    async def read_all(self) -> bytes:
        """The whole body. Raises UnreadableAnswer."""
        body = bytearray()
        while (piece := await self.read()) is not None:
            body += piece
            if len(body) > MAX_WHOLE_BYTES:
                raise self._broken("upstream", self._too_much())
        return bytes(body)

    def left_over(self) -> bytes:
        """What had come before a break and was not read yet."""
        if self._answer is None:
            return b""
        found, self._held = self._held + self._answer.left_over(), b""
        with contextlib.suppress(zlib.error, UnreadableAnswer):
            return self._taken(self._unpacker.unpack(found) if self._unpacker else found)
        return b""

    def told(self) -> None:
        """Something of the answer could be shown."""
        self._told_at = self._now()

    def _taken(self, piece: bytes) -> bytes:
        self._size += len(piece)
        if self._size > MAX_ANSWER_BYTES:
            raise self._broken("upstream", self._too_much())
        if not self._is_success():
            piece = self._without_key(piece)
        if self._record and piece:
            self._record("answer", piece)
        return piece

    def _is_success(self) -> bool:
        return 200 <= (self.status or 0) < 300

    def _without_key(self, piece: bytes) -> bytes:
        """An error's body without the key, which some providers repeat.

        What is recorded is kept: the key must be gone before.
        """
        key = self._secret.encode()
        return piece.replace(key, "…".encode()) if len(key) >= SHORTEST_SECRET else piece

    def _deadline(self, since: float | None = None) -> float:
        """When the wait that began then, or begins now, must end; remembers by which limit."""
        waits = self._timeouts
        next_s = waits.idle_s if self._size else waits.first_s
        when, self._limit = min(
            (
                (self._now() if since is None else since) + next_s,
                "idle" if self._size else "first",
            ),
            (self._told_at + waits.content_s, "content"),
            (self._began + waits.total_s, "total"),
        )
        return when

    async def drain(self) -> None:
        """Take what follows the last event, so that the connection can be used again."""
        deadline = self._now() + DRAIN_S
        with contextlib.suppress(*FAULTS):
            # Some servers keep the connection open after the last event.
            while self._answer and await self._answer.read(deadline):
                pass

    def close(self) -> None:
        """Cut the connection, unless the answer came to its end: then it went back to the pool."""
        if self._answer is not None:
            self._answer.close()

    def sign(self, failure: Failure) -> Failure:
        """The failure with provider and request id, and without the key."""
        signed = replace(
            failure,
            provider=failure.provider or self._endpoint.provider,
            request_id=failure.request_id or self._request_id(),
        )
        words = (signed.message, signed.code, signed.request_id)
        message, code, request_id = (word and self._bare(word) for word in words)
        return replace(signed, message=message or "", code=code, request_id=request_id)

    def _head(self) -> bytes:
        """The answer's status and headers, as they may be recorded."""
        hidden = UNRECORDED_HEADERS | {self._endpoint.key_header.name.lower()}
        headers = {
            name: self._bare(value) for name, value in self.headers.items() if name not in hidden
        }
        return json.dumps({"status": self.status, "headers": headers}).encode()

    def _bare(self, words: str) -> str:
        """The words without the key, which some providers repeat."""
        # A very short key would be "found" in ordinary words.
        return words.replace(self._secret, "…") if len(self._secret) >= SHORTEST_SECRET else words

    def _request_id(self) -> str | None:
        headers = self.headers
        return next((headers[name] for name in REQUEST_ID_HEADERS if name in headers), None)

    def _broken(
        self,
        kind: FailureKind,
        message: str,
        *,
        code: str | None = None,
        fault: BaseException | None = None,
    ) -> UnreadableAnswer:
        # A certificate that is not trusted now will not be in a moment.
        retry = False if isinstance(fault, CERTIFICATE_FAULTS) else None
        status = None if self.status == 200 else self.status
        return UnreadableAnswer(Failure(kind, message, status=status, code=code, may_retry=retry))

    def _told_of(self, fault: BaseException) -> tuple[FailureKind, str]:
        return explain_fault(fault, self.host, self._timeouts, self._limit)

    def _redirect_words(self) -> str:
        return (
            f"{self.host} sends calls on to another address, which Recto does not follow. "
            "Name the right address in models.json."
        )

    def _too_much(self) -> str:
        return f"{self.host} answered with more data than Recto takes."
