"""One-shot help: a question to a model, where the answer comes from, and how sure it is."""

from recto.assist.calibration import CalibrationReports, Curve
from recto.assist.citations import CitationReader
from recto.assist.confidence import Confidence, confidence_of
from recto.assist.provenance import Provenance
from recto.assist.questions import NoModelAvailable, Questions, Sources
from recto.assist.suggestions import (
    FolderGuidance,
    Instructions,
    OfferedSuggestion,
    Outcome,
    Suggestions,
    SuggestionsDone,
)

__all__ = [
    "CalibrationReports",
    "CitationReader",
    "Confidence",
    "Curve",
    "SuggestionsDone",
    "Instructions",
    "NoModelAvailable",
    "OfferedSuggestion",
    "Outcome",
    "Provenance",
    "Questions",
    "Sources",
    "Suggestions",
    "FolderGuidance",
    "confidence_of",
]
