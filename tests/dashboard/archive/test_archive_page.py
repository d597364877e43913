import re
from datetime import timedelta
from uuid import uuid4

from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from inspector.archive import deletion
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.new_captures import MAX_NEW_CAPTURES
from inspector.archive.models import Capture, Inspection, State, TagRow
from inspector.core.wire.exchange import Exchange
from inspector.teams.models import Membership, Role
from tests.archive.samples import (
    CUT,
    GEMINI,
    JSON,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.markup import evened
from tests.people import Person

ARCHIVE = "/t/default/captures/"


def page(person: Person, query: str = "") -> str:
    return person.page(ARCHIVE + query)


def live(person: Person, query: str) -> str:
    return person.page(f"{ARCHIVE}live/{query}", headers={"HX-Request": "true"})


def ids(html: str) -> list[str]:
    return re.findall(r'<tr id="row-([0-9a-f-]+)"', html)


def cursor(html: str) -> str:
    found = re.search(r"\?after=([^\"&]+)", html)
    assert found
    return found.group(1)


def test_the_team_sees_its_archive_newest_first(owner: Person, teammate: Person) -> None:
    first, second = inspected(owner), inspected(owner, STREAM, "text/event-stream")
    assert ids(page(owner)) == ids(page(teammate)) == [str(second), str(first)]


def test_what_was_deleted_is_told_of_the_whole_archive_and_of_no_query(owner: Person) -> None:
    inspected(owner)
    assert deletion.delete(owner.principal, inspected(owner)) is not None
    assert "1 deleted" in page(owner)
    assert "deleted</span>" not in page(owner, "?q=model:another")
    assert "deleted</span>" not in page(owner, "?verdict=complete")


def test_an_archive_of_others_is_as_missing_as_one_that_never_was(
    owner: Person, stranger: Person
) -> None:
    inspected(owner)
    browser = stranger.browser()
    foreign, missing = browser.get(ARCHIVE), browser.get("/t/never-was/captures/")
    assert foreign.status_code == missing.status_code == 404
    assert without_token(foreign.content) == without_token(missing.content)
    assert browser.get(f"{ARCHIVE}live/?after=x").status_code == 404


def without_token(body: bytes) -> bytes:
    return re.sub(rb'value="[A-Za-z0-9]{64}"', b"", body)


def test_an_empty_archive_gives_one_command_that_works_as_pasted(owner: Person) -> None:
    html = page(owner)
    assert "curl -sS http://testserver/api/v1/captures/" in html
    assert "manage.py create_api_key --team default" in html
    assert "Waiting for the first capture" in html


def test_an_empty_archive_draws_itself_again_when_something_came(owner: Person) -> None:
    browser = owner.browser()
    assert "HX-Refresh" not in browser.get(f"{ARCHIVE}live/").headers
    accept(owner)
    assert browser.get(f"{ARCHIVE}live/")["HX-Refresh"] == "true"


def test_older_captures_stand_on_the_next_page(owner: Person) -> None:
    for _ in range(53):
        accept(owner)
    first = page(owner)
    older = re.search(r'href="(\?before=[^"]+)"', first)
    assert older
    second = page(owner, older.group(1))
    assert (len(ids(first)), len(ids(second))) == (50, 3)
    assert not set(ids(first)) & set(ids(second))
    assert "No older ones." in second
    assert 'id="live"' not in second


def test_a_cursor_that_nobody_gave_out_is_not_found(owner: Person) -> None:
    browser = owner.browser()
    assert browser.get(f"{ARCHIVE}?before=nonsense").status_code == 404
    assert browser.get(f"{ARCHIVE}live/?after=nonsense").status_code == 404


def test_what_came_since_is_handed_over_once(owner: Person) -> None:
    inspected(owner)
    shown = page(owner)
    new = inspected(owner, CUT)
    fragment = live(owner, f"?after={cursor(shown)}")
    assert ids(fragment) == [str(new)]
    assert 'hx-swap-oob="afterbegin:#rows"' in fragment
    assert ids(live(owner, f"?after={cursor(fragment)}")) == []


def test_calls_before_the_last_row_are_counted_when_they_come_and_no_rows(owner: Person) -> None:
    for _ in range(51):
        accept(owner)
    shown = page(owner)
    (end,) = re.findall(r'name="end" value="([^"]+)"', shown)
    began = timezone.now() - timedelta(days=30)
    for _ in range(2):
        accept_arrival(owner, Submission(Exchange.of_body(WHOLE), started_at=began))
    young = accept(owner)
    fragment = live(owner, f"?after={cursor(shown)}&end={end}&earlier=39")
    assert ids(fragment) == [str(young)]
    assert "41 came of earlier calls, below what is shown" in fragment
    assert f"{ARCHIVE}?sort=-arrival" in fragment
    again = live(owner, f"?after={cursor(fragment)}&end={end}&earlier=41")
    assert ids(again) == [] and "41 came of earlier calls" in again
    assert "of earlier calls" not in live(owner, f"?after={cursor(again)}&end={end}&earlier=no")
    assert len(ids(live(owner, f"?after={cursor(shown)}"))) == 3, "where none follow, all are rows"
    assert owner.browser().get(f"{ARCHIVE}live/?after={cursor(shown)}&end=x").status_code == 404


def test_an_unfinished_row_is_replaced_when_it_is_inspected(owner: Person) -> None:
    capture_id = accept(owner)
    shown = page(owner)
    assert f'name="unfinished" value="{capture_id}"' in shown
    query = (
        f"?after={cursor(shown)}&unfinished={capture_id}&unfinished=nonsense&unfinished={uuid4()}"
    )
    assert ids(live(owner, query)) == []
    inspect_all()
    fragment = live(owner, query)
    assert ids(fragment) == [str(capture_id)]
    assert f'<tr id="row-{capture_id}" hx-swap-oob="true"' in fragment


def test_unfinished_rows_of_others_stay_with_them(owner: Person, stranger: Person) -> None:
    mine, theirs = inspected(owner), inspected(stranger)
    fragment = live(owner, f"?after={cursor(page(owner))}&unfinished={theirs}")
    assert ids(fragment) == []
    assert ids(live(owner, f"?after={cursor(page(owner))}&unfinished={mine}")) == [str(mine)]


def test_nothing_moves_while_somebody_reads_further_down(owner: Person) -> None:
    inspected(owner)
    shown = page(owner)
    inspected(owner)
    fragment = live(owner, f"?after={cursor(shown)}&paused=1")
    assert ids(fragment) == []
    assert "1 newer" in fragment
    assert cursor(fragment) == cursor(shown)


def test_the_status_line_adds_up(owner: Person) -> None:
    inspected(owner)
    quarantined = accept(owner)
    Capture.objects.filter(id=quarantined).update(state=State.QUARANTINED)
    accept(owner)
    words = re.sub(r"<[^>]+>|\s+", " ", page(owner))
    assert "1 waiting to be analysed 1 quarantined" in re.sub(r" +", " ", words)


def test_who_waits_for_long_is_told_for_how_long_and_led_to_the_status(owner: Person) -> None:
    first, _ = accept(owner), accept(owner)
    told = page(owner)
    assert "2 waiting to be analysed" in told and '/status/">2 waiting' not in told
    late = timezone.now() - timedelta(seconds=90)
    Capture.objects.filter(id=first).update(due_at=late, finished_at=late)
    assert '/status/">2 waiting to be analysed, the oldest for 1 m</a>' in page(owner)
    inspect_all()
    assert "waiting to be analysed" not in page(owner)


def test_what_comes_at_once_is_no_number_of_none(owner: Person) -> None:
    inspected(owner)
    shown = page(owner)
    for _ in range(MAX_NEW_CAPTURES + 1):
        accept(owner)
    assert "newer" not in live(owner, f"?after={cursor(shown)}")
    paused = live(owner, f"?after={cursor(shown)}&paused=1")
    assert f"{MAX_NEW_CAPTURES}+ newer" in paused


def test_a_page_is_not_kept_by_caches_and_forbids_what_is_inline(owner: Person) -> None:
    headers = owner.browser().get(ARCHIVE).headers
    assert headers["Cache-Control"] == "private, no-store"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_what_comes_to_match_is_handed_over_when_it_does(owner: Person) -> None:
    inspected(owner)
    first = accept(owner, CUT)
    shown = page(owner, "?verdict=cut-off")
    assert ids(shown) == []
    second = accept(owner, CUT)
    assert waiting(shown) == {first.hex}
    query = f"&verdict=cut-off&waiting={first.hex}&waiting=nonsense"
    fragment = live(owner, f"?after={cursor(shown)}{query}")
    assert (ids(fragment), waiting(fragment)) == ([], {first.hex, second.hex})
    inspect_all()
    inspected(owner)
    query = "&verdict=cut-off&" + "&".join(
        f"waiting={capture_hex}" for capture_hex in waiting(fragment)
    )
    after = live(owner, f"?after={cursor(fragment)}{query}")
    assert ids(after) == [str(second), str(first)]
    assert waiting(after) == set()
    assert "&amp;q=verdict:cut-off" in after


def waiting(html: str) -> set[str]:
    return set(re.findall(r'name="waiting" value="([0-9a-f]+)"', html))


def test_only_what_matches_is_newer(owner: Person) -> None:
    inspected(owner)
    shown = page(owner, "?verdict=cut-off")
    inspected(owner, CUT)
    inspected(owner)
    fragment = live(owner, f"?after={cursor(shown)}&verdict=cut-off&paused=1")
    assert ids(fragment) == [] and "1 newer" in fragment
    assert cursor(fragment) == cursor(shown)


def test_what_others_wait_for_stays_with_them(owner: Person, stranger: Person) -> None:
    inspected(owner)
    shown = page(owner, "?verdict=cut-off")
    theirs = inspected(stranger, CUT)
    assert ids(live(owner, f"?after={cursor(shown)}&verdict=cut-off&waiting={theirs}")) == []


def tag(person: Person, path: str = ARCHIVE, htmx: bool = True, **form: object):  # type: ignore[no-untyped-def]
    headers = {"HX-Request": "true"} if htmx else {}
    return person.browser().post(f"{path}tag/?verdict=complete", form, headers=headers)


def test_the_selected_are_tagged_and_shown_anew(owner: Person, teammate: Person) -> None:
    capture_id, other = inspected(owner), inspected(owner)
    answer = tag(teammate, capture=[str(capture_id), "nonsense"], tag=" eu west ", act="add")
    assert answer.status_code == 200
    html = answer.content.decode()
    assert ids(html) == [str(capture_id)] and "1 capture tagged eu west." in html
    assert f'<tr id="row-{capture_id}" hx-swap-oob="true"' in html and "?list=q%3Dverdict" in html
    assert [row.capture_id for row in TagRow.objects.filter(tag="eu west")] == [capture_id]
    tag(owner, capture=[str(capture_id), str(other)], tag="eu west", act="remove")
    assert not TagRow.objects.exists()


def test_without_scripts_the_list_follows(owner: Person) -> None:
    capture_id = inspected(owner)
    answer = tag(owner, htmx=False, capture=[str(capture_id)], tag="seen", act="add")
    assert (answer.status_code, answer["Location"]) == (302, f"{ARCHIVE}?verdict=complete")
    assert Capture.objects.get(pk=capture_id).tags == ["seen"]


def test_no_tag_and_no_capture_are_said_to_be_missing(owner: Person) -> None:
    capture_id = inspected(owner)
    assert b"A tag cannot be empty" in tag(owner, capture=[str(capture_id)], tag=" ").content
    assert b"No capture was selected." in tag(owner, tag="eu").content
    assert Capture.objects.get(pk=capture_id).tags == []


def test_who_only_looks_is_offered_no_tagging(owner: Person) -> None:
    inspected(owner)
    assert 'name="tag"' in page(owner).partition('id="selection"')[2]
    Membership.objects.filter(user=owner.user).update(role=Role.VIEWER)
    assert 'name="tag"' not in page(owner).partition('id="selection"')[2]
    assert tag(owner, tag="seen").status_code == 403


PARCEL = WHOLE.replace(b"gpt-4o", b"parcel-1")
COMPUTED = 'title="$0.00002625, computed by genai-prices 0.2.3"'


def test_computed_cost_stands_in_list_where_none_is_stated(owner: Person, teammate: Person) -> None:
    inspected(owner, WHOLE)
    for person in (owner, teammate):
        assert page(person).count(COMPUTED) == 1


def test_a_cost_that_cannot_be_computed_stays_unknown_and_says_why(owner: Person) -> None:
    inspected(owner, PARCEL)
    html = page(owner)
    assert 'title="no price for the model">unknown</td>' in evened(html)
    assert "computed by" not in html


def test_rows_that_arrive_and_rows_that_are_tagged_have_their_cost(owner: Person) -> None:
    inspected(owner, CUT)
    after = cursor(page(owner))
    capture_id = inspected(owner, WHOLE)
    assert COMPUTED in live(owner, f"?after={after}")
    assert COMPUTED in live(owner, f"?after={cursor(page(owner))}&unfinished={capture_id}")
    assert COMPUTED in tag(owner, capture=[str(capture_id)], tag="seen").content.decode()


def test_the_list_asks_as_often_for_many_as_for_one(
    owner: Person, django_assert_max_num_queries
) -> None:  # type: ignore[no-untyped-def]
    inspected(owner)
    browser = owner.browser()
    browser.get(ARCHIVE)
    who_asks = 3
    for _ in range(5):
        accept(owner)
    since_when_they_wait = 1
    with django_assert_max_num_queries(who_asks + since_when_they_wait + 7):
        browser.get(ARCHIVE)
    set_and_reset = 2 if connection.vendor == "postgresql" else 0
    # The list, its number and its tabs each ask once.
    how_common_words_are = 3
    with django_assert_max_num_queries(
        who_asks + since_when_they_wait + 8 + set_and_reset + how_common_words_are
    ):
        browser.get(f"{ARCHIVE}?verdict=complete&tag=eu&since=7d&q=gpt")
    assert Inspection.objects.count() == 1


def test_a_row_has_the_values_of_an_answer_in_any_format(owner: Person) -> None:
    inspected(owner, GEMINI)
    row = owner.browser().get(f"/t/{owner.team.slug}/captures/").content.decode()
    assert "gemini-2.5-flash" in row and "STOP" in row
    assert ">not sent<" not in row


def test_an_archive_of_samples_says_where_to_begin_until_the_first_own_capture(
    owner: Person, teammate: Person
) -> None:
    accept_arrival(owner, Submission(Exchange.of_body(CUT, JSON), tags=("sample",)))
    inspect_all()
    for person in (owner, teammate):
        assert "These are samples." in page(person) and "a stream that broke off" in page(person)
    assert "captures/bulk/deletion/?q=tag%3Asample" in page(owner)
    assert "Clear samples" not in page(teammate)
    assert "two answers to one prompt" not in page(owner)
    accept(owner)
    assert "These are samples." not in page(owner)
    for person, has_link in ((owner, True), (teammate, False)):
        counted = person.browser().get(f"{ARCHIVE}counts/", headers={"HX-Request": "true"})
        assert ("Clear samples" in counted.content.decode()) == has_link


def test_an_empty_archive_has_the_lines_of_the_proxy_or_says_how_it_is_started(
    owner: Person, settings: LazySettings
) -> None:
    settings.PROXY_ORIGIN = ""
    assert "No proxy is running" in page(owner)
    settings.PROXY_ORIGIN = "http://127.0.0.1:8001"
    html = page(owner)
    for line in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        assert f"export {line}=http://127.0.0.1:8001/proxy/KEY/" in html
