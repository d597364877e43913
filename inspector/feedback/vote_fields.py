"""Fields of votes, in the order in which they are offered."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q, Subquery

from inspector.archive.listing.filters import Filters
from inspector.core.analysis import Verdict
from inspector.core.completion import Result
from inspector.feedback.models import FeedbackTokenKind, TriageState, Vote, VoteOutcome
from inspector.query.conditions import any_of, pattern_condition
from inspector.query.fields import HAS, MISSING, Field, FieldKind, Registry, Scope
from inspector.query.time_input import TIME_FORMATS
from inspector.query.tree import AllOf, Matcher
from inspector.query.values import NamePattern

# The largest number that the column of choices holds in either database (64 bits).
LARGEST_CHOICE = 2**63 - 1
VOTE_FIELDS = Registry()


def _since(matcher: Matcher, scope: Scope) -> Q:
    return any_of(Q(created_at__gte=value) for value in matcher.values)


def _until(matcher: Matcher, scope: Scope) -> Q:
    return any_of(Q(created_at__lt=value) for value in matcher.values)


def _finish_reason(matcher: Matcher, scope: Scope) -> Q:
    column = "capture__choices__finish_reason"
    names = [value for value in matcher.values if not isinstance(value, NamePattern)]
    found = [Q(**{f"{column}__in": names})] if names else []
    found += [pattern_condition(column, v) for v in matcher.values if isinstance(v, NamePattern)]
    # Both of one row: of the choice that was voted on. Asked vote by vote: of a usual reason a
    # list of all would be made before the first row is found.
    of_choice = Vote.objects.filter(any_of(found), capture__choices__index=F("choice"))
    return Q(Exists(of_choice.filter(pk=OuterRef("pk"))))


def _voted_on() -> Subquery:
    of_choice = Vote.objects.filter(pk=OuterRef("pk"), capture__choices__index=F("choice"))
    return Subquery(of_choice.values("capture__choices__finish_reason")[:1])


def _tag(matcher: Matcher, scope: Scope) -> Q:
    tagged = Filters(AllOf((Matcher("tag", matcher.operator, matcher.values),)))
    return Q(capture__in=scope.door.ids(tagged))


def _comment(matcher: Matcher, scope: Scope) -> Q:
    return any_of(Q(comment__isnull=not value) for value in matcher.values)


def _verified(matcher: Matcher, scope: Scope) -> Q:
    own = Q(token_kind=FeedbackTokenKind.OWN)
    return any_of(own if value else ~own for value in matcher.values)


def _uuid(text: str, now: datetime) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _choice(text: str, now: datetime) -> int | None:
    # Of any length ``int`` takes its time, and raises from 4,300 digits on.
    is_number = text.isascii() and text.isdigit() and len(text) < 20
    return int(text) if is_number and int(text) <= LARGEST_CHOICE else None


def _name(name: str, label: str, meaning: str, **more: Any) -> Field:
    return Field(
        name,
        FieldKind.NAME,
        label,
        meaning,
        column=more.pop("column", f"capture__inspection__{name}"),
        is_parameter=True,
        is_repeatable=True,
        **more,
    )


def _once(name: str, kind: FieldKind, label: str, meaning: str, **more: Any) -> Field:
    return Field(name, kind, label, meaning, is_parameter=True, **more)


VOTE_FIELDS.register(
    _name(
        "outcome", "outcome", "what the vote says", column="outcome",
        vocabulary=lambda: list(VoteOutcome),
    ),
    _name(
        "state", "state", "the triage state", column="state",
        vocabulary=lambda: list(TriageState), has_index=True,
    ),
    _name(
        "model", "model answered", "the model that the response names",
        is_nullable=True,
    ),
    _name("vendor", "vendor", "who answered", is_nullable=True),
    _name(
        "verdict", "verdict", "what became of the transport", vocabulary=lambda: list(Verdict)
    ),
    _name(
        "result", "result of the answer", "what the reader got", vocabulary=lambda: list(Result)
    ),
    _name(
        "finish_reason", "finish reason of the choice", "of the choice that was voted on",
        column="", condition=_finish_reason, counts=_voted_on(),
    ),
    _name(
        "tag", "tag of the capture", "a tag of the capture", column="", condition=_tag,
        counts="capture__tags", needs_all=True, has_index=True,
    ),
    _once(
        "since", FieldKind.TIME, "since", TIME_FORMATS,
        condition=_since, has_index=True,
    ),
    _once("until", FieldKind.TIME, "until", TIME_FORMATS, condition=_until, has_index=True),
    _once(
        "comment", FieldKind.FLAG, "with a comment",
        "yes: only votes with a comment; no: only votes without", condition=_comment,
        counts=ExpressionWrapper(Q(comment__isnull=False), BooleanField()),
        vocabulary=lambda: ("yes", "no"),
    ),
    _once(
        "verified", FieldKind.FLAG, "by our own token",
        "yes: only votes by a token signed here; no: only by other tokens", condition=_verified,
        counts=ExpressionWrapper(Q(token_kind=FeedbackTokenKind.OWN), BooleanField()),
        vocabulary=lambda: ("yes", "no"),
    ),
    _once(
        "user", FieldKind.NAME, "user", "user_id of the vote; empty for votes without one",
        column="user_id", allows_empty=True, missing=Q(user_id=""),
    ),
    _once(
        "capture", FieldKind.ID, "capture", "id of the capture", column="capture", parse=_uuid,
        form="an id", has_index=True,
    ),
    _once(
        "choice", FieldKind.ID, "choice", "index of the choice, as the provider sent it",
        column="choice", parse=_choice, form="a number of a choice",
    ),
    Field(MISSING, FieldKind.PRESENCE, "missing", "a field that was not sent, or is unknown"),
    Field(HAS, FieldKind.PRESENCE, "has", "a field that was sent, or is known"),
)  # fmt: skip
