"""What servers ask people in the middle of a call: forms that fit, and addresses of the web."""

from collections.abc import Mapping
from typing import cast

from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult, ErrorData

from recto.mcp.calls import PendingCall, PendingCalls
from recto.mcp.checking.schemas import SchemaUnusable, misfits
from recto.mcp.http import may_be_opened
from recto.mcp.tasks import Ask
from recto.messages import Json
from recto.tools import Elicitation, ElicitationAnswer

REFUSED = -32600
MAX_QUESTION = 20_000
"""More than that nobody reads; it stands in the chat's log."""
TOO_LONG = f"The question has more than {MAX_QUESTION:,} characters."
NOT_OPENED = "Only addresses of the web (https) are opened."


async def fitting_answer(call: PendingCall, question: Elicitation) -> ElicitationAnswer:
    """What a person answers; asked again, with what was filled in, while it does not fit."""
    asked = question
    while True:
        answer = await call.elicit(asked)
        if answer.action != "accept" or question.schema is None:
            return answer
        content = dict(answer.content or {})
        try:
            wrong = misfits(dict(question.schema), content)
        except SchemaUnusable:
            wrong = ()  # a form that says nothing that can be checked; its server looks itself
        if not wrong:
            return answer
        words = f"{question.message}\n\nWhat was filled in does not fit: {'; '.join(wrong)}."
        asked = Elicitation(question.server, words, filled_in(question.schema, content))


def filled_in(schema: Json, content: Json) -> Json:
    """A form that begins with what somebody has filled in."""
    fields = cast(Mapping[str, Json], schema.get("properties") or {})
    begun = {
        name: {**field, "default": content[name]} if name in content else field
        for name, field in fields.items()
    }
    return {**schema, "properties": begun}


def person_asker(calls: PendingCalls) -> Ask:
    """Asks the person whose call it is."""

    async def ask(params: ElicitRequestParams) -> ElicitResult | ErrorData:
        call = calls.asking()
        if call is None:
            return ErrorData(code=REFUSED, message="It can't be told which call this is about.")
        if len(params.model_dump_json()) > MAX_QUESTION:
            return ErrorData(code=REFUSED, message=TOO_LONG)
        if isinstance(params, ElicitRequestFormParams):
            question = Elicitation(call.server, params.message, dict(params.requested_schema))
        elif may_be_opened(params.url):
            question = Elicitation(call.server, params.message, url=params.url)
        else:
            return ErrorData(code=REFUSED, message=NOT_OPENED)
        answer = await fitting_answer(call, question)
        if answer.action != "accept" or question.schema is None:
            return ElicitResult(action=answer.action)
        # As it was filled in: what somebody emptied stays empty, whatever stood there before.
        return ElicitResult(action="accept", content=dict(answer.content or {}))

    return ask
