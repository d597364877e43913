"""All pages of the documentation, in the order in which its contents list them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from posixpath import join, normpath

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString

from inspector.core.rules import finding_codes, finding_type_of
from inspector.core.rules.added_findings import FindingType
from inspector.core.rules.rule import Rule
from inspector.documentation.doc_page import DocPage, DocSection, read_page
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
CONTENTS: tuple[tuple[str, Mapping[str, str]], ...] = (
    (
        "Start",
        {
            "start": "The ways in: by proxy, package, command or paste",
            "run": "One command captures what a program asks models for",
            "browser": "A module for pages of your own",
            "devtools": "What any page calls, while it streams",
            "upstreams": "The providers and servers that the proxy may call",
            "troubleshooting": "Nothing arrives, and other messages with their remedies",
        },
    ),
    (
        "Read a capture",
        {
            "times": "Which times are measured, derived or unknown",
            "sessions": "Calls that belong together, and what each added to the prompt",
            "rules": "Every check with its severity and what breaks",
            "documents": "The references, and what is checked of them",
            "vendors": "Who answers, and what each adds to its format",
        },
    ),
    (
        "Find and compare",
        {
            "query": "Fields, values and signs of the one box",
            "search": "Which words are looked for, and how they match",
            "feedback": "Votes of people who read the answers",
            "mcp": "Let your coding agent search and compare captures",
        },
    ),
    (
        "Reproduce",
        {
            "replay": "Serve a stored response again, faster, slower or broken",
            "fixtures": "One capture as a file for your tests",
        },
    ),
    (
        "REST interface",
        {
            "api": "Keys, scopes, errors and limits",
            "api/sending": "Single responses, exchanges and batches",
            "api/finding": "Lists, filters, pages and single captures",
            "api/cost": "Receipts, prices and sums",
            "api/changing": "Tags, notes, links and deletion",
            "api/feedback": "Tokens, votes and their lists",
        },
    ),
    (
        "Send by program",
        {
            "opentelemetry": "Spans of programs that are instrumented already",
            "commands": "send, tee, list, show, watch, export and delete",
            "files": "HAR, cassettes and logs of other programs",
            "check-your-provider-in-ci": "A daily job that notices what a provider changed",
        },
    ),
    (
        "Keep and forget",
        {
            "sharing": "Read-only links for people without an account",
            "export": "All captures of a query as one file, and back",
            "credentials": "How secrets are taken out before anything is stored",
            "redaction": "Overwrite what the team does not want to keep",
            "forgetting": "What a deletion removes, and what stays",
            "retention": "How long captures and their bodies are kept",
            "audit": "Who signed in, changed, exported and deleted",
        },
    ),
    (
        "Operate",
        {
            "operations": "Start, settings, health, metrics and logs",
            "backup": "Copy a running archive, check the copy, restore it",
            "reliability": "What is promised of every byte that was accepted",
            "limits": "The bounds on what senders choose",
        },
    ),
    (
        "How it is built",
        {
            "architecture": "A tour of five minutes",
            "glossary": "One word for each thing",
            "a-format-in-an-hour": "Teach it another wire format",
        },
    ),
)
"""Pages by group, each with a line on what it is for. Decisions are reached from those that name
them.
"""


@dataclass(frozen=True, slots=True)
class ContentsGroup:
    title: str
    entries: tuple[tuple[DocPage, str], ...]
    """Each page with its line."""


@cache
def pages() -> Mapping[str, DocPage]:
    """By name. Read once: they change with the program."""
    return {page.name: page for page in _read_pages(Path(settings.DOCS_DIR))}


def contents() -> tuple[ContentsGroup, ...]:
    known = pages()
    return tuple(
        ContentsGroup(title, tuple((known[name], line) for name, line in lines.items()))
        for title, lines in CONTENTS
    )


def pages_in_order() -> tuple[DocPage, ...]:
    """Those of the contents first: decisions are for who builds it."""
    listed = listed_pages()
    return (*listed, *(page for page in pages().values() if page not in listed))


def listed_pages() -> tuple[DocPage, ...]:
    return tuple(page for group in contents() for page, _ in group.entries)


@cache
def rule_pages() -> tuple[DocPage, ...]:
    """Return the pages of rules, made of the rules themselves, to be found by their codes."""
    found = ((code, finding_type_of(code)) for code in finding_codes())
    return tuple(_rule_page(code, each) for code, each in found if each)


def _rule_page(code: str, found: Rule | FindingType) -> DocPage:
    section = DocSection("rule", code, 1, f"{found.help} {found.impact}")
    return DocPage(f"{RULES}/{code}", "Rule", SafeString(), (section,))


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
