"""calibration.json: how far each model's own token count lies from ours."""

import json

from recto.config import ConfigFailure, Home
from recto.context import TokenCalibration

FILE = "calibration.json"


def load_calibration(home: Home) -> TokenCalibration:
    """What was learned before."""
    file = home.folder / FILE
    if not file.exists():
        return TokenCalibration()
    try:
        rows = json.loads(file.read_bytes())
        return TokenCalibration(
            {str(model): (float(a), float(b)) for model, (a, b) in rows.items()}
        )
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigFailure(
            f"{file} can't be read: {error}.", "Remove it; it is learned again."
        ) from error


def save_calibration(home: Home, calibration: TokenCalibration) -> None:
    """Keep what was learned."""
    if calibration.factors:
        home.replace(home.folder / FILE, json.dumps(calibration.factors).encode())
