import pytest
from django.conf import LazySettings
from django.test import Client

from api import rate_limits
from inspector.web import token_buckets
from inspector.web.token_buckets import TokenBuckets
from tests.people import Person, ask, bearer

ROOT = "/api/v1/"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rate_limits, "_keys", TokenBuckets(2.0, clock))
    monkeypatch.setattr(rate_limits, "_failures", TokenBuckets(30.0, clock))
    return clock


def test_a_burst_is_free_and_then_the_rate_holds() -> None:
    clock = Clock()
    buckets = TokenBuckets(2.0, clock)
    assert [buckets.wait("a", 5) for _ in range(10)] == [0] * 10
    assert buckets.wait("a", 5) == pytest.approx(0.2)
    assert buckets.wait("b", 5) == 0
    clock.now += 0.2
    assert buckets.wait("a", 5) == 0
    assert buckets.wait("a", 5) > 0
    clock.now += 1_000
    assert [buckets.wait("a", 5) for _ in range(11)].count(0) == 10


def test_what_is_refused_costs_nothing() -> None:
    clock = Clock()
    buckets = TokenBuckets(1.0, clock)
    for _ in range(100):
        buckets.wait("a", 1)
    clock.now += 1
    assert buckets.wait("a", 1) == 0


def test_what_costs_more_than_a_bucket_holds_is_taken_from_a_full_one_and_owed() -> None:
    clock = Clock()
    buckets = TokenBuckets(2.0, clock)
    assert buckets.wait("a", 5, cost=30) == 0
    assert buckets.wait("a", 5, cost=1) == pytest.approx(4.2)
    clock.now += 4.2
    assert buckets.wait("a", 5, cost=1) == 0


def test_memory_is_bounded_and_longest_unused_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_buckets, "REMEMBERED", 3)
    filled = TokenBuckets(1.0, Clock())
    for who in "abcad":
        filled.wait(who, 1)
    assert list(filled._filled) == ["c", "a", "d"]


def test_a_key_over_its_rate_is_told_when_to_go_on(
    owner: Person, teammate: Person, settings: LazySettings, fresh: Clock
) -> None:
    settings.REQUESTS_PER_SECOND = 0.25
    assert owner.get(ROOT).status == 200
    refused = owner.get(ROOT)
    assert (refused.status, refused.code) == (429, "too_many_requests")
    assert refused.headers["Retry-After"] == "4"
    assert teammate.get(ROOT).status == 200
    fresh.now += 4
    assert owner.get(ROOT).status == 200


def test_keys_that_are_none_are_counted_by_address_and_good_ones_pass(
    owner: Person, settings: LazySettings
) -> None:
    settings.FAILED_KEYS_PER_SECOND = 0.1
    for _ in range(3):
        assert ask("GET", ROOT, headers=bearer("ri_guess")).status == 401
    refused = ask("GET", ROOT, headers=bearer("ri_guess"))
    assert (refused.status, refused.headers["Retry-After"]) == (429, "10")
    assert ask("GET", ROOT).status == 429
    assert owner.get(ROOT).status == 200


def test_a_network_of_ipv6_is_one_address(owner: Person, settings: LazySettings) -> None:
    """The owner of one address there has 2⁶⁴ of them."""
    settings.FAILED_KEYS_PER_SECOND = 0.1

    def status_from(address: str) -> int:
        headers = bearer("ri_guess")
        return Client(REMOTE_ADDR=address).get(ROOT, headers=headers).status_code

    assert [status_from(f"2001:db8:1:2::{n}") for n in range(1, 6)] == [401] * 3 + [429] * 2
    assert status_from("2001:db8:1:3::1") == 401


def test_the_limit_is_told(owner: Person, settings: LazySettings) -> None:
    settings.REQUESTS_PER_SECOND = 500
    assert owner.get(ROOT).json["limits"]["requests_per_second"] == 500
