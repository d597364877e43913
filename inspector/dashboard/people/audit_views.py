"""The audit log of a team: its page, filtered by who, what and when; as a file; its settings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import redirect

from inspector.dashboard.pages import login_required, render_page, team_context
from inspector.dashboard.request_values import parse_whole_number
from inspector.teams import audit_export, queries
from inspector.teams import audit_settings as kept_settings
from inspector.teams.access import Principal
from inspector.teams.audit import Act
from inspector.teams.audit_filters import AuditFilters
from inspector.teams.audit_settings import MAX_DAYS, MIN_DAYS
from inspector.teams.queries import AuditPage, AuditRow

ANYTHING = ("", "anything")
WHO_CHARACTERS = 200
"""The width of the column of which it is a part."""
ACT_WORDS: Mapping[str, str] = {
    Act.SIGNED_IN: "signed in",
    Act.SIGN_IN_FAILED: "tried a wrong password",
    Act.PASSWORD_SET: "set a password",
    Act.SESSIONS_ENDED: "signed out everywhere",
    Act.NAME_CHANGED: "took another name",
    Act.LINK_MADE: "made a sign-in link",
    Act.OWNER_MADE: "made an owner",
    Act.INVITED: "invited somebody",
    Act.INVITATION_WITHDRAWN: "withdrew an invitation",
    Act.JOINED: "joined",
    Act.ROLE_CHANGED: "changed a role",
    Act.MEMBER_REMOVED: "removed a member",
    Act.LEFT: "left",
    Act.TEAM_RENAMED: "renamed the team",
    Act.KEY_MADE: "made a key",
    Act.KEY_REVOKED: "revoked a key",
    Act.KEY_PAUSED: "paused a key",
    Act.KEY_RESUMED: "resumed a key",
    Act.KEY_LIMITED: "limited the streams of a key",
    Act.UPSTREAM_ADDED: "added an upstream",
    Act.UPSTREAM_CHANGED: "changed an upstream",
    Act.UPSTREAM_TURNED_OFF: "turned off an upstream",
    Act.UPSTREAM_TURNED_ON: "turned on an upstream",
    Act.UPSTREAM_REMOVED: "removed an upstream",
    Act.CAPTURE_DELETED: "deleted a capture",
    Act.CAPTURES_DELETED: "had all captures of a query deleted",
    Act.RETENTION_ADDED: "added a retention rule",
    Act.RETENTION_ON: "switched on a retention rule",
    Act.RETENTION_OFF: "switched off a retention rule",
    Act.RETENTION_REMOVED: "removed a retention rule",
    Act.RETENTION_DELETED: "deleted by a retention rule",
    Act.REDACTION_ADDED: "added a redaction rule",
    Act.REDACTION_ON: "switched on a redaction rule",
    Act.REDACTION_OFF: "switched off a redaction rule",
    Act.REDACTION_REMOVED: "removed a redaction rule",
    Act.CAPTURES_REDACTED: "redacted captures",
    Act.CREDENTIALS_CLEANED: "removed credentials from captures",
    Act.EXPORT_REQUESTED: "requested an export",
    Act.EXPORT_DOWNLOADED: "downloaded an export",
    Act.EXPORT_DELETED: "deleted an export",
    Act.SHARE_MADE: "made a link",
    Act.SHARE_REVOKED: "revoked a link",
    Act.SITE_LISTED: "listed a site",
    Act.SITE_REMOVED: "removed a site",
    Act.FEEDBACK_KEY_REPLACED: "let another feedback key sign",
    Act.FEEDBACK_KEYS_REVOKED: "revoked all feedback keys",
    Act.PRICE_SET: "set a price",
    Act.PRICE_ENDED: "ended a price",
    Act.AUDIT_CHANGED: "changed what this log keeps",
    Act.AUDIT_EXPORTED: "exported this log",
}
"""Words between the actor and the object of the action."""
# As in "0199a1b2-c3d4-7e5f-8a6b-9c0d1e2f3a4b".
CAPTURE_ID = re.compile("([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")


def _day(label: str) -> forms.DateField:
    return forms.DateField(
        label=label, required=False, widget=forms.DateInput(attrs={"type": "date"})
    )


class AuditFilterForm(forms.Form):
    """A form for who, what and when; ``words`` has a sentence part for each act."""

    who = forms.CharField(label="Who", required=False, max_length=WHO_CHARACTERS)
    what = forms.ChoiceField(label="Did", required=False)
    first = _day("From")
    last = _day("To")

    def __init__(self, words: Mapping[str, str], data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.fields["what"].choices = [  # type: ignore[attr-defined]
            ANYTHING,
            *sorted(((str(act), told) for act, told in words.items()), key=lambda each: each[1]),
        ]

    @property
    def filters(self) -> AuditFilters:
        found = self.cleaned_data
        return AuditFilters(found["who"], found["what"], found["first"], found["last"])

    @property
    def query(self) -> str:
        """The filters as a query string, to lead on with."""
        return urlencode({name: value for name, value in self.cleaned_data.items() if value})


class AuditSettingsForm(forms.Form):
    days = forms.IntegerField(
        label="Days that an entry is kept",
        min_value=MIN_DAYS,
        max_value=MAX_DAYS,
        widget=forms.NumberInput(attrs={"id": "id_audit_days"}),
    )


@dataclass(frozen=True, slots=True)
class AuditLine:
    """``network`` is None for a command run on this machine."""

    at: datetime
    by: str
    act: str
    on: str
    network: str | None
    is_gone: bool = False
    """Whether what it names went with this act."""

    @property
    def pieces(self) -> tuple[tuple[str, bool], ...]:
        """The text in pieces, each with whether it is the id of a capture that a page may have."""
        found = ((each, CAPTURE_ID.fullmatch(each)) for each in CAPTURE_ID.split(self.on) if each)
        return tuple((each, match is not None and not self.is_gone) for each, match in found)


def audit_line(row: AuditRow) -> AuditLine:
    act, is_gone = ACT_WORDS.get(row.act, row.act), row.act == Act.CAPTURE_DELETED
    return AuditLine(row.at, row.by, act, row.on, row.network, is_gone)


NOT_UNDERSTOOD = "A filter was not understood, so nothing is listed."


@login_required
def audit(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Show the audit log; an invalid cursor starts at the newest entry."""
    return _page(request, principal, team)


