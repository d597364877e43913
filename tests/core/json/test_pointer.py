from typing import Any

import pytest
from msgspec import UNSET

from inspector.core.json.pointer import value_at

CHOICES = {"choices": [{"text": "a"}, {"text": None}], "a/b": {"~": 1}, "": 2}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", CHOICES),
        ("/choices/0/text", "a"),
        ("/choices/1/text", None),
        ("/a~1b/~0", 1),
        ("/", 2),
    ],
)
def test_a_pointer_leads_through_objects_and_lists(pointer: str, value: Any) -> None:
    assert value_at(CHOICES, pointer) == value


@pytest.mark.parametrize(
    "pointer",
    ["/choices/2", "/choices/00", "/choices/-1", "/choices/²", "/choices/999999999999", "/b/c"],
)
def test_where_nothing_stands_the_value_is_unset(pointer: str) -> None:
    assert value_at(CHOICES, pointer) is UNSET
