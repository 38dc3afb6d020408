"""The JSON of suggestions at the cursor, and of how often they were right."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.assist import Curve, OfferedSuggestion, SuggestionsDone
from recto.server.schemas.base import Body, ResourceId, Schema

MOST_SENT = 20_000
"""Far more than is used of either side."""
MOST_TAKEN = 100_000


class SuggestBody(Body):
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
    confidence_source: Literal["logprobs", "unknown"]
    confidence_reason: str
    """Why it is unknown."""


class SuggestionConfidence(Schema):
    """How sure one suggestion is, now that all are there."""

    index: int
    confidence: float | None
    confidence_source: Literal["logprobs", "unknown"]
    confidence_reason: str
    """Why it is unknown."""


class SuggestionSources(Schema):
    """Where suggestions come from."""

    model_id: str
    request_id: str
    prompt_hash: str
    prompt_template_id: str
    input_context_hashes: list[str]
    temperature: float | None
    max_output: int | None
    effort: str | None
    answer_model: str


class SuggestDone(Schema):
    """The end (event `done`); `reason` says why there are none."""

    id: ResourceId
    count: int
    provenance: SuggestionSources | None
    confidences: list[SuggestionConfidence]
    reason: str | None
    unanswered_instructions: list[str]
    """Instructions of the folder that were not sent: whether to follow them is not said yet."""


class OutcomeBody(Body):
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


def present_offered(offered: OfferedSuggestion) -> Suggested:
    """A suggestion."""
    return Suggested(
        id=offered.id,
        index=offered.index,
        text=offered.text,
        confidence=offered.confidence.value,
        confidence_source=offered.confidence.source,
        confidence_reason=offered.confidence.why,
    )


def present_done(done: SuggestionsDone) -> SuggestDone:
    """The end of an answer."""
    sources = done.provenance
    return SuggestDone(
        id=done.id,
        count=done.count,
        provenance=None if sources is None else SuggestionSources.model_validate(sources),
        confidences=[
            SuggestionConfidence(
                index=index,
                confidence=confidence.value,
                confidence_source=confidence.source,
                confidence_reason=confidence.why,
            )
            for index, confidence in enumerate(done.confidences)
        ],
        reason=done.reason,
        unanswered_instructions=list(done.unanswered),
    )


def present_calibration(curves: tuple[Curve, ...]) -> Calibration:
    """The curves of every source."""
    sources = [
        CalibrationCurve(
            source=curve.source,
            bins=[
                CalibrationBin(
                    from_=item.start,
                    to=item.end,
                    count=item.count,
                    accepted=item.accepted,
                    mean=item.mean,
                )
                for item in curve.bins
            ],
            count=curve.count,
            accepted=curve.accepted,
        )
        for curve in curves
    ]
    return Calibration(sources=sources, count=sum(source.count for source in sources))