@login_required
def audit_file(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """Return the entries that the filters of the page leave, as lines of JSON."""
    form = AuditFilterForm(ACT_WORDS, request.GET)
    if not form.is_valid():
        return HttpResponse(NOT_UNDERSTOOD, status=422, content_type="text/plain")
    lines = audit_export.export_lines(principal, team, form.filters)
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="audit-{team}.jsonl"'
    response["Cache-Control"] = "private, no-store"
    return response


@login_required
def audit_settings(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    form = AuditSettingsForm(request.POST)
    if not form.is_valid():
        return _page(request, principal, team, status=422, settings_form=form)
    if not kept_settings.change_audit_days(principal, team, form.cleaned_data["days"]):
        raise Http404
    return redirect("dashboard:audit", team)


def _page(
    request: HttpRequest, principal: Principal, team: str, status: int = 200, **more: Any
) -> HttpResponse:
    before = parse_whole_number(request.GET.get("before", ""))
    form = AuditFilterForm(ACT_WORDS, request.GET)
    is_understood = form.is_valid()
    door = queries.for_principal(principal)
    trail = door.trail(team, before, form.filters) if is_understood else AuditPage((), None)
    kept = kept_settings.audit_days_of(principal, team)
    if kept is None:
        raise Http404
    context = {
        **team_context(principal, team),
        "lines": [audit_line(row) for row in trail.entries],
        "older": trail.older,
        "is_newest": before is None,
        "filter_form": form,
        "filter_query": form.query if is_understood else "",
        "refusal": "" if is_understood else NOT_UNDERSTOOD,
        "settings_form": AuditSettingsForm(initial={"days": kept}),
        "kept": kept,
        **more,
    }
    code = status if is_understood else 422
    return render_page(request, "dashboard/people/audit.html", context, code)
