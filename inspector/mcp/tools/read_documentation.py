"""Pages of the documentation, found by words or read by name."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from api.api_error import ApiError
from inspector.documentation import library
from inspector.documentation.doc_page import DocSection
from inspector.documentation.doc_search import DocHit, find_sections
from inspector.mcp.bounds import shortened
from inspector.mcp.tool import Tool
from inspector.teams.access import Principal

MAX_HITS = 10
"""Hits of one answer; `total` tells how many there are."""
SECTION_CHARACTERS = 6_000
"""Characters of one section; longer ones are cut, and say so."""


class DocumentationArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=200, description="words to look for")] = ""
    page: Annotated[
        str, Meta(max_length=100, description="name of a page, as hits and contents have it")
    ] = ""
    section: Annotated[
        str, Meta(max_length=200, description="of the page; without it, which there are")
    ] = ""


def read(principal: Principal, given: DocumentationArguments) -> dict[str, Any]:
    if given.page:
        return _page(given.page, given.section)
    if given.q:
        hits = find_sections(library.pages_in_order(), given.q)
        return {"hits": [_hit(each) for each in hits[:MAX_HITS]], "total": len(hits)}
    return {
        group.title: {page.name: page.title for page, _ in group.entries}
        for group in library.contents()
    }


def _page(name: str, anchor: str) -> dict[str, Any]:
    page = library.pages().get(name)
    if page is None:
        raise ApiError(404, "not_found", "there is no such page; without arguments, all are listed")
    if not anchor:
        return {"title": page.title, "sections": [_heading(each) for each in page.sections]}
    section = next((each for each in page.sections if each.anchor == anchor), None)
    if section is None:
        raise ApiError(404, "not_found", "the page has no such section")
    return {"title": section.title, "text": shortened(section.text, SECTION_CHARACTERS)}


def _heading(section: DocSection) -> dict[str, Any]:
    return {"section": section.anchor, "title": section.title, "characters": len(section.text)}


def _hit(hit: DocHit) -> dict[str, Any]:
    return {
        "page": hit.page.name,
        "section": hit.section.anchor,
        "title": hit.section.title,
        "text": f"{hit.before}{hit.found}{hit.after}",
    }


TOOL = Tool(
    name="read_documentation",
    title="Read the documentation",
    description=(
        "The documentation of this archive: without arguments its contents, with `q` the sections"
        " that say these words, with `page` and `section` their text. What times, verdicts and"
        " fields of the query language mean stands there."
    ),
    arguments=DocumentationArguments,
    run=read,
    is_recorded=False,
)
