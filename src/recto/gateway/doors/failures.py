"""What a client is told when there is no answer, in its own protocol and with the right status."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from recto.access import ProtocolId
from recto.gateway.doors.http import JSON, AsgiSend, send_answer
from recto.llm import write_client_failure
from recto.messages import Failure
from recto.storage import DatabaseFull, Unavailable

STORE_AWAY = (Unavailable, DatabaseFull)
"""The database was restarted, or can't write: calls can be tried again soon."""
NO_STORE = Failure(
    "overloaded",
    "The gateway's database does not answer just now. Try again shortly.",
    code="store_away",
    retry_after_s=5,
)


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A deployment that gave no answer, and its provider's own words for it, if there are any."""

    failure: Failure
    status: int = 0
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def for_client(failure: Failure) -> Failure:
    """A failure as a client may hear of it: the operator's keys and accounts are not theirs."""
    if failure.kind in ("auth", "quota"):
        words = (
            f"{failure.provider or 'The provider'} does not accept the gateway's own account. "
            "Tell whoever runs the gateway."
        )
        return replace(failure, kind="upstream", message=words, status=None, code=None)
    return failure


async def send_failure(
    send: AsgiSend, protocol: ProtocolId, failure: Failure, status: int | None = None
) -> None:
    """Answer with a failure instead of an answer."""
    found, body = write_client_failure(protocol, failure, status)
    await send_answer(send, found, body, {**JSON, **retry_headers(failure)})


def retry_headers(failure: Failure) -> dict[str, str]:
    """Whether and when to try again, as the official clients look for it."""
    headers = {"x-should-retry": "true" if failure.retryable else "false"}
    if failure.retry_after_s is not None:
        headers["retry-after"] = str(max(1, round(failure.retry_after_s)))
        headers["retry-after-ms"] = str(round(failure.retry_after_s * 1000))
    return headers
