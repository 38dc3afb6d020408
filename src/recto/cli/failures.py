"""How a command says that it can't do what was asked."""


class CommandFailed(Exception):
    """A command can't do what was asked; the message is the one line people read."""
