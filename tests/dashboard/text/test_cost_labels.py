"""Every code of a cost has words, and pages show the words alone."""

import re

from inspector.dashboard.text.cost_labels import (
    REASONS,
    STATES,
    UNPRICED,
    filter_words,
    reason_words,
    table_words,
    unpriced_items_words,
    unpriced_words,
)
from inspector.usage.cost.capture_fields import CostState
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind
from tests.archive.samples import WHOLE, inspected
from tests.dashboard.archive.test_filter_bar import page, words
from tests.people import Person

NO_PRICE = WHOLE.replace(b"gpt-4o", b"parcel-1")
SEARCHING = WHOLE.replace(b'"usage":{', b'"usage":{"num_search_queries":3,')


def test_every_code_has_words_of_its_own() -> None:
    assert set(REASONS) == set(CostUnknownReason)
    assert set(UNPRICED) == set(UnpricedKind)
    assert set(STATES) == set(CostState)
    several = [more for _, more in UNPRICED.values()]
    for said in ([*REASONS.values(), *STATES.values()], several):
        assert len(set(said)) == len(said)
        assert not any("_" in each for each in said)


def test_a_code_of_a_later_release_is_shown_as_it_is() -> None:
    assert reason_words("too_late") == filter_words("too_late") == "too_late"
    assert unpriced_words("videos", 1) == unpriced_words("videos") == "videos"
    assert unpriced_items_words([UnpricedItem(3, "videos", "num_videos")]) == "3 videos"


def test_unpriced_items_are_listed_in_words() -> None:
    counts = (
        (1_200, UnpricedKind.CITATIONS),
        (1, UnpricedKind.SEARCHES),
        (2**62, UnpricedKind.SOURCES),
    )
    assert unpriced_items_words(UnpricedItem(count, kind, "field") for count, kind in counts) == (
        "1,200 citation tokens, 1 search and 4,611,686,018,427,387,904 sources"
    )
    assert unpriced_items_words(()) == ""


def test_the_list_shows_which_cost_it_is_filtered_by(owner: Person) -> None:
    inspected(owner, NO_PRICE)
    assert 'value="cost:no_price"' in page(owner, "cost=no_price")


def test_a_table_of_the_team_is_called_its_price() -> None:
    assert table_words("override of 2026-11-01 (gpt-4o)") == "your price from 2026-11-01 (gpt-4o)"
    assert table_words("genai-prices 0.2.3") == "genai-prices 0.2.3"


def test_only_the_receipt_as_json_shows_codes(owner: Person) -> None:
    ids = [inspected(owner, body) for body in (NO_PRICE, SEARCHING)]
    pages = [page(owner), page(owner, path="/t/default/usage/")]
    pages += [page(owner, path=f"/captures/{capture_id}/") for capture_id in ids]
    receipt = r"(?s)<pre id=.receipt-json.*?</pre>"
    assert "&quot;no_price&quot;" in " ".join(re.findall(receipt, pages[2]))
    shown = " ".join(words(re.sub(receipt, "", each)) for each in pages)
    assert "no price for the model" in shown and "searches" in shown
    codes = {*CostUnknownReason, *UnpricedKind, *CostState}
    assert [code for code in codes if "_" in code and code in shown] == []
