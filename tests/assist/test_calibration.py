"""The curve of what was said against what was taken."""

from dataclasses import replace

from recto.assist.calibration import (
    Bin,
    Decision,
    curves_of,
    on_proposals,
    on_suggestions,
)
from recto.storage import Proposal, Suggestion

SHOWN = Suggestion(
    id="1",
    project_id="p",
    path="a.md",
    at_ms=1,
    model="m",
    model_name="M",
    request_id="r",
    prompt_hash="h",
    template="ghost/1",
    temperature=None,
    items=[{"confidence": 0.9, "source": "logprobs"}, {"confidence": None, "source": "unknown"}],
    outcome="accepted",
    chosen=0,
    characters=5,
    decided_ms=2,
)
OFFERED = Proposal(
    id="1",
    project_id="p",
    chat_id="c",
    run_id="r",
    call_id="c1",
    note_id=None,
    question="",
    options=[],
    status="applied",
    chosen=0,
    edit_id=None,
    model="m",
    model_name="M",
    request_id="r",
    prompt_hash="h",
    confidence=0.3,
    source="logprobs",
    at_ms=1,
    decided_ms=2,
)


def test_a_part_that_was_taken_counts_as_taken() -> None:
    rows = [SHOWN, replace(SHOWN, outcome="partly"), replace(SHOWN, outcome="dismissed")]
    taken, not_taken = Decision("logprobs", 0.9, True), Decision("logprobs", 0.9, False)
    assert list(on_suggestions(rows)) == [taken, taken, not_taken]


def test_what_nobody_knew_tells_nothing() -> None:
    rows = [replace(SHOWN, chosen=1), replace(SHOWN, chosen=4), replace(SHOWN, chosen=None)]
    assert list(on_suggestions(rows)) == []
    assert list(on_proposals([replace(OFFERED, confidence=None, source="unknown")])) == []


def test_how_far_suggestions_agree_is_not_learned_from() -> None:
    items = [{"confidence": 0.0, "source": "agreement"}]
    assert list(on_suggestions([replace(SHOWN, items=items, chosen=0)])) == []


def test_proposals_count_too() -> None:
    assert list(on_proposals([OFFERED, replace(OFFERED, status="dismissed")])) == [
        Decision("logprobs", 0.3, True),
        Decision("logprobs", 0.3, False),
    ]


def test_each_source_has_its_own_curve() -> None:
    said = [("logprobs", 0.0, False), ("logprobs", 1.0, True), ("logprobs", 0.85, False)]
    curves = curves_of([Decision(*item) for item in [*said, ("heuristic", 0.4, True)]])
    assert [(curve.source, curve.count, curve.accepted) for curve in curves] == [
        ("heuristic", 1, 1),
        ("logprobs", 3, 1),
    ]
    assert curves[1].bins == (
        Bin(0.0, 0.2, 1, 0, 0.0),
        Bin(0.2, 0.4, 0, 0, None),
        Bin(0.4, 0.6, 0, 0, None),
        Bin(0.6, 0.8, 0, 0, None),
        Bin(0.8, 1.0, 2, 1, 0.925),
    )
    assert [item.count for item in curves[0].bins] == [0, 0, 1, 0, 0]
