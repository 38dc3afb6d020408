"""The JSON of suggestions at the cursor, and of how often they were right."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.assist import Curve, Done, Offered
from recto.server.schemas import ResourceId, Schema

MOST_SENT = 20_000
"""Far more than is used of either side."""
MOST_TAKEN = 100_000


class SuggestBody(Schema):
    """A place in a text: what stands before and after the cursor, as much as may matter."""

    project_id: ResourceId
    path: Annotated[str, StringConstraints(min_length=1, max_length=4096)]
    prefix: Annotated[str, StringConstraints(max_length=MOST_SENT)]
    suffix: Annotated[str, StringConstraints(max_length=MOST_SENT)]
    language: Annotated[str, StringConstraints(max_length=60)] | None = None
    """The language of the code at the cursor; none in prose."""


class Suggested(Schema):
    """One suggestion (event `suggestion`)."""

    id: ResourceId
    index: int
    text: str
    confidence: float | None
    confidence_source: Literal["logprobs", "agreement", "unknown"]


class SuggestionConfidence(Schema):
    """How sure one suggestion is, now that all are there."""

    index: int
    confidence: float | None
    confidence_source: Literal["logprobs", "agreement", "unknown"]


class SuggestionSources(Schema):
    """Where suggestions come from."""

    model_id: str
    request_id: str
    prompt_hash: str
    prompt_template_id: str
    input_context_hashes: list[str]
    temperature: float | None


class SuggestDone(Schema):
    """The end (event `done`); `reason` says why there are none."""

    id: ResourceId
    count: int
    provenance: SuggestionSources | None
    confidences: list[SuggestionConfidence]
    reason: str | None


class OutcomeBody(Schema):
    """What became of suggestions: of which one, and how many characters of it were taken."""

    outcome: Literal["accepted", "partly", "dismissed"]
    index: Annotated[int, Field(ge=0, lt=5)]
    characters: Annotated[int, Field(ge=0, le=MOST_TAKEN)]


class CalibrationBin(Schema):
    """Decisions on what was said to be so sure."""

    from_: Annotated[float, Field(alias="from")]
    to: float
    count: int
    accepted: int
    mean: float | None


class CalibrationCurve(Schema):
    """Decisions on confidences of one kind."""

    source: str
    bins: list[CalibrationBin]
    count: int
    accepted: int


class Calibration(Schema):
    """How often people took what was offered, by how sure it was said to be."""

    sources: list[CalibrationCurve]
    count: int


def present_offered(offered: Offered) -> Suggested:
    """A suggestion."""
    return Suggested(
        id=offered.id,
        index=offered.index,
        text=offered.text,
        confidence=offered.confidence.value,
        confidence_source=offered.confidence.source,
    )


def present_done(done: Done) -> SuggestDone:
    """The end of an answer."""
    sources = done.provenance
    return SuggestDone(
        id=done.id,
        count=done.count,
        provenance=None if sources is None else SuggestionSources.model_validate(sources),
        confidences=[
            SuggestionConfidence(index=index, confidence=one.value, confidence_source=one.source)
            for index, one in enumerate(done.confidences)
        ],
        reason=done.reason,
    )


def present_calibration(curves: tuple[Curve, ...]) -> Calibration:
    """The curves of every source."""
    sources = [
        CalibrationCurve(
            source=curve.source,
            bins=[
                CalibrationBin(
                    from_=one.start,
                    to=one.end,
                    count=one.count,
                    accepted=one.accepted,
                    mean=one.mean,
                )
                for one in curve.bins
            ],
            count=curve.count,
            accepted=curve.accepted,
        )
        for curve in curves
    ]
    return Calibration(sources=sources, count=sum(one.count for one in sources))
