"""What can be wrong with Recto's own files."""


class ConfigFailure(Exception):
    """A file or folder of Recto's own is not as it must be; says which, where and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy
