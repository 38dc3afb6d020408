"""Where a turn plays: what it is given at its beginning, and what carries out its calls.

The same turn plays on the live stage, with a folder and its tools, and on that of a replay.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from recto.access import Access
from recto.chats.ground import brought_by
from recto.chats.inputs import DOCUMENT_STEPS, Input, input_of
from recto.chats.means import Means
from recto.chats.minutes import Minutes
from recto.chats.permits import Permits
from recto.chats.prompting import PINS
from recto.chats.reach import Reach
from recto.chats.record.draws import Draws, LiveDraws
from recto.chats.record.setting import Setting, keep_setting
from recto.chats.scene import ground_of, look_around
from recto.chats.threads.margin import CallMargin
from recto.messages import ToolCall
from recto.reviews import By, CallEdits, Edits, begin_call
from recto.storage import Chat, Run
from recto.tools import Declaration, Outcome


class Hands(Protocol):
    """What carries out the calls of a turn."""

    def is_safe(self, call: ToolCall) -> bool:
        """Whether a call changes nothing."""
        ...

    async def permit(self, call: ToolCall) -> str | None:
        """Why a call may not run, or None when it may."""
        ...

    async def call(self, call: ToolCall) -> Outcome:
        """Run a tool."""
        ...

    def changed(self, call_id: str) -> tuple[str, ...]:
        """The paths that a call has changed."""
        ...


class Stage(Protocol):
    """What a turn plays on."""

    @property
    def draws(self) -> Draws:
        """Where it draws time from."""
        ...

    async def set(self, minutes: Minutes) -> tuple[Setting, Hands]:
        """Everything that the turn is given. Raises NoModel."""
        ...


class LiveHands:
    """The tools of a folder, and whoever permits them."""

    def __init__(
        self, reach: Reach, permits: Permits, settle: Callable[[], Awaitable[None]]
    ) -> None:
        self._settle = settle
        self._reach = reach
        self._permits = permits
        self.is_safe = reach.is_safe
        self.permit = permits.permit
        self.changed = reach.changed

    async def call(self, call: ToolCall) -> Outcome:
        """Run a tool, on the files as people see them."""
        await self._settle()
        return await self._reach.call(call, approved=self._permits.was_approved(call))


class LiveStage:
    """A real folder, a real clock; what the turn is given is written down first."""

    def __init__(self, means: Means, chat: Chat, run: Run) -> None:
        self.draws: Draws = LiveDraws(means.clock)
        self._means = means
        self._chat = chat
        self._input: Input = input_of(run.body)
        self._run_id = run.id

    async def set(self, minutes: Minutes) -> tuple[Setting, Hands]:
        """Look around, and write down what is found. Raises NoModel."""
        means, chat = self._means, self._chat
        scene = await look_around(means, chat, self._input)
        access, workspace, toolbox = scene.access, scene.workspace, scene.toolbox
        permits = Permits(means, toolbox, workspace, minutes, chat)
        follow = await permits.followed(await brought_by(workspace))
        limits = means.wishes().limits
        setting = Setting(
            access=access,
            ground=await ground_of(means, chat, scene, self._input, follow),
            limits=replace(limits, steps=DOCUMENT_STEPS) if scene.document else limits,
            pins=tuple(chat.meta.get(PINS, ())),
            changing=names_of_changing(toolbox.offered()),
        )
        await keep_setting(minutes, means.storage, setting)
        begin = None
        if means.edits is not None:
            begin = partial(self._begin_edits, means.edits, access, minutes)
        margin = partial(self._margin, access, minutes)
        reach = Reach(
            means,
            workspace,
            toolbox,
            minutes,
            access,
            plan=self._input.plan,
            margin=margin,
            begin_edits=begin,
        )
        return setting, LiveHands(reach, permits, partial(means.settle, chat.project_id))

    def _margin(self, access: Access, minutes: Minutes, call: ToolCall) -> CallMargin:
        """What a call may say beside a text."""
        return CallMargin(
            self._means,
            self._chat,
            run_id=self._run_id,
            call_id=call.id,
            access=access,
            minutes=minutes,
        )

    async def _begin_edits(
        self, edits: Edits, access: Access, minutes: Minutes, call: ToolCall
    ) -> CallEdits:
        """The edits of a call, in the name of the answer that asked for it."""
        by = By(
            project_id=self._chat.project_id,
            chat_id=self._chat.id,
            run_id=self._run_id,
            call_id=call.id,
            tool=call.name,
            model=access.id,
            model_name=access.name,
            prompt_hash=minutes.last_answer().source.prompt_hash,
        )
        return await begin_call(edits, by)


def names_of_changing(declared: Sequence[Declaration]) -> tuple[str, ...]:
    """The tools that may change something."""
    return tuple(tool.name for tool in declared if tool.changes)
