"""What is expected to go wrong when a document is published."""


class PublishFailed(Exception):
    """The document can't be made; its words say why, and what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message} {remedy}".strip())
