"""The one way out: what every request passes before it is lowered to a provider's dialect."""

from dataclasses import replace

from recto.context.check import faults
from recto.context.repair import merge, repair
from recto.context.thought_binding import drop_unbound
from recto.messages import Origin, Request


def prepare(request: Request, origin: Origin, *, binds_prefix: bool) -> Request:
    """The request as it can be sent to `origin`; a fault that is left is a bug of ours."""
    messages = repair(request.messages, origin)
    ready = request if messages is request.messages else replace(request, messages=messages)
    if binds_prefix:
        bound = drop_unbound(ready)
        if bound is not ready:
            # A message that held nothing but such a thought is gone: its neighbours meet.
            ready = replace(bound, messages=tuple(merge(bound.messages)))
    found = faults(ready.messages, origin)
    # Better a failure here with words than a provider's 400 without.
    assert not found, found
    return ready
