from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.query.language import parse
from inspector.query.resolve import resolve
from inspector.query.tree import Matcher
from inspector.query.values import NamePattern, ValueRange

NOW = datetime(2026, 11, 20, 14, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("model:gpt-4o", ("gpt-4o",)),
        ("model:gpt*", (NamePattern("gpt*"),)),
        ("verdict:complete,cut*", ("complete", NamePattern("cut*"))),
        ("first_token>800ms", (800_000,)),
        ("first_token>1.5m", (90_000_000,)),
        ("first_token:1s..2s", (ValueRange(1_000_000, 2_000_000),)),
        ("first_token:..2s", (ValueRange(None, 2_000_000),)),
        ("tokens.out>2k", (2_000,)),
        ("size>=20kB", (20_000,)),
        ("size>1MiB", (1_048_576,)),
        ("status:200,429", (200, 429)),
        ("cost>0.01", (Decimal("0.01"),)),
        ("cost<$1", (Decimal(1),)),
        ("cost:computed", ("computed",)),
        ("cost:0.01..", (ValueRange(Decimal("0.01"), None),)),
        ("stream:yes,no", (True, False)),
        ("since:7d", (NOW - timedelta(days=7),)),
        ("since:yesterday", (datetime(2026, 11, 19, tzinfo=UTC),)),
        ("missing:model,first_token", ("model", "first_token")),
        ("metadata.user:42", ("42",)),
    ],
)
def test_values_are_read_by_the_kind_of_their_field(text: str, values: tuple[object, ...]) -> None:
    found = resolve(parse(text).tree, CAPTURE_FIELDS, NOW)
    assert found.mistakes == ()
    (matcher,) = found.tree.nodes
    assert isinstance(matcher, Matcher) and matcher.values == values


@pytest.mark.parametrize(
    ("text", "what", "near"),
    [
        ("vendr:openai", "is no field", "vendor:openai"),
        ("first_tokn>2s", "is no field", "first_token>2s"),
        ("zzzzzz:1", "is no field", ""),
        ("has:formats", "has no value 'formats'", ""),
        ("has:format", "has no value 'format'", "has:dialect"),
        ("metadata.a__b:x", "is no field", ""),
        ("verdict:complet", "has no value 'complet'", "verdict:complete"),
        ("verdict:complete,cutoff", "has no value 'cutoff'", "verdict:complete,cut-off"),
        ("verdict:COMPLETE", "has no value 'COMPLETE'", "verdict:complete"),
        ("model>5", "cannot be compared by >", ""),
        ("first_token>fast", "is not a duration such as 800ms", ""),
        ("first_token:2", "is not a duration such as 800ms", ""),
        ("first_token>1s..2s", "cannot be compared by > with a range", ""),
        ("tokens.in>99999999999999999999", "is not a whole number", ""),
        ("tokens.in>1.5", "is not a whole number", ""),
        ("size>2TB", "is not a number of bytes", ""),
        ("cost:dear", "has no value 'dear'; there are computed", ""),
        ("cost>dear", "is not an amount in US dollars", ""),
        ("stream:maybe", "is not yes or no", ""),
        ("since:soon", "is not a time of RFC 3339", ""),
        ("id:xyz", "is not an id of a capture", ""),
        ("missing:size", "has no value 'size': that field is always there", ""),
        ("missing:modl", "has no value 'modl'", "missing:model"),
        ('model:""', "has 1 to 500 characters", ""),
        ("model:" + ",".join("abcdefghijklmnopqrstu"), "has more than 20 values", ""),
    ],
)
def test_a_mistaken_term_is_left_out_and_the_nearest_named(text: str, what: str, near: str) -> None:
    found = resolve(parse(f"{text} late").tree, CAPTURE_FIELDS, NOW)
    mistake = found.mistakes[0]
    assert mistake.what.startswith(what)
    assert mistake.near == near
    assert not [each for each in found.tree.nodes if isinstance(each, Matcher)]


def test_what_is_left_of_a_group_stands() -> None:
    found = resolve(parse("(vendr:a or tag:eu) -(verdict:x)").tree, CAPTURE_FIELDS, NOW)
    assert [each.name for each in found.tree.nodes if isinstance(each, Matcher)] == ["tag"]
    assert len(found.mistakes) == 2 and len(found.tree.nodes) == 1


def test_of_many_mistakes_only_the_first_are_compared_with_what_there_is() -> None:
    found = resolve(parse(" ".join(["vendr:a"] * 50)).tree, CAPTURE_FIELDS, NOW)
    assert len(found.mistakes) == 50
    assert sum(bool(each.near) for each in found.mistakes) == 10
