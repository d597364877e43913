import re
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from inspector.archive.listing.filters import Filters
from inspector.archive.listing.spoken_terms import meant_query
from inspector.dashboard.archive.filter_bar import (
    FilterBar,
    build_filter_bar,
    filter_bar_of_query,
    query_without_blanks,
)
from inspector.query.parsed_query import FilterTerm
from tests.archive.samples import CUT, WHOLE, accept, inspected
from tests.markup import evened
from tests.people import Person

ARCHIVE = "/t/default/captures/"


def asked(query: str) -> FilterBar:
    return build_filter_bar(QueryDict(query))


def page(person: Person, query: str = "", path: str = ARCHIVE) -> str:
    return person.page(f"{path}?{query}")


def ids(html: str) -> list[str]:
    return re.findall(r'<tr id="row-([0-9a-f-]+)"', html)


def words(html: str) -> str:
    return re.sub(r"(<[^>]+>|\s)+", " ", html)


def test_a_condition_is_added_or_taken_away_by_the_same_link() -> None:
    narrowed = asked("verdict=complete")
    assert narrowed.toggle_query(FilterTerm("verdict", "cut-off")) == "q=verdict:complete,cut-off"
    assert narrowed.toggle_query(FilterTerm("verdict", "complete")) == ""
    assert asked("tag=a").toggle_query(FilterTerm("tag", "b c")) == "q=tag:a+tag:%22b+c%22"
    assert asked("q=x+or+y").toggle_query(FilterTerm("tag", "b")) == "q=%28x+or+y%29+tag:b"


def test_a_time_takes_the_place_of_the_time_before() -> None:
    assert asked("since=7d&tag=eu").between("1", "2") == "q=tag:eu&since=1&until=2"


def test_a_mistake_stays_in_the_text_and_is_marked_there(owner: Person) -> None:
    bar = asked("q=gpt+verdict:fine+tag:eu")
    assert [(piece.text, piece.is_mistake) for piece in bar.pieces] == [
        ("gpt ", False), ("verdict:fine", True), (" tag:eu", False)
    ]  # fmt: skip
    inspected(owner)
    html = page(owner, "since=last+week&verdict=complete")
    assert "<mark>since:&quot;last week&quot;</mark>verdict:complete</span>" in evened(html)
    assert 'value="since:&quot;last week&quot; verdict:complete"' in html
    assert 'aria-invalid="true" aria-describedby="mistakes"' in html
    assert '<p class="mistake"><code>since</code> is not a time' in html
    assert "aria-invalid" not in page(owner, "since=7d")


def test_a_mistake_leads_to_what_is_nearest(owner: Person, stranger: Person) -> None:
    inspected(owner)
    html = page(owner, "q=gpt+verdict:complet,cut-off+-vendr:openai")
    corrected = "q=gpt+verdict:complete,cut-off+-vendr:openai"
    assert f'<a href="{ARCHIVE}?{corrected}">verdict:complete,cut-off</a>' in html
    assert "vendr is no field; this filter was ignored. Did you mean vendor:openai ?" in words(html)
    assert stranger.browser().get(f"{ARCHIVE}?q=vendr:openai").status_code == 404
    fields = "Did you mean one of these fields ?"
    assert fields in words(page(owner, "q=zzzzzz:1")) and fields not in words(html)


@pytest.mark.parametrize(
    ("query", "clean"),
    [
        ("verdict=complete", None),
        ("", None),
        ("verdict=&q=&model=a&since=", "model=a"),
        ("verdict=complete&verdict=", "verdict=complete"),
        ("q=&other=", "other="),
    ],
)
def test_what_a_form_left_empty_is_not_asked(query: str, clean: str | None) -> None:
    assert query_without_blanks(QueryDict(query)) == clean


def test_what_is_wrong_in_a_list_that_a_page_was_reached_from_narrows_nothing() -> None:
    found = filter_bar_of_query("verdict=fine&model=a").conditions
    assert found.filters == Filters.of(model=("a",))
    assert filter_bar_of_query("&=%ff&&").query == ""


