"""One server: connected and kept so, by a background task of its own, and what is known of it."""

from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import msgspec

from recto.config import ConfigFailure, load_keys
from recto.mcp.approval import start_digest, start_lines
from recto.mcp.calls import PendingCall, PendingCalls
from recto.mcp.configuration import ServerConfig, resolved
from recto.mcp.definitions import ToolDefinition, digest_of
from recto.mcp.failures import McpFailure, ServerEnded, ServerUnavailable
from recto.mcp.followed import FollowedResources
from recto.mcp.log import ServerLog
from recto.mcp.records import Approved, ServerRecord, learned
from recto.mcp.server_offers import ServerOffers
from recto.mcp.server_services import ServerServices, load_session
from recto.mcp.server_state import ServerState, StateKind
from recto.mcp.signing_in.sign_in_task import SignInTask
from recto.processes import ProcessFailure

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from recto.mcp.connection import McpConnection
    from recto.mcp.session import McpSession

START_S = 60.0
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
STEADY_S = 60.0
MOST_FAILURES = 5
CHANGES_S = 0.5
REST_S = 60.0
"""A server that was given up is tried again when a chat needs it, but not before this."""
MAX_INSTRUCTIONS = 8000
MOST_SIGN_INS = 2
"""How often a person is asked to sign in for one call."""


