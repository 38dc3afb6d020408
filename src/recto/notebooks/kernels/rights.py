"""What a kernel may do on this computer: all that its user may, or what the sandbox leaves it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

KernelRights = Literal["own", "sandbox", "network"]
"""The user's own rights; the sandbox of commands; that sandbox with the network."""


@dataclass(frozen=True, slots=True)
class HeldPlace:
    """Where a kernel that is held works: the folder that it may write in, and its private one."""

    root: str
    cwd: str
    private: str
    door: str
    """The socket of its keeper, which is not for the kernel."""


@dataclass(frozen=True, slots=True)
class HeldArgv:
    """What starts a program that is held, and variables that it needs for that."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


class HoldsKernels(Protocol):
    """Holds kernels to their folder."""

    async def hold(self, argv: Sequence[str], place: HeldPlace, *, network: bool) -> HeldArgv:
        """What starts a kernel that writes in its folder alone. Raises SandboxMissing."""
        ...


FindRights = Callable[[str], Awaitable[KernelRights]]
"""What the user has chosen for the kernels of a folder."""


@dataclass(frozen=True, slots=True)
class KernelRules:
    """What kernels may do, by folder, and what holds them to it."""

    find: FindRights
    sandbox: HoldsKernels
