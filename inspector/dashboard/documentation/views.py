"""The documentation in the product: its contents with a search, and its pages."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from inspector.dashboard.pages import head_context, login_required, render_page
from inspector.documentation import library
from inspector.documentation.doc_search import MAX_CHARACTERS, find_sections
from inspector.teams.access import Principal


@login_required
def docs(request: HttpRequest, principal: Principal) -> HttpResponse:
    text = request.GET.get("q", "")[:MAX_CHARACTERS]
    hits = find_sections(library.pages_in_order(), text)
    context = {**_context(principal), "text": text, "hits": hits}
    return render_page(request, "dashboard/documentation/docs.html", context)


@login_required
def doc(request: HttpRequest, principal: Principal, name: str) -> HttpResponse:
    page = library.pages().get(name)
    if page is None:
        raise Http404
    context = {**_context(principal), "doc": page}
    return render_page(request, "dashboard/documentation/doc.html", context)


def _context(principal: Principal) -> dict[str, Any]:
    return {"groups": library.contents(), **head_context(principal)}
