"""Why a program could not do its work."""

from collections.abc import Sequence


class ProcessFailure(Exception):
    """A program could not do its work; `message` says why, `remedy` what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class ProgramMissing(ProcessFailure):
    """The program is not on this machine."""

    def __init__(self, program: str) -> None:
        super().__init__(f"The program {program} was not found.", f"Install {program}.")
        self.program = program


class NotStarted(ProcessFailure):
    """The program is there but the system would not start it."""

    def __init__(self, program: str, why: str) -> None:
        super().__init__(f"{program} did not start: {why}.", "Check its folder and permissions.")


class Survived(ProcessFailure):
    """Processes were killed and are still there."""

    def __init__(self, pids: Sequence[int]) -> None:
        names = ", ".join(map(str, pids))
        super().__init__(f"Processes could not be ended: {names}.", "Look what holds them up.")


class InputClosed(ProcessFailure):
    """The program reads no more of what it is told."""

    def __init__(self) -> None:
        super().__init__("The program has ended or reads no more.", "Start it again.")


class TimedOut(ProcessFailure):
    """The program took too long and was ended."""

    def __init__(self, program: str, timeout_s: float) -> None:
        super().__init__(f"{program} took over {timeout_s:g} s and was ended.", "Try again later.")
