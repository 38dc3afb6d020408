"""Addresses that a person opens before a call is made: an error of revision 2025-11-25."""

from collections.abc import Sequence

import anyio
from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError
from mcp_types import URL_ELICITATION_REQUIRED, ElicitRequestURLParams

from recto.mcp.asking.questions import NOT_OPENED
from recto.mcp.calls import PendingCall
from recto.mcp.http import may_be_opened
from recto.messages import Json
from recto.tools import Elicitation, ToolFailure

MOST_ROUNDS = 3
"""How often one call can want something opened first."""
DONE = "Are you done there? Then send this, and the call is made again."
NOTHING_TO_FILL_IN: Json = {"type": "object", "properties": {}}
NOT_DONE = "The user did not do what {} wants done at an address before this call."


def wanted_first(error: MCPError) -> Sequence[ElicitRequestURLParams]:
    """What a server wants opened before it looks at a call. Raises ValueError."""
    if error.code != URL_ELICITATION_REQUIRED:
        return ()
    return UrlElicitationRequiredError.from_error(error.error).elicitations


class FirstOpened:
    """The addresses that people were sent to, and those whose server says that all is done."""

    def __init__(self) -> None:
        self._done: dict[str, anyio.Event] = {}

    def complete(self, elicitation_id: str) -> None:
        """The server says that a person has done what it wanted there."""
        if elicitation_id in self._done:
            self._done[elicitation_id].set()

    async def have_opened(
        self, call: PendingCall, wanted: Sequence[ElicitRequestURLParams]
    ) -> None:
        """Have the person whose call it is do what is wanted. Raises ToolFailure."""
        for one in wanted:
            if not may_be_opened(one.url):
                raise ToolFailure(NOT_OPENED)
            # Not every revision's questions have a name; those of this error do.
            name = one.elicitation_id or one.url
            done = self._done[name] = anyio.Event()
            try:
                await ask_until(call, Elicitation(call.server, one.message, url=one.url), None)
                # The server may never say so: then the person does.
                await ask_until(call, Elicitation(call.server, DONE, NOTHING_TO_FILL_IN), done)
            finally:
                del self._done[name]


async def ask_until(call: PendingCall, question: Elicitation, done: anyio.Event | None) -> None:
    """Ask, unless it is done already or meanwhile. Raises ToolFailure where a person says no."""
    is_agreed = False

    async def end_when_done() -> None:
        assert done is not None
        await done.wait()
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        if done is not None:
            group.start_soon(end_when_done)
        is_agreed = (await call.elicit(question)).action == "accept"
        group.cancel_scope.cancel()
    if not is_agreed and not (done is not None and done.is_set()):
        raise ToolFailure(NOT_DONE.format(call.server))
