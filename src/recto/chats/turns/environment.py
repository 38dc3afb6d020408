"""What surrounds a turn: what it is given at its beginning, and what carries out its calls.

The same turn runs in the live environment, with a folder and its tools, and in that of a replay.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from recto.access import Access
from recto.chats.prompts.base import find_folder_instructions
from recto.chats.prompts.request import PINS
from recto.chats.prompts.surroundings import find_surroundings, prompt_base_of
from recto.chats.prompts.turn_input import DOCUMENT_STEPS, TurnInput, input_of
from recto.chats.services import ChatServices
from recto.chats.turns.clock_readings import ClockReadings, LiveReadings
from recto.chats.turns.margin import CallMargin
from recto.chats.turns.permissions import TurnPermissions
from recto.chats.turns.snapshot import TurnSnapshot, store_snapshot
from recto.chats.turns.tool_runner import ToolRunner
from recto.chats.turns.transcript import Transcript
from recto.messages import ToolCall
from recto.reviews import CallEdits, EditAuthor, Edits, begin_call
from recto.storage import Chat, Run
from recto.tools import CALL_TOOL, Declaration, ToolOutcome, describe_tools, unwrapped


class ToolExecutor(Protocol):
    """What carries out the calls of a turn."""

    def is_safe(self, call: ToolCall) -> bool:
        """Whether a call changes nothing."""
        ...

    async def permit(self, call: ToolCall) -> str | None:
        """Why a call may not run, or None when it may."""
        ...

    async def call(self, call: ToolCall) -> ToolOutcome:
        """Run a tool."""
        ...

    def changed(self, call_id: str) -> tuple[str, ...]:
        """The paths that a call has changed."""
        ...


class TurnEnvironment(Protocol):
    """What a turn is given, and where it reads the clock."""

    @property
    def draws(self) -> ClockReadings:
        """Where it draws time from."""
        ...

    async def set(self, transcript: Transcript) -> tuple[TurnSnapshot, ToolExecutor]:
        """Everything that the turn is given. Raises NoModelAvailable."""
        ...


class LiveToolExecutor:
    """The tools of a folder, and whoever permits them."""

    def __init__(
        self,
        tool_runner: ToolRunner,
        permits: TurnPermissions,
        settle: Callable[[], Awaitable[None]],
        offered: tuple[Declaration, ...],
    ) -> None:
        """`offered` are the tools that a model may look up, if it was sent an index of them."""
        self._settle = settle
        self._tool_runner = tool_runner
        self._permits = permits
        self._offered = offered
        self.changed = tool_runner.changed

    def is_safe(self, call: ToolCall) -> bool:
        """Whether a call changes nothing."""
        return self._tool_runner.is_safe(unwrapped(call))

    async def permit(self, call: ToolCall) -> str | None:
        """Why a call may not run, or None when it may."""
        meant = unwrapped(call)
        return None if meant.name == CALL_TOOL else await self._permits.permit(meant)

    async def call(self, call: ToolCall) -> ToolOutcome:
        """Run a tool, on the files as people see them."""
        call = unwrapped(call)
        if call.name == CALL_TOOL:
            return describe_tools(call, self._offered)
        # Tools read the disk: what people typed a moment ago must be saved there first.
        await self._settle()
        return await self._tool_runner.call(call, approved=self._permits.take_approval(call))


class LiveEnvironment:
    """A real folder, a real clock; what the turn is given is written down first."""

    def __init__(self, services: ChatServices, chat: Chat, run: Run) -> None:
        self.draws: ClockReadings = LiveReadings(services.clock)
        self._services = services
        self._chat = chat
        self._input: TurnInput = input_of(run.body)
        self._run_id = run.id

    async def set(self, transcript: Transcript) -> tuple[TurnSnapshot, ToolExecutor]:
        """Look around, and write down what is found. Raises NoModelAvailable."""
        services, chat = self._services, self._chat
        surroundings = await find_surroundings(services, chat, self._input)
        access, workspace, toolbox = (
            surroundings.access,
            surroundings.workspace,
            surroundings.toolbox,
        )
        permits = TurnPermissions(services, toolbox, workspace, transcript, chat, self._input)
        follow = await permits.followed(await find_folder_instructions(workspace))
        limits = services.preferences().limits
        snapshot = TurnSnapshot(
            access=access,
            ground=await prompt_base_of(services, chat, surroundings, self._input, follow),
            limits=replace(limits, steps=DOCUMENT_STEPS) if surroundings.document else limits,
            pins=tuple(chat.meta.get(PINS, ())),
            changing=names_of_changing(toolbox.offered()),
        )
        # Before anything that the turn tells: a replay starts from this, also when it breaks soon.
        await store_snapshot(transcript, services, snapshot)
        begin = None
        if services.edits is not None:
            begin = partial(self._begin_edits, services.edits, access, transcript)
        margin = partial(self._margin, access, transcript)
        tool_runner = ToolRunner(
            services,
            workspace,
            toolbox,
            transcript,
            access,
            project_id=chat.project_id,
            plan=self._input.plan,
            margin=margin,
            agree=permits.agree,
            begin_edits=begin,
        )
        return snapshot, LiveToolExecutor(
            tool_runner,
            permits,
            partial(services.settle, chat.project_id),
            toolbox.offered(plan=self._input.plan),
        )

    def _margin(self, access: Access, transcript: Transcript, call: ToolCall) -> CallMargin:
        """What a call may say beside a text."""
        return CallMargin(
            self._services,
            self._chat,
            run_id=self._run_id,
            call_id=call.id,
            access=access,
            transcript=transcript,
        )

    async def _begin_edits(
        self, edits: Edits, access: Access, transcript: Transcript, call: ToolCall
    ) -> CallEdits:
        """The edits of a call, in the name of the answer that asked for it."""
        by = EditAuthor(
            project_id=self._chat.project_id,
            chat_id=self._chat.id,
            run_id=self._run_id,
            call_id=call.id,
            tool=call.name,
            model=access.id,
            model_name=access.name,
            # The answer that makes the call is in the history by now.
            prompt_hash=transcript.last_answer().source.prompt_hash,
        )
        return await begin_call(edits, by)


def names_of_changing(declared: Sequence[Declaration]) -> tuple[str, ...]:
    """The tools that may change something."""
    return tuple(tool.name for tool in declared if tool.changes)
