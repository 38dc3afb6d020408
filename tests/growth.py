"""Whether work grows with its input and not with its square, by comparison within one run."""

import time
from collections.abc import Callable

TIMES = 16
# Linear work is 16 times as much, quadratic work 256 times; the room between is for a busy machine.
ALLOWED = 100
SHORTEST_S = 0.0005


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Whether 16 times the input costs about 16 times the processor's time."""
    small = min(cpu(work, size) for _ in range(3))
    allowed = ALLOWED * max(small, SHORTEST_S)
    # One that was quick enough says it all; only one that was held up is tried again.
    return any(cpu(work, TIMES * size) < allowed for _ in range(3))


def cpu(work: Callable[[int], object], size: int) -> float:
    """The processor's time for one go."""
    began = time.process_time()
    work(size)
    return time.process_time() - began
