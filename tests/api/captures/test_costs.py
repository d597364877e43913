"""Costs of captures over the API: the receipt that their page shows, to their team alone."""

from typing import Any
from uuid import UUID

from django.db import connection
from django.test.utils import CaptureQueriesContext

from inspector.usage.models import Price
from tests.archive.samples import CUT, WHOLE, accept, inspected
from tests.people import Person
from tests.usage.test_repricing import price_again, set_price

CAPTURES = "/api/v1/captures/"
STATING = WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":0.5')
FLEX = WHOLE.replace(b'"created"', b'"service_tier":"flex","created"')
SEARCHING = STATING.replace(b'"usage":{', b'"usage":{"num_search_queries":3,')
TABLE = "genai-prices 0.2.3"


def cost(person: Person, capture_id: UUID) -> Any:
    return person.get(f"{CAPTURES}{capture_id}/").json["cost"]


def listed(person: Person) -> list[Any]:
    return [row["cost"] for row in person.get(CAPTURES).json["captures"]]


def test_a_capture_tells_its_receipt_line_by_line(owner: Person) -> None:
    assert cost(owner, inspected(owner)) == {
        "computed_usd": "0.00002625",
        "unpriced_items": [],
        "reason": None,
        "detail": None,
        "stated_usd": None,
        "stated_at": None,
        "difference_usd": None,
        "contradicts_stated": False,
        "table": TABLE,
        "provider": "openai",
        "model": "gpt-4o",
        "service_tiers": [],
        "lines": [
            {
                "kind": "prompt",
                "count": 2,
                "rate_usd": "2.5",
                "per": 1_000_000,
                "amount_usd": "0.000005",
                "without": ["cached"],
                "outside": None,
            },
            {
                "kind": "cached",
                "count": 1,
                "rate_usd": "1.25",
                "per": 1_000_000,
                "amount_usd": "0.00000125",
                "without": [],
                "outside": None,
            },
            {
                "kind": "completion",
                "count": 2,
                "rate_usd": "10",
                "per": 1_000_000,
                "amount_usd": "0.00002",
                "without": [],
                "outside": None,
            },
        ],
        "notes": [{"code": "priced_as_at_maker", "values": {"vendor": None, "maker": "OpenAI"}}],
        "as_aggregated": {
            "computed_usd": "0.00002625",
            "unpriced_items": [],
            "reason": None,
            "table": TABLE,
        },
    }


def test_a_stated_cost_stands_beside_the_computed_one(owner: Person) -> None:
    found = cost(owner, inspected(owner, STATING))
    assert (found["stated_usd"], found["stated_at"]) == ("0.5", "/choices/0/cost_usd")
    assert (found["difference_usd"], found["contradicts_stated"]) == ("0.49997375", True)


def test_a_cost_that_is_not_known_is_null_with_its_reason_and_values(owner: Person) -> None:
    found = cost(owner, inspected(owner, WHOLE.replace(b"gpt-4o", b"parcel-1")))
    assert (found["computed_usd"], found["lines"]) == (None, [])
    assert found["reason"] == "no_price"
    assert found["detail"] == {
        "code": "no_maker",
        "values": {"vendor": None, "model": "parcel-1", "table": "genai-prices 0.2.3"},
    }
    assert found["difference_usd"] is None and found["contradicts_stated"] is False


def test_the_tier_that_was_used_is_told_and_priced(owner: Person) -> None:
    usual, flex = cost(owner, inspected(owner)), cost(owner, inspected(owner, FLEX))
    assert (usual["service_tiers"], flex["service_tiers"]) == ([], ["flex"])
    assert flex["reason"] == "no_tier_price"


def test_what_is_not_inspected_has_no_cost_yet(owner: Person) -> None:
    assert cost(owner, accept(owner)) is None
    assert listed(owner) == [None]


def test_facts_that_cannot_be_decoded_leave_how_the_capture_is_counted(owner: Person) -> None:
    capture_id = inspected(owner, SEARCHING)
    Price.objects.update(billable=b'{"of a later release":1}')
    found = cost(owner, capture_id)
    assert found["as_aggregated"] == listed(owner)[0]
    assert found["as_aggregated"]["computed_usd"] == "0.00002625"
    assert found["detail"] == {"code": "facts_not_decoded", "values": {}}
    rest = {name: value for name, value in found.items() if name not in ("as_aggregated", "detail")}
    assert not any(rest.values()) and rest["contradicts_stated"] is None
    assert set(found) == set(cost(owner, inspected(owner)))


def test_the_list_tells_each_cost_shortly(owner: Person) -> None:
    for body in (WHOLE, CUT):
        inspected(owner, body)
    assert listed(owner) == [
        {"computed_usd": None, "reason": "no_usage", "table": TABLE, "unpriced_items": []},
        {"computed_usd": "0.00002625", "reason": None, "table": TABLE, "unpriced_items": []},
    ]


def test_what_is_billed_and_not_in_a_cost_is_told(owner: Person) -> None:
    found = cost(owner, inspected(owner, SEARCHING))
    searches = {"count": 3, "kind": "searches", "field": "num_search_queries"}
    assert found["computed_usd"] == "0.00002625"
    assert found["unpriced_items"] == found["as_aggregated"]["unpriced_items"] == [searches]
    assert (found["difference_usd"], found["contradicts_stated"]) == ("0.49997375", False)
    assert [each["unpriced_items"] for each in listed(owner)] == [[searches]]


def test_a_list_asks_once_for_the_costs_of_all_its_rows(owner: Person) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            owner.get(CAPTURES)
        return sum("usage_price" in (each["sql"] or "") for each in asked)

    inspected(owner)
    few = statements()
    for _ in range(4):
        inspected(owner)
    assert few == statements() == 1


def test_a_price_that_is_set_holds_on_the_receipt_and_is_counted_once_it_is_priced_anew(
    owner: Person, stranger: Person
) -> None:
    capture_id, foreign = inspected(owner), inspected(stranger)
    paths = [f"{CAPTURES}{capture_id}/", CAPTURES]
    etags = [owner.get(path).headers["ETag"] for path in paths]
    set_price(owner)
    found = cost(owner, capture_id)
    assert (found["computed_usd"], found["table"]) == (
        "0.000009",
        "override of 2026-01-01 (gpt-4o)",
    )
    assert (
        found["as_aggregated"]["computed_usd"] == listed(owner)[0]["computed_usd"] == "0.00002625"
    )
    price_again(owner)
    found = cost(owner, capture_id)
    assert found["computed_usd"] == found["as_aggregated"]["computed_usd"] == "0.000009"
    assert listed(owner)[0] == found["as_aggregated"]
    for path, etag in zip(paths, etags, strict=True):
        assert owner.get(path, {"If-None-Match": etag}).status == 200
    assert cost(stranger, foreign)["computed_usd"] == "0.00002625"


def test_a_capture_that_is_priced_anew_has_another_etag(owner: Person) -> None:
    path = f"{CAPTURES}{inspected(owner)}/"
    set_price(owner)
    before = owner.get(path).headers["ETag"]
    assert owner.get(path, {"If-None-Match": before}).status == 304
    price_again(owner)
    again = owner.get(path, {"If-None-Match": before})
    assert again.status == 200
    # Nobody overwrites what they have not seen; what they see now they may.
    for etag, status in ((before, 412), (again.headers["ETag"], 200)):
        assert (
            owner.ask("PATCH", path, b'{"note":"n"}', headers={"If-Match": etag}).status == status
        )
