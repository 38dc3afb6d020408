"""Where the provider is asked to remember the prompt: after the system, and at the growing end.

A mark that moves with the conversation lets each turn read what the turn before wrote.
"""

from dataclasses import replace

from recto.context.pauses import goes_on
from recto.messages import CacheMarks, Request


def mark_cache(request: Request, *, frozen_at: int | None = None, long: bool = False) -> Request:
    """The request with its marks: the system prompt, and the last message.

    `frozen_at` keeps the message mark where an earlier answer put it: a side question, such as a
    request for a summary, must not pay to write the cache anew. `long` asks for a longer memory,
    which costs more to write and outlives a pause of minutes.
    """
    last = len(request.messages) - 1
    if last > 0 and goes_on(request.messages[last]):
        # The mark stays where it was before the pause: going on reads what that wrote.
        last -= 1
    at = last if frozen_at is None else min(frozen_at, last)
    has_system, messages = bool(request.system or request.tools), (at,) if at >= 0 else ()
    marks = CacheMarks(
        has_system,
        messages,
        long_system=has_system and long,
        long_messages=messages if long else (),
    )
    return replace(request, cache=marks)
