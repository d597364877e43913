"""Who may watch a running answer, what each watcher is told, and how it ends."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from inspector.archive import deletion
from inspector.archive.intake.recording import append, finish
from inspector.core.wire.exchange import Headers
from inspector.proxy.recorder.call_spool import CallResponseHead
from inspector.proxy.viewer import live_streams
from inspector.proxy.viewer.live_archive import LiveArchive
from inspector.proxy.viewer.relay import CallPublished, CallWanted, ListeningBegun, RelayNews
from inspector.proxy.viewer_messages import (
    MAX_DATA_BYTES,
    WatchBegun,
    WatchEnded,
    WatchRefusal,
    WatchRefused,
    WatchTaken,
)
from inspector.teams.models import Membership
from tests.archive.calls import FIRST, SECOND, THIRD, WHOLE_CALL, begun, call, segment
from tests.people import Person
from tests.proxy.viewer.viewing import (
    END,
    NOTHING,
    ORIGIN,
    SpoolFile,
    Viewing,
    chunk,
    reads,
    text_of,
    token_of,
)

pytestmark = [pytest.mark.both_stacks, pytest.mark.django_db]
FOLDER = "another"


@pytest.fixture
def viewing(tmp_path: Path) -> Viewing:
    return Viewing(tmp_path)


def recorded(viewing: Viewing, person: Person) -> SpoolFile:
    """A call of this person that is recorded on this host."""
    one = call(person)
    begun(one)
    file = viewing.file(one.id)
    file.begin()
    return file


# -- what is told ---------------------------------------------------------------------------------


def test_a_watcher_is_told_what_there_is_then_what_comes_then_the_end(
    owner: Person, viewing: Viewing
) -> None:
    file = recorded(viewing, owner)
    file.write(reads(chunk("one ")))
    viewing.watch(1, owner, file.call)
    assert viewing.of(1)[0] == WatchBegun(1, ORIGIN)
    assert text_of(viewing.flow(1)) == "one "
    file.write(reads(chunk("two"), at_us=2000))
    viewing.step(0.05)
    assert text_of(viewing.flow(1)) == "one two"
    file.write(END)
    viewing.step(0.05)
    told = viewing.flow(1)
    assert told[-1] == ("end", {}) and viewing.data(1)[-1].is_last
    assert [each.event for each in told] == ["append", "append", "end"]
    assert [each.data["starts_over"] for each in told[:2]] == [True, False]


def test_an_append_tells_how_long_ago_the_request_was_sent(owner: Person, viewing: Viewing) -> None:
    file = recorded(viewing, owner)
    viewing.step(3.5)
    viewing.watch(1, owner, file.call)
    (told,) = viewing.told(1)
    assert told.data["now_us"] == 3_500_000


def test_who_comes_later_is_told_the_whole_and_who_takes_slowly_more_at_a_time(
    owner: Person, viewing: Viewing
) -> None:
    file = recorded(viewing, owner)
    file.write(reads(chunk("one ")))
    viewing.watch(1, owner, file.call)
    file.write(reads(chunk("two "), at_us=2000))
    viewing.step(0.05)
    file.write(reads(chunk("three"), at_us=3000))
    viewing.step(0.05)
    # It has not said that it took the first.
    assert len(viewing.data(1)) == 1
    viewing.watch(2, owner, file.call)
    assert text_of(viewing.told(2)) == "one two three"
    viewing.take(WatchTaken(1))
    assert [each.data["texts"] for each in viewing.told(1)] == [[[0, "one "]], [[0, "two three"]]]


def test_a_call_is_read_once_however_many_watch_it(
    owner: Person, teammate: Person, viewing: Viewing, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = recorded(viewing, owner)
    for number, person in enumerate([owner, teammate, owner, teammate]):
        viewing.watch(number, person, file.call)
        viewing.flow(number)
    counted: list[int] = []
    from inspector.proxy.viewer import live_reading

    made = live_reading.Reading.so_far
    monkeypatch.setattr(
        live_reading.Reading, "so_far", lambda *each: (counted.append(1), made(*each))[1]
    )
    file.write(reads(chunk("one")))
    viewing.step(0.05)
    assert counted == [1]
    assert [text_of(viewing.told(number)) for number in range(4)] == ["one"] * 4


def test_a_large_beginning_goes_in_pieces_that_are_taken_one_by_one(
    owner: Person, viewing: Viewing
) -> None:
    text = "x" * (2 * MAX_DATA_BYTES)
    file = recorded(viewing, owner)
    file.write(reads(chunk(text)))
    viewing.watch(1, owner, file.call)
    assert [len(each.data) for each in viewing.data(1)] == [MAX_DATA_BYTES]
    assert text_of(viewing.flow(1)) == text
    assert len(viewing.data(1)) == 3


def test_a_silence_is_broken_by_comments_so_that_nobody_takes_the_connection_for_dead(
    owner: Person, viewing: Viewing
) -> None:
    file = recorded(viewing, owner)
    viewing.watch(1, owner, file.call)
    viewing.flow(1)
    viewing.step(9.9)
    assert len(viewing.data(1)) == 1
    viewing.step(0.1)
    assert viewing.data(1)[-1].data.startswith(b":")


def test_a_file_that_is_moved_by_another_recorder_is_read_on(
    owner: Person, viewing: Viewing
) -> None:
    file = recorded(viewing, owner)
    viewing.watch(1, owner, file.call)
    (viewing.root / FOLDER).mkdir()
    file.path.rename(viewing.root / FOLDER / file.path.name)
    file.write(reads(chunk("one")))
    viewing.step(0.05)
    assert text_of(viewing.flow(1)) == "one"


def test_a_file_that_is_removed_ends_the_view_after_its_last_read(
    owner: Person, viewing: Viewing
) -> None:
    file = recorded(viewing, owner)
    viewing.watch(1, owner, file.call)
    file.write(reads(chunk("one")))
    file.path.unlink()
    viewing.step(0.05)
    viewing.step(0.05)
    assert [each.event for each in viewing.flow(1)] == ["append", "append", "end"]


def test_a_record_that_is_torn_waits_for_its_rest(owner: Person, viewing: Viewing) -> None:
    file = recorded(viewing, owner)
    viewing.watch(1, owner, file.call)
    before = file.path.stat().st_size
    file.write(reads(chunk("one")))
    whole = file.path.read_bytes()
    with file.path.open("r+b") as opened:
        opened.truncate(before + 7)
    viewing.step(0.05)
    assert text_of(viewing.flow(1)) == ""
    file.path.write_bytes(whole)
    viewing.step(0.05)
    assert text_of(viewing.flow(1)) == "one"


def test_a_compressed_answer_with_a_credential_starts_over_decompressed(
    owner: Person, viewing: Viewing
) -> None:
    one = call(owner)
    begun(one)
    file = viewing.file(one.id)
    coded: Headers = (("content-type", "text/event-stream"), ("content-encoding", "gzip"))
    file.begin(CallResponseHead(status=200, headers=coded, removal=NOTHING))
    viewing.watch(1, owner, one.id)
    file.write(reads(chunk("key: ********"), is_decoded=True))
    viewing.step(0.05)
    assert text_of(viewing.flow(1)) == "key: ********"


# -- who may watch --------------------------------------------------------------------------------


def refusal(viewing: Viewing, number: int = 1) -> WatchRefusal:
    (refused,) = viewing.of(number)
    assert isinstance(refused, WatchRefused)
    return refused.code


def test_the_team_may_watch_and_strangers_may_not(
    owner: Person, teammate: Person, stranger: Person, viewing: Viewing
) -> None:
    file = recorded(viewing, owner)
    for number, person in enumerate((owner, teammate, stranger)):
        viewing.watch(number, person, file.call)
    assert [type(viewing.of(number)[0]) for number in range(3)] == [
        WatchBegun,
        WatchBegun,
        WatchRefused,
    ]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda token: token[:-1] + ("a" if token[-1] != "a" else "b"),
        lambda token: "",
        lambda token: "a:b:c",
        lambda token: "x" + token,
    ],
)
def test_a_token_that_is_not_ours_opens_nothing(
    owner: Person, viewing: Viewing, spoil: Callable[[str], str]
) -> None:
    file = recorded(viewing, owner)
    viewing.ask(1, spoil(token_of(owner, file.call)))
    assert refusal(viewing) is WatchRefusal.INVALID_TOKEN


def test_a_token_opens_a_connection_for_a_minute(owner: Person, viewing: Viewing) -> None:
    file = recorded(viewing, owner)
    token = token_of(owner, file.call)
    with time_machine.travel(timezone.now() + timedelta(seconds=62), tick=False):
        viewing.ask(1, token)
    assert refusal(viewing) is WatchRefusal.INVALID_TOKEN


def test_a_token_ends_with_the_sessions_of_its_person(owner: Person, viewing: Viewing) -> None:
    file = recorded(viewing, owner)
    token = token_of(owner, file.call)
    owner.user.sessions_ended += 1
    owner.user.save()
    viewing.ask(1, token)
    assert refusal(viewing) is WatchRefusal.INVALID_TOKEN


def lose_membership(person: Person, capture_id: Any) -> None:
    Membership.objects.filter(user=person.user).delete()


def end_sessions(person: Person, capture_id: Any) -> None:
    person.user.sessions_ended += 1
    person.user.save()


def deactivate(person: Person, capture_id: Any) -> None:
    person.user.is_active = False
    person.user.save()


def delete_capture(person: Person, capture_id: Any) -> None:
    deletion.delete(person.principal, capture_id)


@pytest.mark.parametrize("change", [lose_membership, end_sessions, deactivate, delete_capture])
def test_access_that_is_lost_ends_the_view_within_a_quarter_of_a_minute(
    owner: Person, viewing: Viewing, change: Callable[[Person, Any], None]
) -> None:
    file = recorded(viewing, owner)
    viewing.watch(1, owner, file.call)
    viewing.flow(1)
    change(owner, file.call)
    viewing.step(15.0)
    viewing.step()
    told = viewing.flow(1)
    assert told[-1] == ("lost", {"reason": "no-access"}) and viewing.data(1)[-1].is_last


def test_while_the_database_does_not_answer_a_view_goes_on_for_a_minute(
    owner: Person, viewing: Viewing, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = recorded(viewing, owner)
    viewing.watch(1, owner, file.call)
    viewing.flow(1)
    from django.db import OperationalError

    from inspector.proxy.viewer import live_archive

    def fail(question: object) -> None:
        raise OperationalError

    monkeypatch.setattr(live_archive, "_answer", fail)
    viewing.step(30.0)
    file.write(reads(chunk("still")))
    viewing.step(25.0)
    assert text_of(viewing.flow(1)) == "still"
    viewing.step(10.0)
    viewing.step()
    assert viewing.flow(1)[-1] == ("lost", {"reason": "unconfirmed"})


def test_without_the_database_nobody_begins_to_watch(
    owner: Person, viewing: Viewing, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = recorded(viewing, owner)
    viewing.streams.archive._rests_until = 5.0
    viewing.watch(1, owner, file.call)
    assert refusal(viewing) is WatchRefusal.UNAVAILABLE


def test_a_person_has_so_many_views_and_others_have_theirs(
    owner: Person, teammate: Person, viewing: Viewing
) -> None:
    file = recorded(viewing, owner)
    most = live_streams.MAX_WATCHERS_OF_USER
    for number in range(most + 1):
        viewing.watch(number, owner, file.call)
    assert refusal(viewing, most) is WatchRefusal.TOO_MANY_OF_USER
    viewing.watch(most + 1, teammate, file.call)
    assert isinstance(viewing.of(most + 1)[0], WatchBegun)
    viewing.take(WatchEnded(0))
    viewing.watch(most + 2, owner, file.call)
    assert isinstance(viewing.of(most + 2)[0], WatchBegun)


# -- ends -----------------------------------------------------------------------------------------


def test_a_recording_that_ended_before_is_over_at_once(owner: Person, viewing: Viewing) -> None:
    one = call(owner)
    begun(one)
    token = token_of(owner, one.id)
    finish([one])
    viewing.ask(1, token)
    assert viewing.flow(1)[-1].event == "end"


def test_what_a_watcher_leaves_behind_is_let_go(owner: Person, viewing: Viewing) -> None:
    file = recorded(viewing, owner)
    viewing.watch(1, owner, file.call)
    viewing.watch(2, owner, file.call)
    viewing.take(WatchEnded(1))
    assert len(viewing.streams._calls) == 1
    viewing.take(WatchEnded(2), WatchEnded(2), WatchTaken(2))
    assert not viewing.streams._calls and viewing.streams._patience() is None


def test_a_watcher_who_leaves_before_it_is_known_whether_they_may_is_told_nothing(
    owner: Person, viewing: Viewing
) -> None:
    file = recorded(viewing, owner)
    viewing.answers_database = False
    viewing.watch(1, owner, file.call)
    viewing.take(WatchEnded(1))
    opened = LiveArchive(lambda _: None).answer(
        live_streams.OpenToken(1, token_of(owner, file.call))
    )
    viewing.take(opened)
    assert viewing.of(1) == [] and not viewing.streams._calls


def test_more_than_the_viewer_may_hold_is_not_watched_on(
    owner: Person, viewing: Viewing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_streams, "MAX_READ_BYTES", 100)
    file = recorded(viewing, owner)
    viewing.watch(1, owner, file.call)
    file.write(reads(chunk("x" * 100)))
    viewing.step(0.05)
    assert viewing.flow(1)[-1] == ("lost", {"reason": "too-much"})


def test_a_call_that_cannot_be_read_harms_no_other(
    owner: Person, viewing: Viewing, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = recorded(viewing, owner), recorded(viewing, owner)
    viewing.watch(1, owner, bad.call)
    viewing.watch(2, owner, good.call)
    watched = viewing.streams._calls[bad.call]

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(watched.reading, "add", fail)
    for file in (bad, good):
        file.write(reads(chunk("one")))
    viewing.step(0.05)
    viewing.take(WatchTaken(1))
    assert viewing.told(1)[-1] == ("lost", {"reason": "failed"})
    assert text_of(viewing.flow(2)) == "one"


# -- calls of other hosts -------------------------------------------------------------------------


class PlayedRelay:
    """What one viewer tells the other, when the test lets it through."""

    def __init__(self) -> None:
        self.wishes: list[CallWanted] = []
        self.published: list[CallPublished] = []
        self.listened: set[Any] = set()

    def connect(self, tell: Callable[[RelayNews], None]) -> Any:
        return self

    def listen(self, calls: Any) -> None:
        self.listened = set(calls)

    def want(self, call: Any, start: int) -> None:
        self.wishes.append(CallWanted(call, start))

    def publish(self, published: CallPublished) -> None:
        self.published.append(published)


class TwoHosts:
    def __init__(self, root: Path) -> None:
        self.here_relay, self.there_relay = PlayedRelay(), PlayedRelay()
        self.here = Viewing(root / "here", self.here_relay.connect)
        self.there = Viewing(root / "there", self.there_relay.connect)

    def relay(self) -> None:
        """All that was said is heard, until nobody says more."""
        while self.here_relay.wishes or self.there_relay.published:
            wishes, self.here_relay.wishes = self.here_relay.wishes, []
            self.there.take(*wishes)
            self.deliver()

    def deliver(self) -> None:
        said, self.there_relay.published = self.there_relay.published, []
        self.here.take(*said)

    def step(self, seconds: float) -> None:
        self.there.step(seconds)
        self.here.step(seconds)
        self.relay()


@pytest.fixture
def hosts(tmp_path: Path) -> TwoHosts:
    return TwoHosts(tmp_path)


def test_a_call_recorded_on_another_host_is_watched_through_its_viewer(
    owner: Person, hosts: TwoHosts
) -> None:
    file = recorded(hosts.there, owner)
    file.write(reads(chunk("one ")))
    hosts.here.watch(1, owner, file.call)
    assert hosts.here_relay.listened == {file.call}
    hosts.relay()
    assert text_of(hosts.here.flow(1)) == "one "
    file.write(reads(chunk("two"), at_us=2000))
    hosts.step(0.05)
    assert text_of(hosts.here.flow(1)) == "one two"
    file.write(END)
    hosts.step(0.05)
    assert hosts.here.flow(1)[-1].event == "end"
    assert hosts.here_relay.listened == set()


def test_what_is_lost_on_the_way_is_asked_for_again(owner: Person, hosts: TwoHosts) -> None:
    file = recorded(hosts.there, owner)
    hosts.here.watch(1, owner, file.call)
    hosts.relay()
    file.write(reads(chunk("one ")))
    hosts.there.step(0.05)
    hosts.there_relay.published.clear()
    file.write(reads(chunk("two"), at_us=2000))
    hosts.there.step(0.05)
    hosts.deliver()
    assert text_of(hosts.here.flow(1)) == ""
    hosts.relay()
    assert text_of(hosts.here.flow(1)) == "one two"


def test_who_asks_when_there_is_nothing_new_hears_that_somebody_is_there(
    owner: Person, hosts: TwoHosts
) -> None:
    file = recorded(hosts.there, owner)
    hosts.here.watch(1, owner, file.call)
    hosts.relay()
    hosts.here.step(2.0)
    assert len(hosts.here_relay.wishes) == 1
    hosts.there.take(*hosts.here_relay.wishes)
    (answered,) = hosts.there_relay.published
    assert answered.data == b"" and answered.start == file.path.stat().st_size


def test_a_call_that_nobody_asks_for_any_more_is_not_published_on(
    owner: Person, hosts: TwoHosts
) -> None:
    file = recorded(hosts.there, owner)
    hosts.here.watch(1, owner, file.call)
    hosts.relay()
    hosts.there.step(6.1)
    assert hosts.there.streams._patience() is None


def test_who_listens_only_now_asks_at_once(owner: Person, hosts: TwoHosts) -> None:
    file = recorded(hosts.there, owner)
    hosts.here.watch(1, owner, file.call)
    hosts.here_relay.wishes.clear()
    hosts.here.take(ListeningBegun(file.call))
    assert hosts.here_relay.wishes == [CallWanted(file.call, 0)]


def test_a_host_that_lacks_the_file_says_nothing(owner: Person, hosts: TwoHosts) -> None:
    one = call(owner)
    begun(one)
    hosts.there.take(CallWanted(one.id, 0))
    assert hosts.there_relay.published == []


def test_without_redis_what_is_stored_is_told_every_two_seconds(
    owner: Person, viewing: Viewing
) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    viewing.watch(1, owner, one.id)
    viewing.step()
    assert told_bytes(viewing) == len(FIRST.data)
    append([segment(lease, 1, SECOND)])
    viewing.step(1.9)
    assert told_bytes(viewing) == len(FIRST.data)
    viewing.step(0.1)
    assert told_bytes(viewing) == len(FIRST.data + SECOND.data)
    finish([one])
    viewing.step(2.0)
    viewing.step()
    assert viewing.flow(1)[-1].event == "end"


def told_bytes(viewing: Viewing) -> int:
    """Where the last read ends that the watcher knows of."""
    return [each.data["head"]["byte_length"] for each in viewing.flow(1)][-1]


def test_with_redis_silent_the_database_is_asked_after_a_second_and_redis_goes_on_later(
    owner: Person, hosts: TwoHosts
) -> None:
    one = call(owner)
    lease = begun(one)
    file = hosts.there.file(one.id)
    file.begin()
    file.write(reads(FIRST.data))
    append([segment(lease, 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    hosts.here.watch(1, owner, one.id)
    hosts.here.step(0.9)
    assert told_bytes(hosts.here) == 0
    hosts.here.step(0.2)
    hosts.here.step()
    assert told_bytes(hosts.here) == len(FIRST.data)
    # It is heard again, from the beginning: what is known already is not taken twice.
    file.write(reads(SECOND.data, THIRD.data, at_us=2000))
    hosts.there.step(1.1)
    hosts.here.step(2.0)
    hosts.relay()
    assert told_bytes(hosts.here) == len(FIRST.data + SECOND.data + THIRD.data)
    assert [each.data["starts_over"] for each in hosts.here.told(1)].count(True) <= 2
