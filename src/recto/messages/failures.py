"""Failures of a call to a model: one type, a closed set of kinds.

kind             what happened                                       worth trying again
auth             the key is missing, wrong or not allowed            no
quota            the provider's account has no money left            no
budget           Recto's own limit would be passed                   no
rate_limit       too many requests just now                          yes, after a while
overloaded       the provider has no capacity just now               yes
context_length   the prompt does not fit                             no
invalid_request  the provider refuses the request as it is           no
not_found        no such model or address                            no
network          the connection could not be made or was lost        yes
timeout          no answer in time                                   yes
upstream         the provider failed, or answered nonsense           yes
cancelled        somebody stopped it                                 no
"""

from dataclasses import dataclass
from typing import Literal

FailureKind = Literal[
    "auth",
    "quota",
    "budget",
    "rate_limit",
    "overloaded",
    "context_length",
    "invalid_request",
    "not_found",
    "network",
    "timeout",
    "upstream",
    "cancelled",
]
RETRYABLE: frozenset[FailureKind] = frozenset(
    {"rate_limit", "overloaded", "network", "timeout", "upstream"}
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call did not succeed. A failure is a value: it ends a stream, it is not raised."""

    kind: FailureKind
    message: str
    """The provider's own words, or ours; never a key."""
    provider: str = ""
    status: int | None = None
    code: str | None = None
    """The provider's own name for it, such as `insufficient_quota`."""
    request_id: str | None = None
    retry_after_s: float | None = None
    may_retry: bool | None = None
    """The provider's own word on trying again, where it gives one."""

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.kind in RETRYABLE if self.may_retry is None else self.may_retry
