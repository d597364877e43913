"""That the benchmark of growth asks for every address and every panel, or says why not."""

import pytest

from bench import asked


def test_every_method_of_every_address_is_asked_or_left_out_with_a_reason() -> None:
    assert asked.unsaid() == []


def test_an_address_that_stands_nowhere_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(asked.ASKED)
    del known["GET dashboard:lines"]
    monkeypatch.setattr(asked, "ASKED", known)
    monkeypatch.setattr(asked, "PANELS", {"nothing": ("nothing=all",)})
    assert asked.unsaid() == ["GET dashboard:lines", "nothing"]
