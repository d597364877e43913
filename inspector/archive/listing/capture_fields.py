"""Fields of captures, in the order in which they are offered; other apps register theirs."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Q, QuerySet

from inspector.archive.inspection.projection import NO_FINISH
from inspector.archive.listing.capture_ids import id_range
from inspector.archive.models import (
    DELETED,
    ChoiceRow,
    FindingRow,
    Inspection,
    RequestIdRow,
    State,
    TagRow,
)
from inspector.core.analysis import Verdict
from inspector.core.completion import Result
from inspector.core.findings import Severity
from inspector.core.formats import dialects
from inspector.core.rules import finding_codes, finding_type_of
from inspector.query.conditions import any_of, of_rows, pattern_condition
from inspector.query.fields import HAS, MISSING, Field, FieldKind, Registry, Scope
from inspector.query.tree import Matcher
from inspector.query.values import NamePattern
from inspector.teams.names import key_ids

EMPTY_FINISH = "empty"
INSPECTION = "inspection"
PROMPT = "prompt"
ARRIVED_SINCE, ARRIVED_UNTIL = "arrived_since", "arrived_until"
MAX_PROMPTS = 50
"""In a facet."""
CAPTURE_FIELDS = Registry()


def severities() -> tuple[str, ...]:
    return tuple(map(str, Severity))


def _states() -> Iterable[str]:
    return [state for state in State if state not in DELETED]


def _findings() -> Iterable[str]:
    return [*severities(), *finding_codes()]


def _describe_finding(code: str) -> str:
    found = finding_type_of(code)
    return found.help if found else ""


def _names(matcher: Matcher) -> list[str]:
    return [str(value) for value in matcher.values if not isinstance(value, NamePattern)]


def _patterns(matcher: Matcher, column: str) -> list[Q]:
    return [pattern_condition(column, v) for v in matcher.values if isinstance(v, NamePattern)]


def _key(matcher: Matcher, scope: Scope) -> Q:
    return any_of(
        [Q(key__in=key_ids(scope.team_ids, _names(matcher))), *_patterns(matcher, "key__name")]
    )


def _tag(matcher: Matcher, scope: Scope) -> Q:
    named = Q(tag__in=_names(matcher))
    return of_rows(TagRow.objects.filter(any_of([named, *_patterns(matcher, "tag")])))


def _finish_reason(matcher: Matcher, scope: Scope) -> Q:
    names = _names(matcher)
    # A provider may send the word itself, too.
    reasons = [*names, ""] if EMPTY_FINISH in names else names
    named = Q(finish_reason__in=reasons)
    return of_rows(ChoiceRow.objects.filter(any_of([named, *_patterns(matcher, "finish_reason")])))


def _finding(matcher: Matcher, scope: Scope) -> Q:
    # Severities are counted in columns of the inspection; only codes need findings' rows.
    counted = [name for name in severities() if name in matcher.values]
    conditions = [Q(**{f"inspection__{name}_count__gt": 0}) for name in counted]
    codes = [name for name in _names(matcher) if name not in counted]
    rows = [Q(code__in=codes)] if codes else []
    rows += _patterns(matcher, "code")
    if rows:
        conditions.append(of_rows(FindingRow.objects.filter(any_of(rows))))
    return any_of(conditions)


def _rule(matcher: Matcher, scope: Scope) -> Q:
    named = Q(code__in=_names(matcher))
    return of_rows(FindingRow.objects.filter(any_of([named, *_patterns(matcher, "code")])))


def _count_rules(ids: QuerySet[Any], chosen: tuple[str, ...]) -> Iterable[tuple[str, int, str]]:
    rows = FindingRow.objects.filter(capture__in=ids).values("code")
    found = rows.annotate(number=Count("capture", distinct=True)).order_by("-number", "code")
    return [(code, number, "") for code, number in found.values_list("code", "number")]


def _count_prompts(ids: QuerySet[Any], chosen: tuple[str, ...]) -> Iterable[tuple[str, int, str]]:
    """Prompts that were sent several times, each by the last line of its user."""
    known = Inspection.objects.filter(capture__in=ids, prompt_sha256__isnull=False)
    counted = known.values("prompt_sha256").annotate(
        number=Count("capture"), line=Max("prompt_line")
    )
    rows = counted.values_list("prompt_sha256", "number", "line").order_by(
        "-number", "prompt_sha256"
    )
    found = list(rows.filter(number__gt=1)[:MAX_PROMPTS])
    if missing := set(chosen) - {digest for digest, _, _ in found}:
        found += rows.filter(prompt_sha256__in=missing)
    return [(str(digest), number, line or "") for digest, number, line in found]


def _request_id(matcher: Matcher, scope: Scope) -> Q:
    return of_rows(RequestIdRow.objects.filter(value__in=_names(matcher)))


def _id(matcher: Matcher, scope: Scope) -> Q:
    return any_of(Q(id__range=ids) for ids in matcher.values)


def _since(matcher: Matcher, scope: Scope) -> Q:
    return Q(**{f"{scope.time}__gte": _moment(matcher, min)})


def _until(matcher: Matcher, scope: Scope) -> Q:
    return Q(**{f"{scope.time}__lt": _moment(matcher, max)})


def _arrived_since(matcher: Matcher, scope: Scope) -> Q:
    return Q(received_at__gte=_moment(matcher, min))


def _arrived_until(matcher: Matcher, scope: Scope) -> Q:
    # No call is later than its arrival: the list need not be walked further than that.
    moment = _moment(matcher, max)
    return Q(**{"received_at__lt": moment, f"{scope.time}__lt": moment})


def _moment(matcher: Matcher, which: Any) -> datetime:
    found = which(matcher.values)
    assert isinstance(found, datetime), "a value of a field of times"
    return found


def _metadata(matcher: Matcher, scope: Scope) -> Q:
    key = matcher.name.partition(".")[2]
    texts = _names(matcher)
    scalars: list[Any] = [*texts, *(int(text) for text in texts if _is_number(text))]
    scalars += [{"true": True, "false": False}[text] for text in texts if text in ("true", "false")]
    # A key that is not there compares as null, which a negation would leave out.
    has_key = Q(metadata__has_key=key)
    return has_key & any_of(Q(**{f"metadata__{key}__exact": each}) for each in scalars)


def _is_number(text: str) -> bool:
    # Longer ones may be past 2**53, where readers of JSON differ: compared as text alone.
    return text.isascii() and text.removeprefix("-").isdigit() and len(text) < 16


def _is_set(column: str) -> Any:
    def condition(matcher: Matcher, scope: Scope) -> Q:
        return any_of(Q(**{f"{column}__isnull": not value}) for value in matcher.values)

    return condition


def _redacted(matcher: Matcher, scope: Scope) -> Q:
    return any_of(Q(redactions__gt=0) if value else Q(redactions=0) for value in matcher.values)


def _ids(text: str, now: datetime) -> tuple[UUID, UUID] | None:
    return id_range(text)


def _name(name: str, label: str, meaning: str, **more: Any) -> Field:
    return Field(
        name,
        FieldKind.NAME,
        label,
        meaning,
        **{
            "column": f"inspection__{name}",
            "table": INSPECTION,
            "is_parameter": True,
            "is_repeatable": True,
            **more,
        },
    )


def _number(
    name: str,
    label: str,
    meaning: str,
    column: str,
    kind: FieldKind = FieldKind.NUMBER,
    **more: Any,
) -> Field:
    path = f"inspection__{column}"
    values = {"is_nullable": True, **more}
    return Field(name, kind, label, meaning, column=path, table=INSPECTION, **values)


CAPTURE_FIELDS.register(
    Field(
        "state", FieldKind.NAME, "state", "how far it is", column="state",
        vocabulary=_states, has_index=True, is_parameter=True, is_repeatable=True,
    ),
    _name(
        "verdict", "verdict", "what became of the transport", vocabulary=lambda: list(Verdict),
        has_index=True, is_facet=True, absent="not analysed",
    ),
    _name(
        "result", "result", "what the reader got", vocabulary=lambda: list(Result),
        has_index=True, is_facet=True, absent="not analysed",
    ),
    _name(
        "finding", "finding", "code of a finding, or a severity", vocabulary=_findings,
        column="", table="", condition=_finding, has_index=True, describe=_describe_finding,
        is_facet=True, facet_title="finding, by severity",
    ),
    Field(
        "rule", FieldKind.NAME, "rule", "code of a finding", vocabulary=finding_codes,
        condition=_rule, has_index=True, is_facet=True, count_rows=_count_rules,
        describe=_describe_finding,
    ),
    _name(
        "model", "model", "the model that answered, else the one that was asked for",
        column="inspection__named_model",
        has_index=True, is_nullable=True, is_facet=True, absent="none named",
    ),
    _name(
        "request_model", "model requested", "the model that the request names",
        is_nullable=True,
    ),
    _name(
        "finish_reason", "finish reason", "of any choice; empty: one that was sent empty",
        column="", condition=_finish_reason,
        counts="inspection__finish_reasons",
        is_list=True, has_index=True, is_facet=True,
        missing=of_rows(ChoiceRow.objects.filter(finish_reason=NO_FINISH)),
    ),
    _name(
        "dialect", "format", "wire format of the response", vocabulary=dialects,
        has_index=True, is_nullable=True, is_facet=True, absent="not recognised",
    ),
    _name(
        "vendor", "vendor", "who answered", has_index=True, is_nullable=True, is_facet=True,
        absent="not known",
    ),
    _name(
        "tag", "tag", "a tag of the capture", column="", table="", condition=_tag,
        counts="tags",
        is_list=True,
        missing=Q(tags=[]), has_index=True, is_facet=True, needs_all=True,
    ),
    _name(
        "key", "API key", "name of the key that it came with", column="", table="",
        counts="key__name",
        condition=_key, missing=Q(key__isnull=True) & Q(inspection__called_at__isnull=False),
        has_index=True, is_facet=True, absent="no key",
    ),
    Field(
        "upstream", FieldKind.NAME, "upstream", "name of the upstream that the proxy called",
        column="upstream", is_nullable=True, is_facet=True, absent="not by the proxy",
        is_parameter=True, is_repeatable=True,
    ),
    Field(
        MISSING, FieldKind.PRESENCE, "missing", "a field that was not sent, or is unknown",
        is_parameter=True, is_repeatable=True,
    ),
    Field(HAS, FieldKind.PRESENCE, "has", "a field that was sent, or is known"),
    Field(
        "since", FieldKind.TIME, "since", "called at this time or later",
        condition=_since, has_index=True, is_parameter=True,
        former_name="started_since",
    ),
    Field(
        "until", FieldKind.TIME, "until", "called before this time",
        condition=_until, has_index=True, is_parameter=True, former_name="started_until",
    ),
    Field(
        ARRIVED_SINCE, FieldKind.TIME, "arrived since", "stored here at this time or later",
        condition=_arrived_since, has_index=True,
    ),
    Field(
        ARRIVED_UNTIL, FieldKind.TIME, "arrived until", "stored here before this time",
        condition=_arrived_until, has_index=True,
    ),
    _number(
        "first_token", "first token", "from the request to the first token",
        "first_token_us", FieldKind.DURATION,
    ),
    _number(
        "duration", "duration", "from the request to the end", "duration_us", FieldKind.DURATION
    ),
    _number("tokens.in", "tokens in", "as stated in the response", "prompt_tokens"),
    _number("tokens.out", "tokens out", "as stated in the response", "completion_tokens"),
    _number("tokens.cached", "tokens cached", "as stated in the response", "cached_tokens"),
    _number("tokens.reasoning", "tokens of reasoning", "as stated", "reasoning_tokens"),
    _number("tokens.total", "tokens in total", "as stated in the response", "total_tokens"),
    _number("choices", "choices", "number of choices", "choice_count", is_nullable=False),
    _number(
        "errors", "errors", "number of findings that are errors", "error_count", is_nullable=False
    ),
    _number(
        "warnings", "warnings", "number of findings that are warnings", "warning_count",
        is_nullable=False,
    ),
    Field(
        "stream", FieldKind.FLAG, "stream", "the response came as a stream",
        column="inspection__streamed", table=INSPECTION,
    ),
    Field(
        "status", FieldKind.NUMBER, "HTTP status", "status of the response", column="status_code",
        is_nullable=True,
    ),
    Field(
        "size", FieldKind.SIZE, "size", "bytes of the response's body", column="byte_length",
    ),
    Field(
        "id", FieldKind.ID, "capture id", "the capture's id, whole or its first 8 digits at least",
        condition=_id, parse=_ids, form="an id of a capture, or at least its first 8 digits",
        has_index=True,
    ),
    Field(
        "provider_id", FieldKind.NAME, "provider id", "the provider's id of the response",
        column="inspection__response_id", table=INSPECTION, is_nullable=True,
    ),
    Field(
        "request_id", FieldKind.ID, "request id", "an id that a response header gives the request",
        condition=_request_id, has_index=True,
    ),
    Field(
        PROMPT, FieldKind.NAME, "prompt", "SHA-256 of the prompt: equal for equal prompts",
        column="inspection__prompt_sha256", table=INSPECTION, is_nullable=True, has_index=True,
        is_facet=True, facet_title="same prompt", count_rows=_count_prompts,
    ),
    Field(
        "session", FieldKind.NAME, "session", "the session that the sender states",
        column="inspection__session", table=INSPECTION, is_nullable=True, has_index=True,
        is_parameter=True, is_repeatable=True,
    ),
    Field(
        "trace", FieldKind.NAME, "trace", "the trace that the sender states",
        column="inspection__trace", table=INSPECTION, is_nullable=True, has_index=True,
    ),
    Field(
        "span", FieldKind.NAME, "span", "the span that the sender states for the call",
        column="inspection__span", table=INSPECTION, is_nullable=True, has_index=True,
    ),
    Field(
        "user", FieldKind.NAME, "user", "the end user that the sender states",
        column="inspection__end_user", table=INSPECTION, is_nullable=True, has_index=True,
    ),
    Field(
        "note", FieldKind.TEXT, "note", "a part of the capture's note", column="note",
        missing=Q(note=""),
    ),
    Field(
        "metadata", FieldKind.ID, "metadata", "a value that the sender gave under this key",
        condition=_metadata, takes_key=True,
    ),
    Field(
        "retry", FieldKind.FLAG, "retry", "it repeats a call that failed",
        condition=_is_set("retry_of"),
    ),
    Field(
        "bodiless", FieldKind.FLAG, "bodiless", "its body was deleted by a retention rule",
        condition=_is_set("body_deleted_at"),
    ),
    Field(
        "redacted", FieldKind.FLAG, "redacted", "rules of the team overwrote something in it",
        condition=_redacted,
    ),
)  # fmt: skip
