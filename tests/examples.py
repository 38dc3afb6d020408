"""How many examples a test draws: as many as `make soak` asks for, or enough for every day."""

import os

ASKED = os.environ.get("RECTO_EXAMPLES")


def examples(every_day: int) -> int:
    """The number for a test whose examples cost too much, or show too little, for the usual one."""
    return int(ASKED) if ASKED else every_day
