"""One-shot help: a question to a model, where the answer comes from, and how sure it is."""

from recto.assist.calibration import CalibrationReports, Curve
from recto.assist.confidence import Confidence, agreement_of, confidence_of
from recto.assist.questions import NoModel, Provenance, Questions, Sources
from recto.assist.suggestions import Done, Instructions, Offered, Outcome, Suggestions

__all__ = [
    "CalibrationReports",
    "Confidence",
    "Curve",
    "Done",
    "Instructions",
    "NoModel",
    "Offered",
    "Outcome",
    "Provenance",
    "Questions",
    "Sources",
    "Suggestions",
    "agreement_of",
    "confidence_of",
]