def test_a_page_filters_by_its_address_as_the_api_does(owner: Person, teammate: Person) -> None:
    whole, cut = inspected(owner, WHOLE), inspected(owner, CUT)
    for query, meant in (
        ("verdict=complete", [whole]),
        ("finding=error", [cut]),
        ("since=1h", [cut, whole]),
        ("q=GPT-4*", [whole]),
        ("model=gpt-4o&verdict=cut-off", []),
    ):
        listed = [row["id"] for row in owner.get(f"/api/v1/captures/?{query}").json["captures"]]
        assert ids(page(owner, query)) == ids(page(teammate, query)) == listed == [*map(str, meant)]


def test_a_form_with_empty_fields_leads_to_the_address_of_what_was_meant(owner: Person) -> None:
    answer = owner.browser().get(f"{ARCHIVE}?verdict=complete&model=&since=&until=&q=")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{ARCHIVE}?verdict=complete")


def test_what_is_wrong_is_told_under_the_bar_and_the_rest_holds(
    owner: Person, subtests: pytest.Subtests
) -> None:
    whole = inspected(owner, WHOLE)
    inspected(owner, CUT)
    for query, told in [
        ("colour=red", "colour is no filter; this filter was ignored."),
        ("verdict=fine", "verdict has no value &#x27;fine&#x27;; there are in-progress"),
        ("since=last+week", "since is not a time of RFC 3339"),
        ("until=99999999999w", "until is not a time of RFC 3339"),
        ("q=a&q=b", "q stands more than once; this filter was ignored."),
        ("tag=a%00b", "tag holds a NUL"),
        (urlencode({"model": "m" * 501}), "model has 1 to 500 characters"),
        ("&".join(f"tag={n}" for n in range(21)), "tag stands more than 20 times"),
        ("%22%3E%3Cscript%3E=1", "&quot;&gt;&lt;script&gt; is no filter"),
    ]:
        with subtests.test(query=query, told=told):
            for path in (ARCHIVE, f"{ARCHIVE}counts/"):
                assert told in words(
                    page(owner, f"{query}&dialect=openai-chat&finish_reason=stop", path)
                )
            assert ids(page(owner, f"{query}&finish_reason=stop")) == [str(whole)]


def test_where_nothing_matches_it_says_so(owner: Person) -> None:
    inspected(owner)
    html = page(owner, "model=nobody%27s")
    assert "No captures match. Clear search" in words(html)
    assert "The archive is empty" not in html


def test_an_empty_list_names_the_value_that_no_capture_has_and_what_is_near(
    owner: Person, stranger: Person
) -> None:
    inspected(owner)
    html = page(owner, "model=GPT-4&verdict=complete")
    assert "No capture has the model GPT-4 . Near: gpt-4o ." in words(html)
    assert f'href="{ARCHIVE}?q=model:gpt-4o+verdict:complete"' in html
    assert "No capture has the vendor OpenRouter ." in words(page(owner, "vendor=OpenRouter"))
    assert "No capture has" not in words(page(owner, "model=gpt-4o&verdict=cut-off"))
    inspected(stranger, WHOLE.replace(b"gpt-4o", b"gpt-4-theirs"))
    assert "gpt-4-theirs" not in page(owner, "model=GPT-4")


def test_a_search_that_finds_nothing_says_where_it_looked(owner: Person) -> None:
    inspected(owner)
    assert "Search matches whole words" in words(page(owner, "q=backorder+until"))
    assert "Search matches whole words" not in words(page(owner, "model=nobody"))