class McpServer:
    """A server of the home or of a folder."""

    def __init__(self, config: ServerConfig, services: ServerServices, folder: str) -> None:
        self.config = config
        self.log = ServerLog()
        self.revision = ""
        self.title = ""
        self.offers = ServerOffers(config.name, self.connected)
        self.followed = FollowedResources()
        self._services = services
        self._folder = folder
        self._state = ServerState("off")
        self._listed: tuple[ToolDefinition, ...] | None = None
        self._connection: McpConnection | None = None
        self._session: McpSession | None = None
        self._calls = PendingCalls()
        self._scope: anyio.CancelScope | None = None
        self._signing_in = SignInTask(services, self.log, self._signed_in)
        self._ended = anyio.Event()
        self._ended.set()
        self._wake = anyio.Event()
        self._moved = anyio.Event()
        self._rested_ms = 0

    @property
    def name(self) -> str:
        """Its name."""
        return self.config.name

    @property
    def record(self) -> ServerRecord:
        """What is kept of it."""
        return self._services.records.get(self.config.root or "", self.name)

    @property
    def needs_approval(self) -> bool:
        """Whether a person has not agreed to what would be started."""
        if self.config.root is None:
            return False
        approved = self.record.approved
        return approved is None or approved.digest != start_digest(self.config)

    @property
    def is_signed_in(self) -> bool:
        """Whether a sign-in of a person is sent along."""
        kept = self._services.sign_ins.get(self.config.url) if self.config.url else None
        return kept is not None and bool(kept.access_token)

    @property
    def state(self) -> ServerState:
        """How it is now."""
        if self.config.problem:
            return ServerState("invalid", self.config.problem)
        if self.needs_approval:
            return ServerState("unapproved")
        return self._state if self.record.is_on else ServerState("off")

    @property
    def may_run(self) -> bool:
        """Whether nothing stands against starting it."""
        return self.state.kind not in ("invalid", "unapproved") and self.record.is_on

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Its tools as it listed them last; before the first connection, as they were then."""
        return tuple(self.record.seen.values()) if self._listed is None else self._listed

    @property
    def tells_changes(self) -> bool:
        """Whether it is connected, and tells of changed resources."""
        return self._connection is not None and self._connection.follows

    def changed_from(self, tool: ToolDefinition) -> ToolDefinition | None:
        """The tool as a person last saw it, if it is another one now."""
        seen = self.record.seen.get(tool.name)
        return None if seen is None or digest_of(seen) == digest_of(tool) else seen

    def start(self) -> None:
        """Have it run, unless it does."""
        if self._scope is not None:
            self._look_again()
            return
        self._set("starting")
        self._scope = self._services.supervisor.keep("MCP server", self._run)

    async def stop(self) -> None:
        """End it with all that it started."""
        if self._scope is not None:
            self._scope.cancel()
            await self._ended.wait()
            self._scope = None

    async def restart(self) -> None:
        """End it, and begin again."""
        await self.stop()
        if self.may_run:
            self.start()

    async def approve(self) -> None:
        """A person agrees to what would be started."""
        config = self.config
        approved = Approved(
            start_digest(config), list(start_lines(config)), self._services.now_ms()
        )
        await self.keep(approved=approved, declined="")

    async def keep(self, **changes: Any) -> ServerRecord:
        """Keep something else of it."""

        def change(record: ServerRecord) -> ServerRecord:
            return msgspec.structs.replace(record, **changes)

        return await self._services.records.change(self.config.root or "", self.name, change)

    async def take_in(self, listed: tuple[ToolDefinition, ...]) -> None:
        """Count as seen what is new, and changed words where they are trusted."""
        record = self.record
        seen = learned(record, listed)
        if seen != record.seen:
            await self.keep(seen=seen)

    async def see(self, tool: ToolDefinition) -> None:
        """A person has seen what a tool is now."""
        await self.keep(seen={**self.record.seen, tool.name: tool})

    async def sign_in(self) -> str:
        """Begin a sign-in; the address that a person opens. Raises McpFailure."""
        if self.config.url is None or self.config.problem or self.needs_approval:
            raise McpFailure(f"Nobody signs in to {self.name}.", "It is no server at an address.")
        keys = await anyio.to_thread.run_sync(load_keys, self._services.home)
        return await self._signing_in.begin(resolved(self.config, keys))

    async def signed_in(self) -> bool:
        """Wait for the end of a sign-in that has begun; whether somebody is signed in then."""
        await self._signing_in.over.wait()
        return self.is_signed_in

    async def sign_out(self) -> None:
        """Forget the sign-in."""
        if self.config.url is not None:
            await self._services.sign_ins.remove(self.config.url)
            await self.restart()

    async def first_look(self, wait_s: float) -> None:
        """Wait until its tools are known, or it has failed; not for long."""
        with anyio.move_on_after(wait_s):
            while self._listed is None and not self.record.seen and self.may_run:
                if self._state.kind not in ("starting", "ready"):
                    return
                await self._moved.wait()

    async def settled(self) -> ServerState:
        """How it is once it answers, or has failed to once."""
        while self.state.kind == "starting":
            await self._moved.wait()
        return self.state

    async def connected(self) -> "McpConnection":
        """Its connection, once it has one. Raises ServerUnavailable."""
        with anyio.move_on_after(START_S):
            while self.may_run:
                if self._connection is not None:
                    return self._connection
                if self._state.kind in ("failed", "needs_sign_in"):
                    break
                await self._moved.wait()
        raise ServerUnavailable(self.name, self.state.unavailable_words)

    async def call(
        self, tool: str, arguments: dict[str, Any], call: PendingCall
    ) -> "CallToolResult":
        """Call a tool, after a sign-in if it takes one.

        Raises ServerUnavailable, and what the connection raises.
        """
        session = load_session()
        for _ in range(MOST_SIGN_INS):
            if self._state.kind == "needs_sign_in":
                await self._ask_to_sign_in(call)
            connection = await self.connected()
            try:
                return await connection.call(tool, arguments, call)
            except session.EXPECTED as error:
                scope = session.refused_scope(error)
                if scope is None:
                    raise
                # The server has not looked at the call: it can be made again.
                self._refuse(scope)
        raise ServerUnavailable(self.name, self.state.unavailable_words)

    async def _ask_to_sign_in(self, call: PendingCall) -> None:
        """Have a person sign in from the chat. Raises ServerUnavailable."""
        try:
            is_signed_in = call.ask is not None and await self._signing_in.ask(call, self.sign_in)
        except McpFailure as failure:
            words = f"needs you to sign in, which failed: {failure.message}"
            raise ServerUnavailable(self.name, words) from failure
        if not is_signed_in:
            raise ServerUnavailable(self.name, self.state.unavailable_words)

    def _refuse(self, scope: str) -> None:
        """The server wants a sign-in, or one for more."""
        self._signing_in.scope = scope
        self._set("needs_sign_in", "it wants you to sign in")

    async def _signed_in(self) -> None:
        """Somebody has signed in: in place, where the connection still stands."""
        if self._connection is None:
            await self.restart()
        else:
            self._set("ready")

    def _look_again(self) -> None:
        """A chat needs it: what was a while ago is tried or asked for again."""
        rested = self._services.now_ms() - self._rested_ms
        if self._state.kind == "failed" and rested >= REST_S * 1000:
            self._wake.set()
        if self._session is not None and anyio.current_time() >= self._session.connection.list_ends:
            self._session.signals.change("tools")

    def _set(self, kind: StateKind, words: str = "") -> None:
        self._state = ServerState(kind, words)
        self._tell()

    def _tell(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()
        self._services.changed()

    async def _run(self) -> None:
        """Connect, and again whenever the connection ends, after growing pauses."""
        # Not when it is asked for: what is stopped before it has begun has nothing to end.
        self._ended = anyio.Event()
        try:
            await self._keep_connected()
        finally:
            self._connection = None
            self._ended.set()

    async def _keep_connected(self) -> None:
        failures, pause_s = 0, FIRST_PAUSE_S
        while True:
            self._wake = anyio.Event()
            self._set("starting")
            began = anyio.current_time()
            kind, words = await self._attempt()
            self.log.note(f"Ended: {words}.")
            if anyio.current_time() - began >= STEADY_S:
                failures, pause_s = 0, FIRST_PAUSE_S
            failures += 1
            if kind == "pausing" and failures >= MOST_FAILURES:
                kind, failures, pause_s = "failed", MOST_FAILURES - 1, FIRST_PAUSE_S
            self._rested_ms = self._services.now_ms()
            self._set(kind, words)
            with anyio.move_on_after(pause_s if kind == "pausing" else float("inf")):
                await self._wake.wait()
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def _attempt(self) -> tuple[StateKind, str]:
        """One connection, from its beginning to its end: how it is then, and why."""
        # Not on the event loop: the SDK takes a second to load.
        session = await anyio.to_thread.run_sync(load_session)
        signals, services = session.SessionSignals(), self._services
        known = self._known_discovery()
        try:
            keys = await anyio.to_thread.run_sync(load_keys, self._services.home)
            config = resolved(self.config, keys)
            mark = self._services.new_id()
            async with session.open_session(
                config,
                self._folder,
                mark,
                self.log,
                self._calls,
                signals,
                START_S,
                session.RenewingAuth(config.url or "", services.sign_ins, services.now_ms),
                self.followed,
                known,
            ) as opened:
                await self._use(opened)
        except (McpFailure, ConfigFailure, ProcessFailure) as failure:
            return "failed", str(failure).rstrip(".")
        except session.EXPECTED as error:
            # Before it was connected the last error may be another one; after, it must be this.
            is_connected = self._connection is not None
            if known is not None and not is_connected:
                # It may not be what it was: the next attempt asks.
                await self.keep(discovered=None)
            scope = session.refused_scope(error) if is_connected else signals.refused
            if scope is not None:
                self._signing_in.scope = scope
                return "needs_sign_in", "it wants you to sign in"
            return "pausing", signals.ended or session.words_of(error)
        finally:
            self._connection = self._session = None
            self.followed.doubt()
        raise AssertionError("a connection ends by a failure")

    async def _use(self, opened: "McpSession") -> None:
        """Have calls use the connection, until it ends. Raises what a server can bring about."""
        connection = opened.connection
        self.revision, self.title = connection.revision, connection.title
        await self._learn(connection)
        self.log.note(f"Connected, revision {self.revision}.")
        self._connection, self._session = connection, opened
        self._set("ready")
        await self._look_closer(connection)
        while True:
            before, changes = self._listed, await opened.signals.next_changes()
            if "tools" in changes:
                await self._learn(connection)
            if self._listed != before:
                self.log.note("Its list of tools changed.")
            # Asked for again for its age, and the same: nobody has to look.
            if self._listed != before or changes != {"tools"}:
                self._tell()
            # One whose lists change without end keeps nobody else from work.
            await anyio.sleep(CHANGES_S)

    def _known_discovery(self) -> dict[str, Any] | None:
        """What discovery told before a restart, of the same command or address."""
        record = self.record
        return record.discovered if record.discovered_at == start_digest(self.config) else None

    async def _look_closer(self, connection: "McpConnection") -> None:
        """Keep what the next start needs, and its picture. Raises ServerEnded."""
        known, told = self._known_discovery(), connection.discovered
        if known is not None and told is not None:
            told = await connection.discover()
        icon = await load_session().icon_of(connection.icons, self.config.url)
        # What was told otherwise is asked first next time: it may be another one at each start.
        is_other = known is not None and told != known
        kept = None if is_other else told
        if (known, icon) != (kept, self.record.icon):
            at = start_digest(self.config)
            await self.keep(discovered=kept, discovered_at=at, icon=icon)
            self._tell()
        if is_other:
            raise ServerEnded("it tells something else of itself now")

    async def _learn(self, connection: "McpConnection") -> None:
        """Take in what the server offers now."""
        listed = await connection.tools()
        instructions = connection.instructions[:MAX_INSTRUCTIONS]
        if instructions != self.record.instructions:
            await self.keep(instructions=instructions)
        await self.take_in(listed)
        self._listed = listed
