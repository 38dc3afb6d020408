"""A long answer of a tool, summarised in a conversation of its own that its chat pays for.

It is asked of the cheapest model of the provider that the chat talks to: what is said to one
provider, or to a model on this computer, goes to nobody else for the sake of a summary.
"""

from contextlib import aclosing
from dataclasses import dataclass

from recto.access import BUILTIN, Access
from recto.chats.history.entries import User
from recto.chats.services import ChatServices
from recto.chats.turns.transcript import Transcript
from recto.chats.turns.wire_exchange import Exchange
from recto.context import RESULT_SUMMARY_SYSTEM, RESULT_SUMMARY_TEMPLATE, result_summary_request
from recto.messages import Finished, Request, ToolCall
from recto.tools import OutputSummary

MOST_CHARACTERS = 400_000
"""The most that is sent of an answer; of a longer one, its beginning and its end."""
BESIDE = 4_000
"""The tokens that are kept free for the question and the summary."""
LONGEST_SUMMARY = 2_000
CUT_OFF = "the summary was cut off"
NOTHING = "the model said nothing"


@dataclass(frozen=True, slots=True)
class ResultSummarizer:
    """Summarises what the tools of one turn answer."""

    services: ChatServices
    transcript: Transcript
    access: Access

    async def summarise(self, call: ToolCall, text: str) -> OutputSummary | str | None:
        """A summary; why there is none; or None where nobody is asked for one."""
        # The built-in model is too small for it.
        if not self.services.preferences().summarises_results or (
            self.access.provider.id == BUILTIN.id
        ):
            return None
        access = self.services.models.cheapest(self.access.provider.id) or self.access
        exchange = Exchange()
        events = self.services.questions.ask(
            access,
            self._question(access, call, text),
            feature="result_summary",
            template=RESULT_SUMMARY_TEMPLATE,
            project_id=self.transcript.project_id,
            # Its chat pays: what it costs is part of what the turn cost.
            chat_id=self.transcript.chat_id,
            turn_id=self.transcript.turn,
            on_booked=exchange.booked.append,
        )
        end: Finished | None = None
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Finished):
                    end = event
        if end is None:
            raise RuntimeError("A stream ended without Finished.")
        if end.failure is not None:
            return end.failure.message
        if end.reason == "max_tokens":
            return CUT_OFF
        words = end.message.text.strip()
        return OutputSummary(words, access.name, exchange.cost_micros) if words else NOTHING

    def _question(self, access: Access, call: ToolCall, text: str) -> Request:
        said = (entry.content for entry in reversed(self.transcript.entries))
        asked = next((item.text for item in said if isinstance(item, User)), "")
        # A token is two characters or more: so much surely fits.
        most = min(MOST_CHARACTERS, (access.window - BESIDE) * 2)
        return Request(
            model=access.model,
            messages=(result_summary_request(call, text, asked, most),),
            max_output=LONGEST_SUMMARY,
            system=RESULT_SUMMARY_SYSTEM,
            effort="off",
        )