def test_words_for_a_result_or_a_time_are_offered_as_filters(owner: Person) -> None:
    inspected(owner, CUT)
    html = page(owner, "q=truncated+last+hour")
    assert "Did you mean result:truncated since:1h , 1 capture?" in words(html)
    assert f'href="{ARCHIVE}?q=result:truncated+since:1h"' in html
    assert "Did you mean" not in page(owner, "q=empty+answers")
    assert meant_query("empty answers") == "result:empty"
    for text in ('"truncated answer"', "result:truncated", "parcels", "truncatedly"):
        assert meant_query(text) == ""
    assert meant_query("slow -vendor:openai") == "first_token>2s -vendor:openai"
    assert meant_query("errors yesterday") == "result:error since:yesterday until:today"


def test_an_empty_archive_is_empty_whatever_is_asked(owner: Person) -> None:
    assert "The archive is empty." in page(owner, "verdict=complete")


def test_pages_of_a_narrowed_list_stay_narrowed(owner: Person) -> None:
    meant = {str(accept(owner, WHOLE)) for _ in range(52)}
    accept(owner)
    query = "state=received&since=1h"
    first = page(owner, query)
    older = re.search(r'rel="next" href="\?(before=[^"]+)"', evened(first))
    assert older
    second = page(owner, older.group(1).replace("&amp;", "&"))
    assert (len(ids(first)), len(ids(second))) == (50, 3)
    assert meant < {*ids(first), *ids(second)}
    assert f"{ARCHIVE}?q=state:received+since:1h" in second


def test_a_row_leads_to_its_capture_within_the_list(owner: Person) -> None:
    capture_id = inspected(owner)
    assert f'href="/captures/{capture_id}/"' in page(owner)
    assert f'href="/captures/{capture_id}/?list=q%3Dmodel%3Agpt-4o%2Btag%3Aa"' not in page(owner)
    assert f'href="/captures/{capture_id}/?list=q%3Dmodel%3Agpt-4o%2Bsince%3A7d"' in page(
        owner, "model=gpt-4o&since=7d"
    )


def test_what_takes_too_long_is_stopped_and_said(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspected(owner)
    monkeypatch.setattr("inspector.archive.queries.Captures.search", stopped)
    html = page(owner, "q=rare")
    assert "The search was stopped after two seconds." in words(html)
    assert "No captures match" not in html


def test_what_was_looked_through_is_shown_with_the_way_on(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspected(owner, CUT)
    cut, *_ = [inspected(owner, body) for body in (CUT, WHOLE)]
    monkeypatch.setattr("inspector.archive.queries.Captures.page", stopped)
    monkeypatch.setattr("inspector.archive.listing.search_part.PART_CAPTURES", 2)
    html = page(owner, "verdict=cut-off")
    assert ids(html) == [str(cut)]
    assert "Searched 2 captures, back to" in words(html)
    assert re.search(r'href="\?before=[^"]+&amp;q=verdict:cut-off">Search on<', evened(html))
    sorted_ones = page(owner, "verdict=cut-off&sort=-size")
    assert "Sorted among the newest 2 captures, back to" in words(sorted_ones)
    assert "Search on" not in sorted_ones


def stopped(*_: object, **__: object) -> None:
    from inspector.database.portability import StatementTimeout

    raise StatementTimeout


def test_a_capture_says_where_in_the_list_it_is_and_leads_along_it(owner: Person) -> None:
    ids = [inspected(owner, body) for body in (WHOLE, CUT, WHOLE, WHOLE)]
    query = urlencode({"list": "verdict=complete&since=7d&colour=red"})
    html = page(owner, query, f"/captures/{ids[2]}/")
    assert "2 of 3 in verdict:complete since:7d" in words(html)
    for neighbour in (ids[3], ids[0]):
        assert f'href="/captures/{neighbour}/?list=q%3Dverdict%3Acomplete%2Bsince%3A7d"' in html
    assert f'href="{ARCHIVE}?q=verdict:complete+since:7d"' in html
    whole = page(owner, "", f"/captures/{ids[2]}/")
    assert f'href="/captures/{ids[1]}/"' in whole and " of 4 in " not in words(whole)
