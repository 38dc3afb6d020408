"""Confidence and provenance of an answer as they go over the wire."""

from dataclasses import asdict

from recto.assist import Sources


def answer_metadata(sources: Sources) -> dict[str, object]:
    """The metadata event's content."""
    return {
        "confidence": sources.confidence.value,
        "confidence_source": sources.confidence.source,
        "confidence_reason": sources.confidence.why or None,
        "provenance": asdict(sources.provenance),
    }
