"""The JSON of proposals: edits and choices that a model offers in a card."""

from typing import Annotated, Literal

from pydantic import Field

from recto.server.schemas.base import Body, ResourceId, Schema


class ProposalOption(Schema):
    """One thing to choose; with a path it is an edit of that file."""

    title: str
    detail: str
    path: str | None
    old: str
    new: str


class Proposal(Schema):
    """What a model offers, and what somebody said to it."""

    id: ResourceId
    project_id: ResourceId
    chat_id: ResourceId
    turn_id: ResourceId
    call_id: str
    thread_id: ResourceId | None
    """The thread that it was offered in."""
    question: str
    """What is asked; of a single edit why it is offered."""
    options: list[ProposalOption]
    status: Literal["open", "applied", "dismissed"]
    """An edit that was undone or rejected is open again."""
    chosen: int | None
    edit_id: ResourceId | None
    confidence: float | None
    confidence_source: str
    model: str
    """Its name, for people."""
    request_id: str
    created_at: int
    decided_at: int | None


class ProposalList(Schema):
    """What was offered in a chat, the oldest first."""

    items: list[Proposal]


class Chosen(Body):
    """Which option to take, from 0."""

    option: Annotated[int, Field(ge=0, lt=5)]
