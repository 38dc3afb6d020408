"""Python's search for garbage, so that it doesn't stop a server that has much in memory."""

import gc

YOUNG = 10_000
"""How many new objects begin a search among them. Python's own 700 are less than one request makes:
each search would go through what is in use at this moment and find nothing."""
LATER = 10


def settle_garbage() -> None:
    """What was loaded stays as long as the program: no search goes through it from now on.

    Going through all of it takes a tenth of a second or more, and everybody waits meanwhile. For
    programs that serve until their end: what is in use now and is given up later stays, too.
    """
    gc.freeze()
    gc.set_threshold(YOUNG, LATER, LATER)
    # The command that starts a server puts it off while it loads.
    gc.enable()
