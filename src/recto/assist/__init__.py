"""One-shot help: a question to a model, where the answer comes from, and how sure it is."""

from recto.assist.confidence import Confidence, confidence_of
from recto.assist.questions import NoModel, Provenance, Questions, Sources

__all__ = [
    "Confidence",
    "NoModel",
    "Provenance",
    "Questions",
    "Sources",
    "confidence_of",
]
