"""Whether two names of models can mean the same one."""

import pytest

from inspector.core.rules.envelope import is_another_model

SAME = [
    ("parcel-4o", "parcel-4o-2031-08-06"),
    ("parcel-4.1-nano", "Parcel-4.1-Nano"),
    ("maker/parcel-haiku-4.5", "maker/parcel-4.5-haiku-20311001"),
    ("maker/parcel-k2:free", "parcel-k2"),
    ("Parcel3-480B-Instruct:crate", "parcel-3-480b"),
    ("parcel3.3-70b", "parcel-3.3-70b"),
    ("", "parcel-1"),
    ("///", "parcel-1"),
]
OTHER = [
    ("parcel-4o", "parcel-4o-mini"),
    ("parcel-4o-mini", "parcel-4o"),
    ("parcel-4", "parcel-3.5"),
    ("parcel-4-fast", "crate-4-fast"),
    ("parcel-chat", "parcel-v4-flash"),
]


@pytest.mark.parametrize(("asked", "answered"), SAME)
def test_an_alias_and_its_version_can_be_one_model(asked: str, answered: str) -> None:
    assert not is_another_model(asked, answered)


@pytest.mark.parametrize(("asked", "answered"), OTHER)
def test_another_size_number_or_maker_is_another_model(asked: str, answered: str) -> None:
    assert is_another_model(asked, answered)


def test_a_name_without_end_costs_no_more_than_a_long_one() -> None:
    assert not is_another_model("parcel" + "-1" * 5_000_000, "parcel-1")
