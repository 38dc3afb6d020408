"""A text cut into tokens by a real vocabulary that lies in an installed package."""

from recto.tokenizer.cut import Count, encoding, tokenize

__all__ = ["Count", "encoding", "tokenize"]
