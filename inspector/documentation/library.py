"""All pages of the documentation, in the order in which its contents list them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from posixpath import join, normpath

from django.conf import settings
from django.urls import reverse

from inspector.documentation.doc_page import DocPage, read_page
from inspector.installation import COMMAND_LINE

IN_A_CHECKOUT = "python3 manage.py"
# As in "python3 manage.py " of "python3 manage.py send a.har".
_COMMAND = re.compile(r"(?:python3 )?manage\.py (?!(?:test|check_all)\b)(?=[a-z])")
INDEX = "/README"
"""A folder's own page is called like the folder."""
RULES = "rules"
"""Each row of it has a page of its own."""
EXAMPLES = (".mjs", ".py", ".sh")
"""Programs that a page names have a page each, under their whole name."""
CONTENTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("start", "run", "browser", "devtools", "upstreams", "troubleshooting")),
    ("Read a capture", ("times", "sessions", "rules", "documents", "vendors")),
    ("Find and compare", ("query", "search", "feedback", "mcp")),
    ("Reproduce", ("replay", "fixtures")),
    (
        "REST interface",
        ("api", "api/sending", "api/finding", "api/cost", "api/changing", "api/feedback"),
    ),
    ("Send by program", ("opentelemetry", "commands", "files", "check-your-provider-in-ci")),
    (
        "Keep and forget",
        ("sharing", "export", "credentials", "redaction", "forgetting", "retention", "audit"),
    ),
    ("Operate", ("operations", "backup", "reliability", "limits")),
    ("How it is built", ("architecture", "glossary", "a-format-in-an-hour")),
)
"""Decisions are reached from the pages that name them."""


@dataclass(frozen=True, slots=True)
class ContentsGroup:
    title: str
    pages: tuple[DocPage, ...]


@cache
def pages() -> Mapping[str, DocPage]:
    """By name. Read once: they change with the program."""
    return {page.name: page for page in _read_pages(Path(settings.DOCS_DIR))}


def contents() -> tuple[ContentsGroup, ...]:
    known = pages()
    return tuple(
        ContentsGroup(title, tuple(known[name] for name in names)) for title, names in CONTENTS
    )


def pages_in_order() -> tuple[DocPage, ...]:
    """Those of the contents first: decisions are for who builds it."""
    listed = listed_pages()
    return (*listed, *(page for page in pages().values() if page not in listed))


def listed_pages() -> tuple[DocPage, ...]:
    return tuple(page for group in contents() for page in group.pages)


def address_of(name: str) -> str:
    return reverse("dashboard:doc", args=[name])


def _rule_address(code: str) -> str:
    return address_of(f"{RULES}/{code}")


def _no_address(_: str) -> str:
    return ""


def _read_pages(folder: Path) -> Iterator[DocPage]:
    for file in sorted(folder.rglob("*.*")):
        path = file.relative_to(folder).as_posix()
        if file.suffix in (".md", *EXAMPLES):
            text = file.read_text(encoding="utf-8")
            shown = f"# {file.name}\n\n~~~~\n{text}\n~~~~\n" if file.suffix in EXAMPLES else text
            name, own = _name(path), partial(_address, path)
            rows = _rule_address if name == RULES else _no_address
            yield read_page(name, name_commands(shown), own, rows)


def name_commands(text: str, program: str = COMMAND_LINE) -> str:
    """Return the text with commands as they are typed here; lines that speak of a checkout stay."""
    if program == IN_A_CHECKOUT:
        return text
    lines = (
        line if "checkout" in line else _COMMAND.sub(f"{program} ", line)
        for line in text.split("\n")
    )
    return "\n".join(lines)


def _name(path: str) -> str:
    return path.removesuffix(".md").removesuffix(INDEX)


def _address(path: str, link: str) -> str:
    """Return a link to a file as one to its page. Files beside ``docs/`` have none."""
    file, mark, fragment = link.partition("#")
    if "://" in link or not file:
        return link
    inside = normpath(join(path, "..", file))
    is_shown = not inside.startswith("..") and file.endswith((".md", *EXAMPLES))
    target = address_of(_name(inside)) if is_shown else ""
    return f"{target}{mark}{fragment}" if target else ""
