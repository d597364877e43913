"""Finish reasons that are told apart are bounded by the day, whatever a provider sends."""

import pytest
from django.utils import timezone

from inspector.archive.deletion import delete
from inspector.usage.measures import Measure, MeasureKey
from inspector.usage.models import UsageSum
from inspector.usage.rollup import finish_reasons, rollups
from inspector.usage.rollup.contribution import MAX_FINISH_REASONS
from inspector.usage.rollup.rollups import hour_of
from tests.archive.samples import WHOLE, inspected
from tests.markup import evened
from tests.people import Person
from tests.usage.rollup.test_rollups import inspect_again, sums

pytestmark = pytest.mark.both_stacks

PAGE = "/t/default/usage/"
BOUND = 3


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    hour = hour_of(timezone.now())
    monkeypatch.setattr(finish_reasons, "MAX_A_DAY", BOUND)
    # The bound is of a day, and one may end in the midst of a test.
    monkeypatch.setattr(rollups, "hour_of", lambda _: hour)


def ending(reason: str) -> bytes:
    return WHOLE.replace(b'"stop"', f'"{reason}"'.encode())


FURTHER = (Measure.FURTHER_FINISH_REASONS, "")
OF_FINISHES = (Measure.FINISH_REASON, Measure.FURTHER_FINISH_REASONS)


def told() -> dict[MeasureKey, int]:
    return {key: captures for key, (captures, _) in sums().items() if key[0] in OF_FINISHES}


def finish(reason: str) -> MeasureKey:
    return Measure.FINISH_REASON, reason


def test_reasons_beyond_the_bound_are_counted_together(owner: Person, stranger: Person) -> None:
    for number in range(6):
        inspected(owner, ending(f"end-{number}"))
    few = {finish(f"end-{number}"): 1 for number in range(BOUND)}
    assert told() == {**few, FURTHER: 3}
    rows = UsageSum.objects.count()
    inspected(owner, ending("end-6"))
    assert (told(), UsageSum.objects.count()) == ({**few, FURTHER: 4}, rows)
    inspected(owner, ending("end-0"))
    inspected(owner, ending("stop"))
    assert told() == {**few, finish("end-0"): 2, finish("stop"): 1, FURTHER: 4}
    inspected(stranger, ending("theirs"))
    assert told()[finish("theirs")] == 1


def test_too_many_reasons_are_one(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finish_reasons, "MAX_A_DAY", 100)
    choice = '{"index":%d,"message":{"role":"assistant","content":""},"finish_reason":"end-%02d"}'
    head = '{"id":"a","object":"chat.completion","model":"gpt-4o","choices":['

    def choices(number: int) -> bytes:
        return f"{head}{','.join(choice % (at, at) for at in range(number))}]}}".encode()

    inspected(owner, choices(MAX_FINISH_REASONS))
    all_told = told()
    assert (len(all_told), FURTHER in all_told) == (MAX_FINISH_REASONS, False)
    capture_id = inspected(owner, choices(MAX_FINISH_REASONS + 5))
    assert told() == {**dict.fromkeys(all_told, 2), FURTHER: 1}
    delete(owner.principal, capture_id)
    assert told() == all_told


def test_what_is_told_together_is_taken_back(owner: Person) -> None:
    ids = [inspected(owner, ending(f"end-{number}")) for number in range(5)]
    before = told()
    inspect_again(ids[4])
    assert told() == before
    for capture_id in ids[3:]:
        delete(owner.principal, capture_id)
    assert told() == {finish(f"end-{number}"): 1 for number in range(BOUND)}


@pytest.mark.thorough
def test_a_day_over_the_bound_shrinks(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finish_reasons, "MAX_A_DAY", 20)
    ids = [inspected(owner, ending(f"end-{number:02}")) for number in range(14)]
    assert FURTHER not in told()
    monkeypatch.setattr(finish_reasons, "MAX_A_DAY", BOUND)
    for capture_id in reversed(ids):
        inspect_again(capture_id)
    assert told()[FURTHER] == 14 - BOUND


def test_the_page_and_the_api_say_how_many_captures_those_are(owner: Person) -> None:
    for number in range(BOUND):
        inspected(owner, ending(f"end-{number}"))
    told_apart = owner.browser().get(PAGE).content.decode()
    assert "not told apart" not in told_apart
    assert owner.get("/api/v1/usage/").json["all"]["further_finish_reasons"] == 0
    for number in range(BOUND, BOUND + 2):
        inspected(owner, ending(f"end-{number}"))
    html = owner.browser().get(PAGE).content.decode()
    assert "Rare finish reasons beyond our limit are counted together: 2 captures." in evened(html)
    assert owner.get("/api/v1/usage/").json["all"]["further_finish_reasons"] == 2


def test_reasons_of_any_documented_format_are_counted_apart(owner: Person) -> None:
    few = {finish(f"end-{number}"): 1 for number in range(BOUND)}
    documented = ("end_turn", "STOP", "max_tokens", "insufficient_system_resource")
    for number in range(BOUND):
        inspected(owner, ending(f"end-{number}"))
    for reason in documented:
        inspected(owner, ending(reason))
    assert told() == few | {finish(reason): 1 for reason in documented}
