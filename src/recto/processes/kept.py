"""Programs that a keeper holds: nothing of them is left when they end, or when Recto does."""

import sys
from collections.abc import Sequence
from pathlib import Path

KEEPER = Path(__file__).with_name("keeper.py")


def kept(
    argv: Sequence[str],
    *,
    group: str = "",
    max_memory: int | None = None,
    max_tasks: int | None = None,
) -> list[str]:
    """The program that runs another one and keeps hold of all that it starts.

    It must be started with an input that stays open: when that ends, everything does.
    """
    limits = ["" if most is None else str(most) for most in (max_memory, max_tasks)]
    # -I and -S: nothing of the user's folder or site-packages runs inside the keeper.
    return [sys.executable, "-I", "-S", str(KEEPER), group, *limits, *argv]


def kept_talking(lifeline: int, argv: Sequence[str]) -> list[str]:
    """The same for a program that talks; it is ended when the handle `lifeline` reads the end."""
    return [sys.executable, "-I", "-S", str(KEEPER), "--talks", str(lifeline), *argv]


def first_program(argv: Sequence[str]) -> list[str]:
    """The program in a sandbox that becomes another one, which can be interrupted."""
    return [sys.executable, "-I", "-S", str(KEEPER.with_name("first.py")), *argv]


def held(socket: str, argv: Sequence[str]) -> list[str]:
    """The same for a program that may outlive Recto, and is found again by a socket.

    The folder that the socket is made in belongs to it, and is taken away at its end.
    """
    return [sys.executable, "-I", "-S", str(KEEPER), "--held", socket, *argv]
