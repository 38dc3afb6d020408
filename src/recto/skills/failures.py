"""What can be wrong with a request about a skill.

SkillFailure
├── NoSuchSkill     no skill has this id or name
├── NotYours        built in, or a file of the folder: not changed here
├── NotUsable       not agreed to, or not readable
├── SkillTextChanged     agreed to another text than the one that is there now
└── NotWritten      what the user wrote can't be kept
"""


class SkillFailure(Exception):
    """An expected failure: what is wrong, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class NoSuchSkill(SkillFailure):
    """There is no skill of this id or name."""

    def __init__(self, skill: str) -> None:
        super().__init__(f"There is no skill {skill}.", "Reload the list, and choose one from it.")


class NotYours(SkillFailure):
    """Only skills of one's own are changed here, and only those of a folder are agreed to."""


class NotUsable(SkillFailure):
    """A skill that may not be sent to a model."""


class SkillTextChanged(SkillFailure):
    """The text of a skill is not the one that the user saw."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} has another text now.", "Read it again, then agree.")


class NotWritten(SkillFailure):
    """What the user wrote can't be kept as it is."""
