"""The service tier that was used is paid for, whatever else was stated before."""

import re
from decimal import Decimal

import pytest
from django.test import Client

from inspector.usage.cost.billable import billable_of, decode_billable, encode_billable
from inspector.usage.cost.receipts import CostReceipt
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.models import Price, UsageSeries
from tests.archive.samples import SSE, WHOLE, inspected
from tests.core.bodies import analysis
from tests.people import Person
from tests.usage.answers import note, receipt_for

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
def test_a_flex_stream_is_not_paid_at_its_first_chunks_tier(first: bytes, inside: bool) -> None:
    last, usage = (b"", tier(b"flex")) if inside else (tier(b"flex"), b"")
    found = paid(o3(tier(first), last, usage))
    assert (found.tiers, found.total_usd) == (("flex",), FLEX)
    assert found.notes[0] == note("last_tier_taken", tiers=(first.decode(),), tier="flex")


def test_one_tier_is_no_note() -> None:
    found = paid(o3(tier(b"default"), tier(b"default"), tier(b"default")))
    assert (found.tiers, found.total_usd) == (("default",), DEFAULT)
    assert found.notes == (note("priced_as_at_maker", vendor=None, maker="OpenAI"),)


def test_two_tiers_at_once_are_a_reason() -> None:
    found = paid(o3(b"", tier(b"default"), tier(b"flex")))
    assert (found.tiers, found.total_usd, found.reason) == (
        ("default", "flex"),
        None,
        CostUnknownReason.NO_TIER,
    )
    assert found.detail == note("tiers_contradict", tiers=("default", "flex"))


def test_two_words_for_the_usual_rates_are_none() -> None:
    found = paid(o3(b"", tier(b"default"), tier(b"standard")))
    assert (found.tiers, found.total_usd) == (("default",), DEFAULT)


def test_two_tiers_in_either_order_are_one_group_that_leads_to_its_captures(owner: Person) -> None:
    both = [
        inspected(owner, o3(b"", tier(b"default"), tier(b"flex")), SSE),
        inspected(owner, o3(b"", tier(b"flex"), tier(b"default")), SSE),
    ]
    inspected(owner, o3(tier(b"auto"), tier(b"flex")), SSE)
    inspected(owner, o3(b"", tier(b"flex"), tier(b"priority")), SSE)
    for wanted in ("24h", "30d"):
        groups = owner.get(f"/api/v1/usage/?by=service_tier&range={wanted}").json["groups"]
        assert [(each["value"], each["other_value"], each["captures"]) for each in groups] == [
            ("default", "flex", 2),
            ("flex", None, 1),
            ("flex", "priority", 1),
        ]
    client = Client()
    client.force_login(owner.user)
    usage = f"/t/{owner.team.slug}/usage"
    html = client.get(f"{usage}/?by=service_tier").content.decode()
    (link,) = re.findall(r'href="([^"]*)" title="default or flex"', html)
    assert "ambiguous_tier=default&amp;ambiguous_tier=flex" in link
    found = owner.get("/api/v1/captures/?ambiguous_tier=default&ambiguous_tier=flex")
    assert {row["id"] for row in found.json["captures"]} == set(map(str, both))
    assert len(owner.get("/api/v1/captures/?ambiguous_tier=flex").json["captures"]) == 3
    assert len(owner.get("/api/v1/captures/?service_tier=flex").json["captures"]) == 1
    table = client.get(f"{usage}.csv?by=service_tier").content.decode()
    assert table.startswith('"service_tier","other_service_tier","captures"')
    assert '"default","flex","2"' in table


def test_sums_count_by_the_tier_that_was_paid(owner: Person) -> None:
    inspected(owner, o3(tier(b"auto"), tier(b"flex")), SSE)
    inspected(owner, o3(b"", tier(b"default"), tier(b"flex")), SSE)
    tiers = UsageSeries.objects.filter(by="service_tier")
    assert set(tiers.values_list("service_tier", "other_service_tier")) == {
        ("flex", None),
        ("default", "flex"),
    }
    assert set(Price.objects.values_list("computed_usd", "reason")) == {
        ("0.003", None),
        (None, CostUnknownReason.NO_TIER),
    }
    whole = WHOLE.replace(b'"created"', b'"service_tier":"flex","created"')
    inspected(owner, whole)
    assert UsageSeries.objects.filter(by="service_tier", service_tier="flex").count() == 1
