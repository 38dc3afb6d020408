"""The next request before it is sent: its parts, what they cost, and what breaks the cache."""

from recto.chats.preview.account import Preview, PreviewBreak, PreviewLeftOut, PreviewPart
from recto.chats.preview.inclusion_view import InclusionView
from recto.chats.preview.previews import Previews, not_begun

__all__ = [
    "InclusionView",
    "Preview",
    "PreviewBreak",
    "PreviewLeftOut",
    "PreviewPart",
    "Previews",
    "not_begun",
]
