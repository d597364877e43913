import re
from uuid import uuid4

from inspector.archive.models import Capture, State
from tests.archive.samples import CUT, STREAM, accept, inspect_all, inspected
from tests.people import Person

ARCHIVE = "/t/default/captures/"


def page(person: Person, query: str = "") -> str:
    answer = person.browser().get(ARCHIVE + query)
    assert answer.status_code == 200
    return answer.content.decode()


def live(person: Person, query: str) -> str:
    answer = person.browser().get(f"{ARCHIVE}live/{query}", headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return answer.content.decode()


def ids(html: str) -> list[str]:
    return re.findall(r'<tr id="row-([0-9a-f-]+)"', html)


def cursor(html: str) -> str:
    found = re.search(r"\?after=([^\"&]+)", html)
    assert found
    return found.group(1)


def test_the_team_sees_its_archive_newest_first(owner: Person, teammate: Person) -> None:
    first, second = inspected(owner), inspected(owner, STREAM, "text/event-stream")
    assert ids(page(owner)) == ids(page(teammate)) == [str(second), str(first)]


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
    assert "These are the oldest." in second
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
    assert "received 2 =" in fragment
    assert ids(live(owner, f"?after={cursor(fragment)}")) == []


def test_an_unfinished_row_is_replaced_when_it_is_inspected(owner: Person) -> None:
    id = accept(owner)
    shown = page(owner)
    assert f'name="unfinished" value="{id}"' in shown
    query = f"?after={cursor(shown)}&unfinished={id}&unfinished=nonsense&unfinished={uuid4()}"
    assert ids(live(owner, query)) == []
    inspect_all()
    fragment = live(owner, query)
    assert ids(fragment) == [str(id)]
    assert f'<tr id="row-{id}" hx-swap-oob="true">' in fragment


def test_unfinished_rows_of_others_stay_with_them(owner: Person, stranger: Person) -> None:
    mine, theirs = inspected(owner), inspected(stranger)
    fragment = live(owner, f"?after={cursor(page(owner))}&unfinished={theirs}")
    assert ids(fragment) == []
    assert ids(live(owner, f"?after={cursor(page(owner))}&unfinished={mine}")) == [str(mine)]


def test_nothing_moves_while_somebody_reads_further_down(owner: Person) -> None:
    inspected(owner)
    shown = page(owner)
    inspected(owner)
    fragment = live(owner, f"?after={cursor(shown)}&hold=1")
    assert ids(fragment) == []
    assert "1 newer" in fragment
    assert cursor(fragment) == cursor(shown)


def test_the_status_line_adds_up(owner: Person) -> None:
    inspected(owner)
    quarantined = accept(owner)
    Capture.objects.filter(id=quarantined).update(state=State.QUARANTINED)
    accept(owner)
    words = re.sub(r"<[^>]+>|\s+", " ", page(owner))
    assert "received 3 = inspected 1 + processing 1 + quarantined 1" in re.sub(r" +", " ", words)


def test_a_page_is_not_kept_by_caches_and_forbids_what_is_inline(owner: Person) -> None:
    headers = owner.browser().get(ARCHIVE).headers
    assert headers["Cache-Control"] == "private, no-store"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
