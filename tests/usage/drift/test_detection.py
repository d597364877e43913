"""Histories that say something changed, and ones that must not."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from inspector.usage.drift.changes import DriftChange, HourSlot
from inspector.usage.drift.detection import DetectedDrift, DriftSubject, detect_drifts
from inspector.usage.drift.histories import (
    HourlyCounts,
    ModelHistory,
    StreamedFieldPaths,
    TeamHistories,
)
from inspector.usage.drift.presence import fisher_one_sided, presence_changes, replacement_changes

HOURS = range(0, 240)
CHANGE = 200


def one_each_hour(value_at: Callable[[int], Any], captures: int = 5) -> list[HourSlot[Any]]:
    return [HourSlot(hour, captures, {value_at(hour): captures}) for hour in HOURS]


def told(changes: Iterable[DriftChange[Any]]) -> list[tuple[str, Any, int]]:
    return [(str(each.direction), each.value, each.hour) for each in changes]


# -- what is there or is not ----------------------------------------------------------------------


def test_another_value_for_all_is_one_switch() -> None:
    history = one_each_hour(lambda hour: "fp_a" if hour < CHANGE else "fp_b")
    (change,) = replacement_changes(history, HOURS)
    assert told([change]) == [("appeared", "fp_b", CHANGE)]
    assert change.replaces_value and change.replaced_value == "fp_a"
    assert (change.test.before, change.test.since) == ((840, 0), (200, 200))
    assert change.test.p_value < 1e-100
    assert change.replaced_test is not None
    assert (change.replaced_test.before, change.replaced_test.since) == ((840, 840), (200, 0))


def test_in_the_hour_of_a_switch_both_values_may_stand() -> None:
    history = one_each_hour(lambda hour: "a" if hour < CHANGE else "b")
    history[CHANGE] = HourSlot(CHANGE, 5, {"a": 2, "b": 3})
    (change,) = replacement_changes(history, HOURS)
    assert (change.value, change.replaced_value, change.hour) == ("b", "a", CHANGE)


def test_a_value_beside_the_old_one_appeared() -> None:
    history = [HourSlot(hour, 5, {"a": 5} if hour < CHANGE else {"a": 3, "b": 2}) for hour in HOURS]
    (change,) = replacement_changes(history, HOURS)
    assert told([change]) == [("appeared", "b", CHANGE)] and not change.replaces_value


def test_a_value_that_is_no_longer_sent_is_a_switch_to_none() -> None:
    history = one_each_hour(lambda hour: "fp_a" if hour < CHANGE else None)
    (change,) = replacement_changes(history, HOURS)
    assert change.value is None and change.replaces_value and change.replaced_value == "fp_a"


def keys(rate_at: Callable[[int], float], captures: int = 10, seed: int = 1) -> list[HourSlot[str]]:
    chance = random.Random(seed)
    return [
        HourSlot(
            hour,
            captures,
            Counter("key" for _ in range(captures) if chance.random() < rate_at(hour)),
        )
        for hour in HOURS
    ]


def test_a_key_appeared() -> None:
    found = presence_changes(keys(lambda hour: float(hour >= CHANGE)), HOURS)
    assert told(found) == [("appeared", "key", CHANGE)]


def test_a_key_vanished() -> None:
    found = presence_changes(keys(lambda hour: float(hour < CHANGE)), HOURS)
    assert told(found) == [("vanished", "key", CHANGE)]
    assert found[0].last_hour == CHANGE - 1


@pytest.mark.parametrize("rate", [0.001, 0.01, 0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("seed", range(5))
def test_a_key_that_is_sent_now_and_then_never_comes_or_goes(rate: float, seed: int) -> None:
    assert presence_changes(keys(lambda _: rate, seed=seed), HOURS) == []


def test_a_key_of_half_of_the_answers_that_nobody_asks_for_any_more_is_no_change() -> None:
    history = keys(lambda hour: 0.5 if hour < CHANGE else 0)
    assert presence_changes(history, HOURS) == []


@pytest.mark.parametrize(("before", "since"), [(29, 100), (1000, 4), (0, 1000)])
def test_few_captures_never_tell_a_change(before: int, since: int) -> None:
    history = [
        HourSlot(hour, n, {value: n}) for hour, n, value in ((1, before, "a"), (2, since, "b")) if n
    ]
    assert replacement_changes(history, HOURS) == []
    gone = [HourSlot(1, max(before, 1), {"a": max(before, 1)}), HourSlot(2, min(since, 9), {})]
    assert presence_changes(gone, HOURS) == []


def test_what_began_outside_the_hours_is_not_told() -> None:
    history = one_each_hour(lambda hour: "a" if hour < CHANGE else "b")
    assert (
        replacement_changes(history, range(CHANGE + 1, 240))
        == replacement_changes(history, range(0, CHANGE))
        == []
    )


def test_values_that_are_never_the_same_are_no_changes() -> None:
    assert (
        replacement_changes(
            [HourSlot(h, 5, {f"fp{h}{n}": 1 for n in range(5)}) for h in HOURS], HOURS
        )
        == []
    )


# -- subject by subject ---------------------------------------------------------------------------


def found_in(answers: ModelHistory, **more: Any) -> list[DetectedDrift]:
    return detect_drifts(TeamHistories(answers={("v", "m"): answers}, **more), HOURS)


def counted(value_at: Callable[[int], Any]) -> HourlyCounts[Any]:
    made: HourlyCounts[Any] = HourlyCounts()
    for hour in HOURS:
        made.add(hour, value_at(hour), 5)
    return made


@pytest.mark.parametrize(
    ("column", "subject"),
    [("fingerprints", DriftSubject.FINGERPRINT), ("tiers", DriftSubject.TIER)],
)
def test_values_of_a_model(column: str, subject: DriftSubject) -> None:
    changed = ModelHistory(**{column: counted(lambda hour: "a" if hour < CHANGE else "b")})
    assert [(each.subject, each.vendor, each.model) for each in found_in(changed)] == [
        (subject, "v", "m")
    ]
    assert found_in(ModelHistory(**{column: counted(lambda hour: "a")})) == []


def test_another_model_answers_a_name() -> None:
    aliases = {("v", "gpt-4o"): counted(lambda hour: "gpt-4o-05" if hour < CHANGE else "gpt-4o-08")}
    (found,) = detect_drifts(TeamHistories(aliases=aliases), HOURS)
    assert (found.subject, found.model, found.change.value) == (
        DriftSubject.ALIAS,
        "gpt-4o",
        "gpt-4o-08",
    )


def test_keys_and_usage_fields_of_streamed_and_of_whole_answers() -> None:
    sets = {
        "w1": StreamedFieldPaths(False, frozenset({"/a", "/usage", "/usage/b"})),
        "w2": StreamedFieldPaths(
            False, frozenset({"/a", "/usage", "/usage/b", "/usage/c", "/usagely"})
        ),
        "s1": StreamedFieldPaths(True, frozenset({"/z"})),
    }
    answers = ModelHistory(field_sets=counted(lambda hour: "w1" if hour < CHANGE else "w2"))
    for hour in range(CHANGE, 240):
        answers.field_sets.add(hour, "s1", 5)
    found = found_in(answers, field_sets=sets)
    assert [(each.subject, each.change.value, each.streamed) for each in found] == [
        (DriftSubject.USAGE, "/usage/c", False),
        (DriftSubject.FIELDS, "/usagely", False),
    ]


def test_a_set_of_keys_whose_names_are_not_known_says_nothing() -> None:
    answers = ModelHistory(field_sets=counted(lambda hour: "w1" if hour < CHANGE else "gone"))
    assert found_in(answers, field_sets={"w1": StreamedFieldPaths(False, frozenset({"/a"}))}) == []


def test_fishers_test_counts_choices() -> None:
    # 5 of 5 here and none of 30 there: one choice in C(35, 5).
    assert fisher_one_sided(5, 5, 30) == pytest.approx(1 / math.comb(35, 5))
    assert fisher_one_sided(3, 10, 20) == pytest.approx(math.comb(10, 3) / math.comb(30, 3))
    assert fisher_one_sided(10**6, 10**6, 10**6) == 0
