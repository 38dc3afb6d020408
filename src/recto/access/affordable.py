"""How much of an answer can be paid: what the tightest limit leaves, or why nothing is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recto.access.access import Access
from recto.access.leases import LEAST_OUTPUT
from recto.access.limits import SpendingScope, dollars
from recto.access.prices import Price
from recto.access.usage_meter import TokenBounds
from recto.llm import REDIRECT
from recto.messages import Failure, Finished, Message, Request

UNKNOWN_PRICE = "unknown_price"
"""The code of a refusal because nobody knows what a model costs."""


@dataclass(frozen=True, slots=True)
class BudgetRefusal:
    """The call can't be paid."""

    failure: Failure


def affordable_output(
    bounds: TokenBounds,
    price: Price | None,
    scopes: Sequence[SpendingScope],
    spent: Mapping[str, int],
) -> int | BudgetRefusal:
    """How much output every limit allows; `spent` is what is booked and set aside in each scope."""
    limits = {scope: scope.limit_micros for scope in scopes}
    limited = {scope: limit for scope, limit in limits.items() if limit is not None}
    if price is None:
        # Without a price no limit can be kept, so with a limit nothing is sent.
        return unknown_price(next(iter(limited))) if limited else bounds.output
    # Free models go on even when a limit is passed.
    if not limited or price.worst(bounds.prompt, bounds.output) == 0:
        return bounds.output
    left = {scope: limit - spent[scope.name] for scope, limit in limited.items()}
    tightest = min(left, key=lambda scope: left[scope])
    possible = price.affordable_output(left[tightest], bounds.prompt)
    output = bounds.output if possible is None else min(bounds.output, possible)
    # A caller that wants even fewer may have them, if there is money for the prompt.
    is_short = output < min(LEAST_OUTPUT, bounds.output)
    if is_short or price.worst(bounds.prompt, output) > left[tightest]:
        return too_dear(tightest, left[tightest])
    return output


def unknown_price(scope: SpendingScope) -> BudgetRefusal:
    """The refusal of a call that nobody knows the price of."""
    return BudgetRefusal(
        Failure(
            "budget",
            "Nobody knows what this model costs, so "
            f"{scope.words} can't be kept. State its price in models.json, in dollars per million "
            'tokens: "price": {"input": 1, "output": 5}.',
            code=UNKNOWN_PRICE,
        )
    )


def too_dear(scope: SpendingScope, left_micros: int) -> BudgetRefusal:
    """The refusal of a call for which a limit leaves too little."""
    limit = dollars(scope.limit_micros or 0)
    return BudgetRefusal(
        Failure(
            "budget",
            f"This would pass {scope.words} of {limit}: {dollars(max(0, left_micros))} are left. "
            "Raise the limit in the settings, or choose a cheaper model.",
            code="limit_reached",
        )
    )


def allowed_request(access: Access, request: Request, output: int) -> Request:
    """A request as it is sent, for an answer of at most so many tokens."""
    effort = request.effort or access.effort
    if (request.model, request.max_output, request.effort) == (access.model, output, effort):
        return request
    return replace(request, model=access.model, max_output=output, effort=effort)


def failed(failure: Failure) -> Finished:
    """The end of an answer that never began."""
    return Finished("error", Message("assistant", ()), None, failure)


def advised(end: Finished, access: Access) -> Finished:
    """An end that names another model, if this one was not found, or not even its price."""
    failure = end.failure
    if failure is None or access.instead is None:
        return end
    if failure.code != UNKNOWN_PRICE and (failure.kind != "not_found" or failure.code == REDIRECT):
        return end
    message = f"{failure.message.rstrip('. ')}. Try {access.instead} instead."
    return replace(end, failure=replace(failure, message=message))
