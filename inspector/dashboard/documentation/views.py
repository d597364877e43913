"""The documentation in the product: its contents with a search, and its pages."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from inspector.archive import queries
from inspector.archive.listing.filters import Filters
from inspector.core.rules import finding_codes, finding_type_of
from inspector.core.vendors import vendors
from inspector.dashboard.archive.bulk_progress import count_words
from inspector.dashboard.pages import (
    head_context,
    login_required,
    principal_in_team,
    render_page,
)
from inspector.dashboard.text.choice_diff import diff_choice_text
from inspector.documentation import library
from inspector.documentation.doc_search import MAX_CHARACTERS, find_sections
from inspector.documentation.rule_groups import rule_examples, rule_groups
from inspector.teams.access import Principal


@login_required
def docs(request: HttpRequest, principal: Principal) -> HttpResponse:
    text = request.GET.get("q", "")[:MAX_CHARACTERS]
    hits = find_sections((*library.pages_in_order(), *library.rule_pages()), text)
    context = {**_context(principal), "text": text, "hits": hits}
    return render_page(request, "dashboard/documentation/docs.html", context)


@login_required
def doc(request: HttpRequest, principal: Principal, name: str) -> HttpResponse:
    page = library.pages().get(name)
    if page is None:
        return _rule(request, principal, name)
    context = {**_context(principal), "doc": page}
    if name == library.RULES:
        # Its tables are for readers of the repository: here each rule has a page.
        intro = SafeString(page.html.partition("<h2")[0])
        context |= {"intro": intro, "subjects": list(rule_groups())}
        return render_page(request, "dashboard/documentation/rules.html", context)
    return render_page(request, "dashboard/documentation/doc.html", context)


def _rule(request: HttpRequest, principal: Principal, name: str) -> HttpResponse:
    """Answer with the page of a rule, ``rules/CODE``; made of the rule itself."""
    folder, _, code = name.partition("/")
    found = finding_type_of(code) if folder == "rules" else None
    if found is None:
        raise Http404
    breaking = sorted(each.title for each in vendors().values() if code in each.breaks)
    area = f"{code.partition('.')[0]}."
    context = {
        **_context(principal),
        "rule": found,
        "breaking": breaking,
        **_example(code),
        **_captures_with(principal, code),
        "beside": [each for each in finding_codes() if each.startswith(area)],
    }
    return render_page(request, "dashboard/documentation/rule.html", context)


def _example(code: str) -> dict[str, Any]:
    """Return an exchange of which the rule says something beside one of which it does not."""
    found = rule_examples(Path(settings.DOCS_DIR)).get(code)
    if found is None:
        return {}
    return {"says": found.says, "example": diff_choice_text("example", found.fires, found.silent)}


def _captures_with(principal: Principal, code: str) -> dict[str, Any]:
    """Count the captures of the person's first team that have a finding; with the newest."""
    if not principal.teams:
        return {}
    captures = queries.for_principal(principal_in_team(principal, principal.teams[0].slug))
    filters = Filters.of(rule=(code,))
    counted = captures.count(filters)
    newest = captures.page(limit=1, filters=filters).rows
    if not newest:
        return {}
    if counted is None:
        return {"number": "Captures", "newest": newest[0]}
    is_one = counted.number == 1
    return {"number": f"{count_words(counted)} capture{'' if is_one else 's'}", "newest": newest[0]}


def _context(principal: Principal) -> dict[str, Any]:
    return {"groups": library.contents(), **head_context(principal)}
