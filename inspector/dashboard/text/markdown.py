"""Renders model output as Markdown (CommonMark with tables) without anything active.

HTML is shown as text, images become their alternative text and URL, links are limited to http,
https and mailto and show their host, and headings rank below those of the page.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from inspector.dashboard.text.segment_html import segments_html
from inspector.formatting.invisible_characters import prose_segments

MAX_CHARACTERS = 20_000
"""Longer texts are shown as plain text: unclosed brackets take seconds at three times this."""

PAGE_HEADINGS = 3
"""Heading levels used by the page itself."""


def render_markdown(text: str) -> SafeString:
    tokens = READER.parse(text)
    restrict_tokens(tokens)
    return mark_safe(str(READER.renderer.render(tokens, READER.options, {})))


def host_of(address: str) -> str:
    """Host of a URL as browsers parse it; empty if the URL may not be linked."""
    try:
        parts = urlsplit(address)
        if parts.scheme == "mailto":
            return parts.path
        # Browsers treat a backslash as a slash, so the host ends before it.
        is_sound = bool(parts.hostname) and parts.port != 0 and "\\" not in parts.netloc
    except ValueError:
        return ""
    if not is_sound or parts.scheme not in ("http", "https"):
        return ""
    return parts.netloc.rpartition("@")[2].lower()


def restrict_tokens(tokens: Iterable[Token]) -> None:
    """Lower headings, remove style attributes, and give every link its host."""
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
        restrict_tokens(token.children or ())


def prose_html(text: str) -> SafeString:
    return segments_html(prose_segments(text))


def text_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return prose_html(tokens[at].content)


def code_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return format_html("<code>{}</code>", prose_html(tokens[at].content))


def block_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    content = prose_html(tokens[at].content)
    return format_html('<pre tabindex="0"><code>{}</code></pre>\n', content)


def image_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    words, address = prose_html(tokens[at].content), prose_html(str(tokens[at].attrGet("src")))
    return format_html('<span class="image">image: {} <code>{}</code></span>', words, address)


def link_close_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    host = tokens[at].meta.get("host")
    return f'</a> <span class="host">({escape(host)})</span>' if host else "</a>"


class MarkdownReader(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return host_of(url) != ""


def markdown_reader() -> MarkdownReader:
    reader = MarkdownReader("commonmark", {"html": False})
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


READER = markdown_reader()
