"""Where the provider is asked to remember the prompt: after the system, and at the growing end.

A mark that moves with the conversation lets each turn read what the turn before wrote.
"""

from dataclasses import replace

from recto.messages import CacheMarks, Request


def mark_cache(request: Request, *, frozen_at: int | None = None) -> Request:
    """The request with its marks: the system prompt, and the last message.

    `frozen_at` keeps the message mark where an earlier answer put it: a side question, such as a
    request for a summary, must not pay to write the cache anew.
    """
    last = len(request.messages) - 1
    at = last if frozen_at is None else min(frozen_at, last)
    marks = CacheMarks(
        system=bool(request.system or request.tools), messages=(at,) if at >= 0 else ()
    )
    return replace(request, cache=marks)
