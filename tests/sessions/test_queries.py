"""Sessions as they are listed and shown, to whom, and what stays of them."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone

from inspector.archive.body_deletion import delete_bodies
from inspector.archive.deletion import delete
from inspector.archive.models import Capture, FindingRow, Inspection, State
from inspector.sessions import queries
from inspector.sessions.models import Grouping, Session, Turn
from inspector.sessions.placing import place_turns
from inspector.sessions.turn_rows import outline_of, stored_call
from tests.archive.samples import WHOLE, inspect_all, inspected
from tests.markup import evened
from tests.people import Person
from tests.sessions.written import read_lines, send, told

pytestmark = pytest.mark.both_stacks

LOOP = """
    0 | T1 S1 U1                  | 3000          |                | 0
    5 | T1 S1 U1 C1 R1            | 4000 2944     |                | 0 <1 +2
   10 | T1 S2 U1 C1 R1 C2 R2      | 5000 1024     |                | 0 <2 +2 e1 changed:system
"""


def of(person: Person) -> queries.Sessions:
    return queries.for_principal(person.principal)


def session_of(capture_id: UUID) -> UUID:
    found: UUID = Turn.objects.get(pk=capture_id).session_id
    return found


def test_a_session_is_listed_with_its_sums(owner: Person) -> None:
    send(owner, LOOP)
    (row,) = of(owner).page().rows
    assert (row.value, row.grouping, row.turns, row.lanes) == ("s-1", Grouping.SESSION, 3, 1)
    assert row.last_at - row.first_at == timedelta(seconds=10)
    page = of(owner).one(row.id)
    assert page is not None
    starts, ends = zip(
        *((each.call.start_us, each.call.end_us) for each in page.turns), strict=True
    )
    assert row.duration_us == max(ends) - min(starts) >= 10_000_000
    assert row.missed == 1 and row.cost.unknown == 0
    assert row.cost.ticks and row.cost.ticks > 0


def test_a_page_has_turns_with_what_they_added_and_missed(owner: Person) -> None:
    first, second, third = send(owner, LOOP)
    page = of(owner).one(session_of(first))
    assert page is not None and [each.id for each in page.turns] == [first, second, third]
    assert [each.number for each in page.turns] == [1, 2, 3]
    miss = page.turns[2].miss
    assert miss is not None and miss.ticks and miss.tokens == 3_968 - 1_024
    assert not miss.is_due
    fill = page.turns[0].fill
    assert sum(each.tokens or 0 for each in fill) in (2_998, 2_999, 3_000)


def test_a_missed_cache_is_one_finding_and_costs_what_the_receipt_says(owner: Person) -> None:
    _, second, third = send(owner, LOOP)
    (found,) = FindingRow.objects.filter(code="cache.missed")
    assert (found.capture_id, found.severity) == (third, "warning")
    assert Inspection.objects.get(pk=third).warning_count >= 1
    # gpt-4o: $2.50 a million tokens, $1.25 from the cache.
    assert Turn.objects.get(pk=third).missed_ticks == (3_968 - 1_024) * 12_500
    assert Turn.objects.get(pk=second).cause is None


@pytest.mark.parametrize("name", ["owner", "teammate", "stranger"])
def test_a_session_is_its_teams_alone(
    name: str, owner: Person, teammate: Person, stranger: Person
) -> None:
    (first, *_) = send(owner, LOOP)
    asking = {"owner": owner, "teammate": teammate, "stranger": stranger}[name]
    is_theirs = name != "stranger"
    session = session_of(first)
    assert bool(of(asking).page().rows) is is_theirs
    assert (of(asking).one(session) is not None) is is_theirs
    assert (of(asking).of_capture(first) is not None) is is_theirs
    assert (of(asking).outline(session, first) is not None) is is_theirs
    listed = asking.get("/api/v1/sessions/")
    assert bool(listed.json["sessions"]) is is_theirs
    assert asking.get(f"/api/v1/sessions/{session}/").status == (200 if is_theirs else 404)
    browser = asking.browser()
    team = asking.team.slug
    assert browser.get(f"/t/{team}/sessions/{session}/").status_code == (200 if is_theirs else 404)
    there = browser.get(f"/captures/{first}/session/")
    assert there.status_code == (302 if is_theirs else 404)


def test_the_api_tells_what_the_page_shows(owner: Person) -> None:
    first, second, third = send(owner, LOOP)
    shown = owner.get(f"/api/v1/sessions/{session_of(first)}/").json
    assert shown["captures"] == 3 and shown["turns"][1]["parent"] == str(first)
    assert shown["turns"][1]["changes"]["counts"] == {"appended": 2}
    missed = shown["turns"][2]["missed_cache"]
    assert (missed["cause"], missed["section"], missed["missed_usd"]) == (
        "changed", "system", "0.00368",
    )  # fmt: skip
    assert shown["turns"][0]["fill"]["tools"]["tokens"] is not None


def test_usage_sums_what_was_missed(owner: Person) -> None:
    send(owner, LOOP)
    since = "2026-11-20T00:00:00Z"
    used = owner.get(f"/api/v1/usage/?since={since}&until=2026-11-21T00:00:00Z").json
    assert used["missed_cache"]["causes"]["changed"]["missed_usd"] == "0.00368"
    assert used["missed_cache"]["sections"]["system"]["captures"] == 1
    page = owner.browser().get(f"/t/default/usage/?since={since}&until=2026-11-21T00:00:00Z")
    assert "of it changed prefix $0.0037, most at system" in page.content.decode()


def test_prompts_that_go_on_with_each_other_are_one_inferred_session(owner: Person) -> None:
    first, second, third = send(owner, LOOP, session=None)
    assert session_of(first) == session_of(second) == session_of(third)
    (row,) = of(owner).page().rows
    assert row.grouping == Grouping.PROMPT and row.value is None


def test_equal_prompts_of_two_keys_are_two_sessions(owner: Person, teammate: Person) -> None:
    (first,) = send(owner, "0 | S1 U1 | 2000 | | 0", session=None)
    (second,) = send(teammate, "5 | S1 U1 A1 U2 | 3000 1920 | | 0", session=None)
    assert session_of(first) != session_of(second)
    assert not of(owner).page().rows, "lone captures are not listed"


def test_a_turn_that_comes_late_is_put_in_its_place(owner: Person) -> None:
    early, middle, late = LOOP.strip().splitlines()
    (third,) = send(owner, late, session=None)
    (first,) = send(owner, early, session=None)
    assert session_of(first) != session_of(third)
    (second,) = send(owner, middle, session=None)
    assert len({session_of(each) for each in (first, second, third)}) == 1
    expected = [line.expected for line in read_lines(LOOP)]
    assert told([first, second, third]) == expected


def test_a_capture_that_is_read_again_keeps_its_place(owner: Person) -> None:
    ids = send(owner, LOOP)
    before = told(ids)
    due = timezone.now() - timedelta(seconds=5)
    Capture.objects.filter(pk=ids[1]).update(state=State.RECEIVED, attempt=0, due_at=due)
    inspect_all()
    assert told(ids) == before
    assert FindingRow.objects.filter(code="cache.missed").count() == 1


def test_the_same_answer_at_another_place_is_paid_once(owner: Person, teammate: Person) -> None:
    line = "0 | S1 U1 | 2000 | id=chatcmpl-x says=Hello | 0"
    (first,) = send(owner, line)
    (second,) = send(teammate, line, session=None)
    assert session_of(first) == session_of(second)
    assert told([first, second])[1] == "0 ~1"
    (row,) = of(owner).page().rows
    page = of(owner).one(row.id)
    assert page is not None and row.cost.ticks == page.turns[0].cost_ticks


def test_a_deleted_capture_leaves_its_session(owner: Person) -> None:
    ids = send(owner, LOOP)
    session = session_of(ids[0])
    assert delete(owner.principal, ids[0])
    assert Session.objects.get(pk=session).turns == 2
    for each in ids[1:]:
        assert delete(owner.principal, each)
    assert not Session.objects.exists() and not Turn.objects.exists()


def test_of_a_deleted_body_numbers_stay_and_what_was_said_goes(owner: Person) -> None:
    first, _, third = send(owner, LOOP)
    with transaction.atomic():
        assert delete_bodies(owner.team.pk, [third], "olga") == 1
    turn = Turn.objects.get(pk=third)
    assert (turn.outline, turn.digests, turn.changes) == (None, None, None)
    assert turn.cause == "changed" and turn.missed_tokens == 2_944
    assert stored_call(turn).calls == () and stored_call(turn).sizes
    page = owner.browser().get(f"/t/default/sessions/{turn.session_id}/?call=3")
    assert page.status_code == 200


def test_a_page_leads_to_what_was_added_and_missed(owner: Person) -> None:
    first, *_ = send(owner, LOOP)
    url = f"/t/default/sessions/{session_of(first)}/"
    page = evened(owner.browser().get(url).content.decode())
    additions, missed = page.split("Largest additions")[1].split("Missed the cache without need")
    assert (
        '<a href="?call=2#call">call 2</a></td><td>results of tools<code>read</code>' in additions
    )
    assert '<a href="?call=3#call">call 3</a></td><td>changed prefix: system' in missed
    assert "2,944 tokens" in missed and "$0.0037" in missed
    second = owner.browser().get(f"{url}?call=2").content.decode()
    assert "4,000 tokens of prompt, 2,944 of them from the cache, and 20 of answer." in second


def test_a_lone_answer_says_what_cannot_be_known(owner: Person) -> None:
    capture = inspected(owner, WHOLE)
    there = owner.browser().get(f"/captures/{capture}/session/", follow=True)
    assert "The request was not captured, so its prompt is not known." in there.content.decode()
    assert ">request not captured</a>" in there.content.decode()
    turn = Turn.objects.get(pk=capture)
    assert outline_of(turn) is None and turn.lane == 0


def test_a_session_is_shown_in_parts(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = send(owner, LOOP)
    monkeypatch.setattr(queries, "PAGE_TURNS", 2)
    page = of(owner).one(session_of(first), 2)
    assert page is not None and [each.number for each in page.turns] == [2, 3]


@pytest.mark.parametrize("query", ["?call=x", "?call=0", "?call=99999", "?first=x", "?first=99999"])
def test_no_query_breaks_a_page(owner: Person, query: str) -> None:
    (first, *_) = send(owner, LOOP)
    url = f"/t/default/sessions/{session_of(first)}/"
    assert owner.browser().get(url + query).status_code == 200


def test_many_sessions_are_placed_by_as_many_statements_as_few(owner: Person) -> None:
    assert statements_of(owner, 1) == statements_of(owner, 4)


def statements_of(person: Person, sessions: int) -> int:
    """Those that place the last turn of each session again."""
    names = [f"{number} of {sessions}" for number in range(sessions)]
    last = {send(person, LOOP, session=name)[-1] for name in names}
    asked = list[str]()

    def note(execute: Any, sql: str, *others: Any) -> Any:
        asked.append(sql)
        return execute(sql, *others)

    Turn.objects.filter(pk__in=last).update(lane=None)
    ids = {session_of(each) for each in last}
    with transaction.atomic(), connection.execute_wrapper(note):
        place_turns(ids, last)
    assert Turn.objects.filter(pk__in=last, cause="changed", lane=0).count() == sessions
    return len(asked)


def test_one_that_is_inferred_is_named_by_the_beginning_of_its_first_prompt(owner: Person) -> None:
    send(owner, LOOP, session=None)
    (row,) = of(owner).page().rows
    assert (row.value, row.first_line) == (None, f"U1 {'x' * 196}…")
    for path in ("", f"{row.id}/"):
        html = evened(owner.page(f"/t/default/sessions/{path}"))
        assert f"U1 {'x' * 57}…" in html


def test_the_list_counts_captures_with_findings_in_words(owner: Person) -> None:
    first, second, _ = send(owner, LOOP)
    for finding, words in (
        ([(first, 1)], "1 with an error"),
        ([(first, 2), (second, 1)], "2 with errors"),
    ):
        for capture_id, number in finding:
            Inspection.objects.filter(pk=capture_id).update(error_count=number)
        assert words in evened(owner.page("/t/default/sessions/"))
