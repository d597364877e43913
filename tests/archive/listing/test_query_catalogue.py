"""Every query of a catalogue finds what plain Python finds over the same rows, on both databases."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.listing.filter_params import parse_filter_params
from inspector.archive.models import Capture, ChoiceRow, FindingRow, Inspection, TagRow
from inspector.archive.queries import for_principal
from inspector.core.findings import Severity
from inspector.core.wire.exchange import Exchange
from inspector.query.language import parse
from inspector.query.tree import AllOf, AnyOf, Node, Not, Operator, QueryTerm, Words
from inspector.usage.models import NOT_SENT, Price
from tests.archive.samples import CUT, SSE, STREAM, WHOLE, accept, accept_arrival, inspect_all
from tests.people import Person

pytestmark = pytest.mark.both_stacks

MADE_AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
FLEX = WHOLE.replace(b'"usage"', b'"service_tier":"flex","system_fingerprint":"fp_1","usage"')
UNLISTED = WHOLE.replace(b"gpt-4o", b"parcel_1%")
NAMED = WHOLE.replace(b"chatcmpl-1", b"resp-2").replace(b"gpt-4o", b"GPT-4 Turbo")
Row = dict[str, Any]

ONE_FIELD = (
    "state:inspected", "state:received,inspected", "verdict:complete", "verdict:complete,cut-off",
    "verdict:c*", "result:answered", "model:gpt-4o", "model:gpt-4o,parcel_1%", "model:gpt*",
    "model:*O", "model:*4*", "model:parcel_*", "model:GPT-4o", "model:\"gpt*\"", "vendor:openai",
    "vendor:azure,openai", "vendor:a*", "dialect:openai-chat", "finish_reason:stop",
    "finish_reason:empty", "finish_reason:len*", "finding:error", "finding:warning,error",
    "finding:ending.cut-off", "finding:error,ending.missing-terminator",
    "rule:ending.cut-off", "rule:ending.*", "upstream:azure-eu", "has:upstream", "tag:eu", "tag:eu,us",
    "tag:eu tag:us", "tag:n*", "key:\"olga's service\"", "missing:model", "missing:vendor,model",
    "missing:first_token", "missing:tag", "missing:note", "missing:service_tier", "missing:status",
    "missing:key", "has:model", "has:vendor", "has:tag", "has:first_token", "has:fingerprint",
    "since:2026-11-20T12:05:00Z", "until:2026-11-20T12:05:00Z", "since:2026-11-20 until:2026-11-21",
    "started_since:2026-11-20T12:05:00Z", "started_until:2026-11-20T12:05:00Z",
    "arrived_since:2026-11-20T12:05:00Z", "-arrived_since:2026-11-20T12:05:00Z",
    "arrived_until:2026-11-20T12:05:00Z", "-arrived_until:2026-11-20T12:05:00Z",
    "model:gpt-4o arrived_until:2026-11-20T12:06:00Z", "since:2026-11-20 arrived_until:2026-11-20",
    "first_token>1s", "first_token>=2s", "first_token<2s", "first_token<=800ms",
    "first_token:800ms..2s", "first_token:..1s", "first_token:2s", "duration>3s", "duration:1s..",
    "tokens.in>2", "tokens.out:2", "tokens.out>100", "tokens.cached>=1", "tokens.reasoning>0",
    "tokens.total:5..2k", "choices:1", "choices>1", "errors>0", "errors:0", "warnings>=1",
    "stream:yes", "stream:no", "status:200", "status>=400", "status:200,429", "size>200",
    "size:..1kB", "note:hold", "note:HOLD,other", "metadata.user:42", "metadata.user:ada",
    "metadata.contains:yes", "metadata.nothing:x", "retry:yes", "retry:no",
    "provider_id:chatcmpl-1", "provider_id:resp*", "prompt:abc", "request_model:asked",
    "cost:computed", "cost:unknown", "cost:no_price,computed", "cost>0.001", "cost<=0.001",
    "cost:0.5", "cost:0.1..1", "cost>0", "service_tier:flex", "fingerprint:fp_1",
    "fingerprint:fp*", "price_table:\"genai-prices 0.2.3\"", "ambiguous_tier:flex",
)  # fmt: skip
SEVERAL = (
    "vendor:openai verdict:complete", "vendor:openai or state:received", "tag:eu or finding:error",
    "cost:computed or tag:us", "cost>0.001 or first_token>1s", "-(vendor:openai cost:computed)",
    "-(vendor:openai or cost:computed)", "-(tag:eu or -finding:error)", "-(-vendor:openai)",
    "missing:vendor or cost:unknown", "service_tier:flex or vendor:azure", "model:gpt* -tag:eu",
    "(tag:eu or tag:us) (verdict:complete or errors>0)", "-vendor:openai -missing:vendor",
    "finish_reason:stop -finding:error", "-(finish_reason:stop tag:eu)", "-missing:vendor",
    "first_token>1s or missing:first_token", "-(first_token>1s) has:first_token",
    "(vendor:openai cost>0) or (vendor:azure -cost>0)", "stream:yes or stream:no",
    "tag:eu or tag:us or tag:nobody", "metadata.user:42 or metadata.user:ada",
    "-(metadata.user:42 or note:hold)", "cost:computed -service_tier:flex",
    "vendor:openai or vendor:azure or missing:vendor", "gpt verdict:complete", "resp -vendor:azure",
    "-(gpt or tag:eu)", "gpt or errors>0", '"Turbo"', "gpt turbo",
)  # fmt: skip


@pytest.fixture
def rows(owner: Person, stranger: Person) -> dict[UUID, Row]:
    """A dozen captures that differ in every field, and one of another team."""
    bodies = [WHOLE, CUT, STREAM, FLEX, UNLISTED, NAMED, WHOLE, CUT]
    ids = [
        accept_arrival(
            owner, Submission(Exchange.of_body(body, SSE if body == STREAM else None), **more)
        ).id
        for body, more in zip(bodies, MORE, strict=True)
    ]
    accept(stranger, FLEX)
    inspect_all()
    ids += [
        accept_arrival(owner, Submission(Exchange.of_body(WHOLE), tags=("eu",))).id,
        accept(owner),
    ]
    for at, capture_id in enumerate(ids):
        when = MADE_AT + timedelta(minutes=at)
        late = {"called_at": when, "received_at": when + timedelta(minutes=3)}
        Capture.objects.filter(pk=capture_id).update(**late, **CAPTURE[at % len(CAPTURE)])
        Inspection.objects.filter(pk=capture_id).update(called_at=when, **INSPECTION[at % 8])
        Price.objects.filter(pk=capture_id).update(called_at=when)
    Price.objects.filter(pk=ids[6]).update(other_service_tier="flex", service_tier="default")
    ChoiceRow.objects.filter(capture=ids[5]).update(finish_reason="length")
    ChoiceRow.objects.filter(capture=ids[4]).update(finish_reason="")
    return {capture_id: row(capture_id) for capture_id in ids}


MORE: tuple[dict[str, Any], ...] = (
    {"tags": ("eu",), "metadata": {"user": 42}, "note": "the hold clears"},
    {},
    {"tags": ("us", "night"), "metadata": {"user": "42", "contains": "yes"}},
    {"tags": ("eu", "us"), "metadata": {"user": "ada"}},
    {"metadata": {"user": None}},
    {"note": "Another Hold"},
    {},
    {"tags": ("night",)},
)
CAPTURE: tuple[dict[str, Any], ...] = (
    {"status_code": 200, "started_at": datetime(2026, 9, 1, 12, tzinfo=UTC)},
    {"status_code": 429, "upstream": "azure-eu"},
    {"status_code": 200, "retry_of": UUID(int=1), "started_at": datetime(2026, 9, 3, tzinfo=UTC)},
)
INSPECTION: tuple[dict[str, Any], ...] = (
    {"vendor": "openai", "first_token_us": 800_000, "duration_us": 1_000_000, "cost_usd": "0.5"},
    {"vendor": None, "first_token_us": None},
    {"vendor": "azure", "first_token_us": 2_000_000, "duration_us": 4_000_000},
    {"vendor": "openai", "first_token_us": 1_500_000, "prompt_sha256": "abc"},
    {"vendor": None, "request_model": "asked", "completion_tokens": 2_000, "total_tokens": 2_003},
    {"vendor": "Azure", "reasoning_tokens": 12, "choice_count": 2},
    {"vendor": "openai", "cost_usd": "0.0004"},
    {"vendor": None, "duration_us": 500_000},
)


def row(capture_id: UUID) -> Row:
    """What the tables hold of a capture, as plain values."""
    found = Capture.objects.filter(pk=capture_id).values().get()
    inspection = Inspection.objects.filter(pk=capture_id).values().first()
    price = Price.objects.filter(pk=capture_id).values().first()
    return {
        **found,
        "inspection": inspection,
        "price": price,
        "finish": [
            *ChoiceRow.objects.filter(capture=capture_id).values_list("finish_reason", flat=True)
        ],
        "codes": [*FindingRow.objects.filter(capture=capture_id).values_list("code", flat=True)],
        "of_tags": [*TagRow.objects.filter(capture=capture_id).values_list("tag", flat=True)],
    }


# -- the same in plain Python ---------------------------------------------------------------------


def holds(node: Node, row: Row) -> bool:
    if isinstance(node, AllOf):
        words = " ".join(each.text for each in node.nodes if is_bare(each))
        rest = [each for each in node.nodes if not is_bare(each)]
        return (not words or has_text(words, row)) and all(holds(each, row) for each in rest)
    if isinstance(node, AnyOf):
        return any(holds(each, row) for each in node.nodes)
    if isinstance(node, Not):
        return not holds(node.node, row)
    if isinstance(node, Words):
        return has_text(node.text, row)
    assert isinstance(node, QueryTerm)
    return any(has_value(node, value.text, value.is_pattern, row) for value in node.values)


def is_bare(node: Node) -> bool:
    return isinstance(node, Words) and not node.is_phrase


def has_text(text: str, row: Row) -> bool:
    found = row["inspection"] or {}
    names = [found.get(name) or "" for name in ("model", "request_model", "response_id")]
    return all(any(word in name.lower() for name in names) for word in text.lower().split())


def has_value(term: QueryTerm, text: str, is_pattern: bool, row: Row) -> bool:
    if term.name in ("missing", "has"):
        return presence(text, row) is (term.name == "has")
    if term.name in STATED:
        return STATED[term.name](text, row)
    values = [*values_of(term.name, row)]
    if term.name in AMOUNTS:
        scale = AMOUNTS[term.name]
        return any(
            compared(term.operator, float(value), text, scale)
            for value in values
            if value is not None
        )
    if is_pattern:
        return any(like(value, text) for value in values if value is not None)
    return text in values


def like(value: str, pattern: str) -> bool:
    value, plain = value.lower(), pattern.strip("*").lower()
    if pattern.startswith("*") and pattern.endswith("*"):
        return plain in value
    return value.startswith(plain) if pattern.endswith("*") else value.endswith(plain)


UNITS = {"ms": 1_000, "s": 10**6, "kB": 1_000, "k": 1_000}
AMOUNTS = {
    "first_token": "first_token_us", "duration": "duration_us", "tokens.in": "prompt_tokens",
    "tokens.out": "completion_tokens", "tokens.cached": "cached_tokens",
    "tokens.reasoning": "reasoning_tokens", "tokens.total": "total_tokens",
    "choices": "choice_count", "errors": "error_count", "warnings": "warning_count",
    "status": "status_code", "size": "byte_length",
}  # fmt: skip


def amount(text: str) -> float:
    unit = next((unit for unit in UNITS if text.endswith(unit)), "")
    return float(text.removesuffix(unit)) * UNITS.get(unit, 1)


def compared(operator: Operator, value: float, text: str, scale: object = None) -> bool:
    if operator is Operator.IS:
        low, between, high = text.partition("..")
        ends = (low, high) if between else (low, low)
        return (not ends[0] or value >= amount(ends[0])) and (
            not ends[1] or value <= amount(ends[1])
        )
    return {
        Operator.MORE: value > amount(text),
        Operator.AT_LEAST: value >= amount(text),
        Operator.LESS: value < amount(text),
        Operator.AT_MOST: value <= amount(text),
    }[operator]


def values_of(name: str, row: Row) -> Iterator[Any]:
    found, price = row["inspection"] or {}, row["price"] or {}
    is_one_tier = price.get("other_service_tier") is None
    several: dict[str, list[Any]] = {
        "tag": row["of_tags"],
        "finish_reason": ["empty" if reason == "" else reason for reason in row["finish"]],
        "rule": row["codes"],
        "finding": [*row["codes"], *(s for s in map(str, Severity) if found.get(f"{s}_count"))],
        "ambiguous_tier": []
        if is_one_tier
        else [price["service_tier"], price["other_service_tier"]],
    }
    one = {
        **{field: found.get(column) for field, column in AMOUNTS.items()},
        "state": row["state"],
        "upstream": row["upstream"],
        "status": row["status_code"],
        "size": row["byte_length"],
        "fingerprint": price.get("fingerprint"),
        "service_tier": price.get("service_tier") if is_one_tier else None,
        "price_table": price.get("table") if price.get("reason") is None else None,
        "key": "olga's service",
        "provider_id": found.get("response_id"),
        "prompt": found.get("prompt_sha256"),
    }
    yield from several.get(name, [one[name] if name in one else found.get(name)])


def presence(name: str, row: Row) -> bool | None:
    """None of what cannot be known of this capture."""
    if name == "tag":
        return bool(row["of_tags"])
    if name == "note":
        return bool(row["note"])
    if name in ("status", "upstream"):
        return next(values_of(name, row)) is not None
    if row["inspection"] is None:
        return None
    if name in ("service_tier", "fingerprint"):
        return row["price"] and row["price"][name] != NOT_SENT
    return next(values_of(name, row)) is not None


def cost_of(row: Row) -> float | None:
    stated = (row["inspection"] or {}).get("cost_usd")
    found = stated if stated is not None else (row["price"] or {}).get("computed_usd")
    return None if found is None else float(found)


def has_state_of_cost(text: str, row: Row) -> bool:
    price = row["price"]
    if price is None:
        return False
    is_unknown = price["reason"] is not None and price["listed_ticks"] is None
    known = {"computed": price["reason"] is None, "unknown": is_unknown}
    return known.get(text, price["reason"] == text)


STATED: dict[str, Callable[[str, Row], bool]] = {
    "since": lambda text, row: row["called_at"] >= moment(text),
    "until": lambda text, row: row["called_at"] < moment(text),
    "started_since": lambda text, row: row["called_at"] >= moment(text),
    "started_until": lambda text, row: row["called_at"] < moment(text),
    "arrived_since": lambda text, row: row["received_at"] >= moment(text),
    "arrived_until": lambda text, row: row["received_at"] < moment(text),
    "stream": lambda text, row: row["inspection"] is not None
    and row["inspection"]["streamed"] is (text == "yes"),
    "retry": lambda text, row: (row["retry_of"] is not None) is (text == "yes"),
    "note": lambda text, row: text.lower() in row["note"].lower(),
    "metadata.user": lambda text, row: str(row["metadata"].get("user", "")) == text,
    "metadata.contains": lambda text, row: row["metadata"].get("contains") == text,
    "metadata.nothing": lambda text, row: False,
}  # fmt: skip


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text if "T" in text else f"{text}T00:00:00Z")


def found_by_hand(text: str, rows: dict[UUID, Row]) -> set[UUID]:
    tree = parse(text).tree
    if "cost" in text:
        return {each for each, row in rows.items() if holds_cost(tree, row)}
    return {each for each, row in rows.items() if holds(tree, row)}


def holds_cost(node: Node, row: Row) -> bool:
    """Costs are states or amounts, by what is written."""
    if isinstance(node, AllOf):
        return all(holds_cost(each, row) for each in node.nodes)
    if isinstance(node, AnyOf):
        return any(holds_cost(each, row) for each in node.nodes)
    if isinstance(node, Not):
        return not holds_cost(node.node, row)
    if isinstance(node, QueryTerm) and node.name == "cost":
        cost = cost_of(row)
        return any(
            has_state_of_cost(value.text, row)
            if value.text[0].isalpha()
            else cost is not None and compared(node.operator, cost, value.text)
            for value in node.values
        )
    return holds(node, row)


def found(person: Person, text: str) -> set[UUID]:
    params = parse_filter_params({"q": [text]}, timezone.now())
    assert params.mistakes == (), text
    page = for_principal(person.principal).page(filters=params.filters, limit=200)
    return {each.id for each in page.rows}


def test_every_query_finds_what_is_found_by_hand(
    owner: Person, rows: dict[UUID, Row], subtests: pytest.Subtests
) -> None:
    negated = [f"-{text}" for text in ONE_FIELD if " " not in text]
    beside = [f"{text} or tag:eu" for text in ONE_FIELD[::3]]
    together = [f"-({text} vendor:openai)" for text in ONE_FIELD[::3]]
    catalogue = [*ONE_FIELD, *SEVERAL, *negated, *beside, *together]
    assert len(catalogue) >= 120
    names = {each: at for at, each in enumerate(rows)}
    for text in catalogue:
        with subtests.test(text=text):
            hits = {names[each] for each in found(owner, text)}
            assert hits == {names[each] for each in found_by_hand(text, rows)}


def test_the_catalogue_tells_captures_apart(rows: dict[UUID, Row]) -> None:
    """A query that finds all or nothing would prove little."""
    sizes = [len(found_by_hand(text, rows)) for text in ONE_FIELD]
    assert sum(0 < size < len(rows) for size in sizes) > len(ONE_FIELD) * 0.8


def test_a_query_and_its_negation_make_up_the_whole(
    owner: Person, rows: dict[UUID, Row], subtests: pytest.Subtests
) -> None:
    for text in (*ONE_FIELD, *SEVERAL):
        with subtests.test(text=text):
            one, other = found(owner, text), found(owner, f"-({text})")
            assert one | other == set(rows) and not one & other


def test_a_stranger_finds_only_what_is_theirs(
    rows: dict[UUID, Row], stranger: Person, teammate: Person, owner: Person
) -> None:
    for text in (
        "vendor:openai or -vendor:openai",
        "-tag:eu",
        "tag:eu or -tag:eu",
        "cost>0 or gpt",
    ):
        assert not found(stranger, text) & set(rows)
        assert found(teammate, text) == found(owner, text)
