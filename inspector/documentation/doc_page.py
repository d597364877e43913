"""A page of the documentation, made of one Markdown file below ``docs/``."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# As in "." and "?" of a heading.
NO_WORD = re.compile(r"[^\w\- ]")
TEXT_TYPES = frozenset({"text", "code_inline", "image"})
BREAKS = frozenset({"softbreak", "hardbreak"})
PARAGRAPHS = frozenset({"inline", "fence", "code_block"})
CHAPTER = 2
"""Level of the headings below the title."""
MIN_CHAPTERS = 3
Address = Callable[[str], str]
"""The address that a link leads to; "" where it leads to nothing that can be shown here."""


@dataclass(frozen=True, slots=True)
class DocSection:
    """A heading and the text below it, up to the next one. ``anchor`` is its fragment."""

    anchor: str
    title: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class DocPage:
    """``name`` is the file's path below ``docs/`` without its ending."""

    name: str
    title: str
    html: SafeString
    sections: tuple[DocSection, ...]

    @property
    def chapters(self) -> tuple[DocSection, ...]:
        """The sections to choose from; none where they are seen at once."""
        found = tuple(each for each in self.sections if each.level == CHAPTER)
        return found if len(found) >= MIN_CHAPTERS else ()


def read_page(
    name: str, text: str, address: Address, row_address: Address = lambda _: ""
) -> DocPage:
    """Make a page of Markdown (CommonMark with tables). Headings get the fragments that code forges
    give them, and rows of tables the code in their first cell: a rule, a field, an error, which
    leads to ``row_address``.
    """
    tokens = _READER.parse(text)
    _name_headings(tokens)
    _direct_links(tokens, address)
    _name_rows(tokens, row_address)
    sections = tuple(_sections(tokens))
    html = mark_safe(str(_READER.renderer.render(tokens, _READER.options, {})))
    return DocPage(name, sections[0].title if sections else name, html, sections)


def _name_headings(tokens: Sequence[Token]) -> None:
    taken: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            anchor = NO_WORD.sub("", _plain(tokens[at + 1]).lower()).replace(" ", "-")
            count = taken.get(anchor, 0)
            taken[anchor] = count + 1
            token.attrSet("id", f"{anchor}-{count}" if count else anchor)


def _name_rows(tokens: Sequence[Token], row_address: Address) -> None:
    """Only the first of several places with a name has it, as an address leads to one."""
    taken = {token.attrGet("id") for token in tokens if token.type == "heading_open"}
    for row, cell, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        parts = inline.children or []
        is_code = [part.type for part in parts] == ["code_inline"]
        if row.type != "tr_open" or cell.type != "td_open" or not is_code:
            continue
        code = parts[0].content
        if code not in taken:
            row.attrSet("id", code)
            taken.add(code)
        if target := row_address(code):
            opening = Token("link_open", "a", 1, attrs={"href": target})
            inline.children = [opening, *parts, Token("link_close", "a", -1)]


def _direct_links(tokens: Iterable[Token], address: Address) -> None:
    target = ""
    for token in tokens:
        if token.type == "link_open":
            target = address(str(token.attrGet("href")))
            token.attrs = {"href": target}
        if token.type in ("link_open", "link_close") and not target:
            token.tag, token.attrs = "span", {}
        _direct_links(token.children or (), address)


def _sections(tokens: Sequence[Token]) -> Iterator[DocSection]:
    starts = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        heading = tokens[start]
        yield DocSection(
            anchor=str(heading.attrGet("id")),
            title=_plain(tokens[start + 1]),
            level=int(heading.tag[1]),
            text=" ".join(filter(None, map(_plain, tokens[start + 2 : end]))),
        )


def _plain(token: Token) -> str:
    """Return the words of a paragraph, heading, cell or block of code; "" for what only encloses
    them.
    """
    if token.type not in PARAGRAPHS:
        return ""
    if token.type != "inline":
        return " ".join(token.content.split())
    return "".join(map(_plain_part, token.children or ()))


def _plain_part(part: Token) -> str:
    if part.type in BREAKS:
        return " "
    return part.content if part.type in TEXT_TYPES else ""


# -- rendering ------------------------------------------------------------------------------------


def _image_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    # The pictures are for readers of the repository: here the page itself is one click away.
    return format_html("<em>{}</em>", tokens[at].content)


def _block_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return format_html('<pre tabindex="0"><code>{}</code></pre>\n', tokens[at].content)


def _table_open_rule(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    # Numbered, for readers who go from one region to the next by their names.
    number = sum(token.type == "table_open" for token in tokens[: at + 1])
    label = f'role="region" aria-label="Table {number}"'
    return f'<div class="scroll" tabindex="0" {label}><table class="grid">\n'


def _table_close_rule(*_: Any) -> str:
    return "</table></div>\n"


def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    rules = {
        "image": _image_rule,
        "fence": _block_rule,
        "code_block": _block_rule,
        "table_open": _table_open_rule,
        "table_close": _table_close_rule,
    }
    for name, rule in rules.items():
        reader.add_render_rule(name, rule)
    return reader


_READER = _reader()
