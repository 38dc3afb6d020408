"""A chat as one HTML page that needs nothing else: no script, nothing from elsewhere.

The only place that turns Markdown into HTML on the server. Raw HTML in it stays text, and a policy
in the page itself forbids everything but its own style and pictures.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, MutableMapping, Sequence
from functools import cache
from html import escape
from typing import Any, assert_never

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from recto.chats.history.entries import Totals
from recto.chats.transfer.exports.blocks import (
    Annotation,
    Block,
    CodeListing,
    Picture,
    Prose,
    SpeakerHeading,
    SummaryHeading,
    Thought,
    TypedText,
    plain,
    spent,
)
from recto.chats.transfer.exports.style import STYLE
from recto.messages import Image

EMBEDDED = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
SAFE_LINK = re.compile(r"(https?://|mailto:|#)", re.IGNORECASE)
# Longer than any answer; what is longer is shown as it stands, since reading it could take minutes.
MAX_MARKDOWN = 500_000


def html_page(title: str, blocks: Iterable[Block], used: Totals) -> str:
    """The whole chat."""
    name = escape(" ".join(plain(title).split()) or "Chat")
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
    body = "\n".join(_block(block) for block in blocks)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{name}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{name}</h1>\n{body}\n</main>\n<footer>{escape(spent(used))}</footer>\n"
        "</body>\n</html>\n"
    )


def _block(block: Block) -> str:
    match block:
        case SpeakerHeading(name=name, when=when, is_user=is_user):
            role = "you" if is_user else "model"
            return f'<h2 class="{role}">{escape(name)} <time>{escape(when)}</time></h2>'
        case TypedText(text=text):
            return f'<div class="said">{escape(text)}</div>'
        case Prose(text=text):
            return f'<div class="prose">{rendered(text)}</div>'
        case Thought(text=text):
            return _folded("Thought process", f'<div class="prose">{rendered(text)}</div>')
        case CodeListing(label=label, text=text):
            return _folded(label, f"<pre><code>{escape(text)}</code></pre>")
        case Picture(image=image):
            return _picture(image)
        case Annotation(text=text):
            return f'<p class="remark">{escape(text)}</p>'
        case SummaryHeading(text=text):
            return (
                '<section class="summary"><h2>Summary of what came before</h2>'
                f'<div class="prose">{rendered(text)}</div></section>'
            )
        case _:
            assert_never(block)


def _folded(label: str, inside: str) -> str:
    return f"<details><summary>{escape(label)}</summary>{inside}</details>"


def _picture(image: Image) -> str:
    if image.data and image.media_type in EMBEDDED:
        data = base64.b64encode(image.data).decode()
        return f'<img alt="A picture" src="data:{image.media_type};base64,{data}">'
    if image.url and SAFE_LINK.match(image.url):
        return f'<p class="remark">A picture at {escape(plain(image.url))}</p>'
    return '<p class="remark">A picture that can’t be shown here.</p>'


def rendered(text: str) -> str:
    """Markdown as HTML: raw HTML stays text, pictures become links, odd addresses nothing."""
    if len(text) > MAX_MARKDOWN:
        return f"<pre>{escape(text)}</pre>"
    return _markdown().render(text)


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    markdown.validateLink = _is_safe
    markdown.add_render_rule("image", _image)
    markdown.add_render_rule("link_open", _link)
    for cell in ("th_open", "td_open"):
        markdown.add_render_rule(cell, _cell)
    return markdown


def _is_safe(url: str) -> bool:
    return SAFE_LINK.match(url) is not None


Env = MutableMapping[str, Any]


def _image(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env
) -> str:
    """Nothing is loaded from elsewhere: a picture is a link to where it is."""
    source = escape(str(tokens[at].attrGet("src") or ""))
    label = escape(tokens[at].content) or "picture"
    return f'<a href="{source}" rel="noopener noreferrer">{label}</a>'


def _link(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env
) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer")
    return renderer.renderToken(tokens, at, options, env)


def _cell(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env
) -> str:
    """The policy forbids styles in place, so that a column's side becomes a class."""
    style = str(tokens[at].attrs.pop("style", ""))
    if style:
        tokens[at].attrSet("class", style.removeprefix("text-align:"))
    return renderer.renderToken(tokens, at, options, env)
