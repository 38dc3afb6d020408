"""Harmonic analysis of a tide by least squares, with the standard library alone."""

import math
from dataclasses import dataclass

# Speeds in degrees per hour.
SPEED = {
    "M2": 28.9841042,
    "S2": 30.0,
    "N2": 28.4397295,
    "K2": 30.0821373,
    "K1": 15.0410686,
    "O1": 13.9430356,
}


@dataclass(frozen=True)
class Model:
    """A mean level, and for each constituent its cosine and sine part."""

    mean: float
    parts: dict[str, tuple[float, float]]

    def amplitude(self, name: str) -> float:
        """How high a constituent swings, in the unit of the levels."""
        return math.hypot(*self.parts[name])


def rayleigh_days(first: str, second: str) -> float:
    """How many days of record separate two constituents."""
    return 15 / abs(SPEED[first] - SPEED[second])


def fit(hours: list[float], levels: list[float], names: list[str]) -> Model:
    """Find the mean and the constituents that leave the smallest squares."""
    rows = [terms(hour, names) for hour in hours]
    size = len(rows[0])
    normal = [[sum(row[i] * row[j] for row in rows) for j in range(size)] for i in range(size)]
    right = [sum(row[i] * level for row, level in zip(rows, levels)) for i in range(size)]
    found = solve(normal, right)
    pairs = zip(found[1::2], found[2::2])
    return Model(found[0], dict(zip(names, pairs)))


def predict(model: Model, hours: list[float]) -> list[float]:
    """The tide that a model foretells."""
    names = list(model.parts)
    weights = [model.mean, *(value for name in names for value in model.parts[name])]
    return [sum(w * t for w, t in zip(weights, terms(hour, names))) for hour in hours]


def terms(hour: float, names: list[str]) -> list[float]:
    """One row of the equations: the mean, then cosine and sine of each constituent."""
    angles = [math.radians(SPEED[name] * hour) for name in names]
    return [1.0, *(part for angle in angles for part in (math.cos(angle), math.sin(angle)))]


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve linear equations by elimination with pivoting."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(column + 1, size):
            factor = rows[row][column] / rows[column][column]
            rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column])]
    found = [0.0] * size
    for row in reversed(range(size)):
        known = sum(rows[row][k] * found[k] for k in range(row + 1, size))
        found[row] = (rows[row][size] - known) / rows[row][row]
    return found
