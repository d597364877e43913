"""What is paid for is the service tier that was used, whatever else was stated before."""

from __future__ import annotations

from decimal import Decimal

import pytest

from inspector.usage.cost.billable import billable_of, decode_billable, encode_billable
from inspector.usage.cost.receipts import CostReceipt
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.models import Price, UsageSeries
from tests.archive.samples import SSE, WHOLE, inspected
from tests.core.bodies import analysis
from tests.people import Person
from tests.usage.answers import receipt_for

TOP = b'{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1795183339,"model":"o3"'
COUNTS = b'"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500'
DEFAULT, FLEX = Decimal("0.006"), Decimal("0.003")


def o3(first: bytes, last: bytes, usage: bytes = b"") -> bytes:
    """``first`` and ``last`` stand beside the choices, ``usage`` inside usage."""
    chunks = (
        b'"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]'
        + first,
        b'"choices":[{"index":0,"delta":{"content":"!"},"finish_reason":null}]',
        b'"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]' + last,
        b'"choices":[]' + last + b',"usage":{' + COUNTS + usage + b"}",
    )
    return b"".join(b"data: " + TOP + b"," + each + b"}\n\n" for each in chunks) + (
        b"data: [DONE]\n\n"
    )


def tier(name: bytes) -> bytes:
    return b',"service_tier":"%s"' % name


def paid(body: bytes) -> CostReceipt:
    found = receipt_for(analysis(body))
    assert decode_billable(encode_billable(billable_of(analysis(body), None))) == billable_of(
        analysis(body), None
    )
    return found


@pytest.mark.parametrize("first", [b"auto", b"default"])
@pytest.mark.parametrize("inside", [False, True])
def test_a_flex_stream_is_not_paid_at_the_tier_that_its_first_chunk_names(
    first: bytes, inside: bool
) -> None:
    last, usage = (b"", tier(b"flex")) if inside else (tier(b"flex"), b"")
    found = paid(o3(tier(first), last, usage))
    assert (found.tier, found.total_usd) == ("flex", FLEX)
    note = f"service tier `{first.decode()}` was stated, too: `flex` is the last that is named"
    assert found.notes[0] == note


def test_one_tier_is_no_note() -> None:
    found = paid(o3(tier(b"default"), tier(b"default"), tier(b"default")))
    assert (found.tier, found.total_usd) == ("default", DEFAULT)
    assert found.notes == ("the vendor is not known: priced as at OpenAI, who makes it",)


def test_two_tiers_at_once_are_a_reason() -> None:
    found = paid(o3(b"", tier(b"default"), tier(b"flex")))
    assert (found.tier, found.total_usd, found.reason) == (
        "default or flex",
        None,
        CostUnknownReason.NO_TIER,
    )
    assert found.why_unknown == (
        "the service tier is stated as `default` beside the choices and `flex` in usage"
    )


def test_two_words_for_the_usual_rates_are_none() -> None:
    found = paid(o3(b"", tier(b"default"), tier(b"standard")))
    assert (found.tier, found.total_usd) == ("default", DEFAULT)


def test_sums_count_by_the_tier_that_was_paid(owner: Person) -> None:
    inspected(owner, o3(tier(b"auto"), tier(b"flex")), SSE)
    inspected(owner, o3(b"", tier(b"default"), tier(b"flex")), SSE)
    assert set(
        UsageSeries.objects.filter(by="service_tier").values_list("service_tier", flat=True)
    ) == {
        "flex",
        "default or flex",
    }
    assert set(Price.objects.values_list("computed_usd", "reason")) == {
        ("0.003", None),
        (None, CostUnknownReason.NO_TIER),
    }
    whole = WHOLE.replace(b'"created"', b'"service_tier":"flex","created"')
    inspected(owner, whole)
    assert UsageSeries.objects.filter(by="service_tier", service_tier="flex").count() == 1
