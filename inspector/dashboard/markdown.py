"""Model output as Markdown (CommonMark with tables): no HTML, no image loaded, links with a host.

What a text could do to its reader is taken away: markup of its own stands there as text, an image
is its words and its address, a link leads only to http, https or mail and shows where, and headings
keep below those of the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from inspector.dashboard.marks import prose
from inspector.dashboard.templatetags.segments import segments

MOST_CHARACTERS = 20_000
"""Of a longer text the plain one is shown: brackets without end take seconds at thrice that."""

PAGE_HEADINGS = 3
"""Levels that the page around a text uses itself."""


def markdown(text: str) -> SafeString:
    tokens = READER.parse(text)
    tame(tokens)
    return mark_safe(str(READER.renderer.render(tokens, READER.options, {})))


def host_of(address: str) -> str:
    """Where a link leads, as browsers read it; empty where it leads nowhere that is allowed."""
    try:
        parts = urlsplit(address)
        if parts.scheme == "mailto":
            return parts.path
        # Of a backslash browsers make a slash: the host that they go to ends before it.
        is_sound = bool(parts.hostname) and parts.port != 0 and "\\" not in parts.netloc
    except ValueError:
        return ""
    if not is_sound or parts.scheme not in ("http", "https"):
        return ""
    return parts.netloc.rpartition("@")[2].lower()


def tame(tokens: Iterable[Token]) -> None:
    """Headings below those of the page, no style attributes, every link's end knowing its host."""
    opened: list[Token] = []
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + PAGE_HEADINGS, 6)}"
        if "text-align:right" in str(token.attrs.pop("style", "")):
            token.attrSet("class", "num")
        if token.type == "link_open":
            token.attrs = {"href": token.attrs["href"], "rel": "noopener noreferrer nofollow"}
            opened.append(token)
        elif token.type == "link_close" and opened:
            link = opened.pop()
            is_plain = link.markup == "autolink"
            token.meta = {"host": "" if is_plain else host_of(str(link.attrGet("href")))}
        tame(token.children or ())


def visible(text: str) -> SafeString:
    return segments(prose(text))


def text_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return visible(tokens[at].content)


def code_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return format_html("<code>{}</code>", visible(tokens[at].content))


def block_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    content = visible(tokens[at].content)
    return format_html('<pre tabindex="0"><code>{}</code></pre>\n', content)


def image_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    words, address = visible(tokens[at].content), visible(str(tokens[at].attrGet("src")))
    return format_html('<span class="image">image: {} <code>{}</code></span>', words, address)


def link_close_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    host = tokens[at].meta.get("host")
    return f'</a> <span class="host">({escape(host)})</span>' if host else "</a>"


class Reader(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return host_of(url) != ""


def made() -> Reader:
    reader = Reader("commonmark", {"html": False})
    reader.enable("table")
    rules = {
        "text": text_rule,
        "code_inline": code_rule,
        "code_block": block_rule,
        "fence": block_rule,
        "image": image_rule,
        "link_close": link_close_rule,
    }
    for name, rule in rules.items():
        reader.add_render_rule(name, rule)
    return reader


READER = made()
