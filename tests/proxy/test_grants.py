"""How long an answer about a key holds, and what holds when none comes."""

import asyncio
from collections.abc import Awaitable, Callable

from inspector.proxy.grants import FRESH_SECONDS, MAX_LOOKUPS, MAX_REMEMBERED, STALE_SECONDS, Grants
from inspector.proxy.messages import Found, Grant, Lookup, Refusal
from inspector.proxy.route import CallRoute

ROUTE = CallRoute("digest", "openai", "/x")
GRANT = Grant(team_id=1, key_id=2, upstream="openai", base_url="https://api.example")


class Asked:
    """Grants with a clock that stands still, and what they asked for."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.lookups: list[Lookup] = []
        self.grants = Grants(self.lookups.append, lambda: self.now, lookup_seconds=0)

    async def found(self, grant: Grant | None = None, refusal: Refusal | None = None) -> object:
        """Asks, and answers the question if there is one."""
        before = len(self.lookups)
        asking = asyncio.ensure_future(self.grants.find(ROUTE))
        await asyncio.sleep(0)
        for lookup in self.lookups[before:]:
            self.grants.answer(Found(lookup.number, grant, refusal))
        return await asking


def run(test: Callable[[Asked], Awaitable[None]]) -> None:
    async def with_loop() -> None:
        await test(Asked())

    asyncio.run(with_loop())


def test_an_answer_holds_for_seconds_and_is_then_asked_for_again():
    async def test(asked: Asked) -> None:
        assert await asked.found(GRANT) is GRANT
        asked.now += FRESH_SECONDS - 1
        assert await asked.found() is GRANT
        assert len(asked.lookups) == 1
        asked.now += 1
        assert await asked.found(refusal=Refusal.UNKNOWN_KEY) is Refusal.UNKNOWN_KEY
        assert len(asked.lookups) == 2

    run(test)


def test_without_an_answer_the_one_before_holds_for_an_hour():
    async def test(asked: Asked) -> None:
        await asked.found(GRANT)
        asked.now += STALE_SECONDS - 1
        assert await asked.grants.find(ROUTE) is GRANT
        assert await asked.found(refusal=Refusal.DIRECTORY_UNAVAILABLE) is GRANT
        asked.now += 1
        assert await asked.grants.find(ROUTE) is Refusal.DIRECTORY_UNAVAILABLE

    run(test)


def test_while_nobody_answers_one_call_in_a_while_waits_for_it():
    async def test(asked: Asked) -> None:
        await asked.found(GRANT)
        asked.now += FRESH_SECONDS
        assert await asked.grants.find(ROUTE) is GRANT
        assert len(asked.lookups) == 2
        assert await asked.grants.find(ROUTE) is GRANT
        assert len(asked.lookups) == 2, "the second did not wait"
        asked.now += FRESH_SECONDS
        assert await asked.grants.find(ROUTE) is GRANT
        assert len(asked.lookups) == 2, "the question is open still"

    run(test)


def test_an_answer_for_which_nobody_waited_holds_for_the_next_call():
    async def test(asked: Asked) -> None:
        await asked.found(GRANT)
        asked.now += FRESH_SECONDS
        assert await asked.grants.find(ROUTE) is GRANT
        asked.grants.answer(Found(2, refusal=Refusal.UNKNOWN_KEY))
        assert await asked.grants.find(ROUTE) is Refusal.UNKNOWN_KEY
        assert len(asked.lookups) == 2

    run(test)


def test_who_asks_at_the_same_time_waits_for_one_answer():
    async def test(asked: Asked) -> None:
        asking = [asyncio.ensure_future(asked.grants.find(ROUTE)) for _ in range(3)]
        await asyncio.sleep(0)
        [lookup] = asked.lookups
        asked.grants.answer(Found(lookup.number, GRANT))
        assert await asyncio.gather(*asking) == [GRANT] * 3

    run(test)


def test_a_new_recorder_is_asked_again_what_is_waited_for():
    async def test(asked: Asked) -> None:
        asking = asyncio.ensure_future(asked.grants.find(ROUTE))
        await asyncio.sleep(0)
        asked.grants.ask_again()
        assert asked.lookups == [Lookup(1, "digest", "openai")] * 2
        asked.grants.answer(Found(1, GRANT))
        asked.grants.answer(Found(1, refusal=Refusal.UNKNOWN_KEY))
        assert await asking is GRANT

    run(test)


def test_a_question_that_nobody_waits_for_is_not_asked_of_a_new_recorder():
    async def test(asked: Asked) -> None:
        assert await asked.grants.find(ROUTE) is Refusal.DIRECTORY_UNAVAILABLE
        asked.grants.ask_again()
        assert len(asked.lookups) == 1
        assert await asked.found(GRANT) is GRANT

    run(test)


def test_who_asks_after_another_gave_up_waits_for_the_same_answer():
    async def test(asked: Asked) -> None:
        assert await asked.grants.find(ROUTE) is Refusal.DIRECTORY_UNAVAILABLE
        asking = asyncio.ensure_future(asked.grants.find(ROUTE))
        await asyncio.sleep(0)
        asked.grants.answer(Found(1, GRANT))
        assert await asking is GRANT
        assert len(asked.lookups) == 1

    run(test)


def test_random_keys_that_are_refused_push_no_grant_out():
    async def test(asked: Asked) -> None:
        await asked.found(GRANT)
        for number in range(MAX_REMEMBERED + 1):
            stranger = CallRoute(f"random {number}", "openai", "/x")
            asking = asyncio.ensure_future(asked.grants.find(stranger))
            await asyncio.sleep(0)
            asked.grants.answer(Found(asked.lookups[-1].number, refusal=Refusal.UNKNOWN_KEY))
            assert await asking is Refusal.UNKNOWN_KEY
        # The database is down from here on: only what is remembered holds.
        asked.now += FRESH_SECONDS
        assert await asked.found(refusal=Refusal.DIRECTORY_UNAVAILABLE) is GRANT

    run(test)


def test_a_key_that_is_refused_now_is_not_granted_by_what_was_remembered():
    async def test(asked: Asked) -> None:
        await asked.found(GRANT)
        asked.now += FRESH_SECONDS
        await asked.found(refusal=Refusal.UNKNOWN_KEY)
        asked.now += FRESH_SECONDS
        assert await asked.found(refusal=Refusal.DIRECTORY_UNAVAILABLE) is Refusal.UNKNOWN_KEY

    run(test)


async def ask_for_strangers(asked: Asked, count: int, first: int = 0) -> None:
    """Nobody answers them, and nobody waits any more."""
    for number in range(first, first + count):
        stranger = CallRoute(f"random {number}", "openai", "/x")
        assert await asked.grants.find(stranger) is Refusal.DIRECTORY_UNAVAILABLE


def test_random_keys_are_not_asked_for_beyond_the_bound():
    async def test(asked: Asked) -> None:
        await ask_for_strangers(asked, MAX_LOOKUPS + 10)
        assert len(asked.lookups) == MAX_LOOKUPS
        asked.grants.answer(Found(1, refusal=Refusal.UNKNOWN_KEY))
        assert await asked.found(GRANT) is GRANT, "an answer makes room"
        asked.grants.ask_again()
        await ask_for_strangers(asked, MAX_LOOKUPS, first=10_000)
        assert len(asked.lookups) == 1 + 2 * MAX_LOOKUPS, "and so does a new recorder"

    run(test)


def test_a_grant_is_renewed_whatever_number_of_random_keys_waits():
    async def test(asked: Asked) -> None:
        await asked.found(GRANT)
        await ask_for_strangers(asked, MAX_LOOKUPS)
        asked.now += FRESH_SECONDS
        assert await asked.found(refusal=Refusal.UNKNOWN_KEY) is Refusal.UNKNOWN_KEY
        assert asked.lookups[-1].key_sha256 == ROUTE.key_sha256

    run(test)


def test_a_key_that_was_refused_has_no_place_beyond_the_bound():
    async def test(asked: Asked) -> None:
        await asked.found(refusal=Refusal.UNKNOWN_KEY)
        await ask_for_strangers(asked, MAX_LOOKUPS)
        asked.now += FRESH_SECONDS
        assert await asked.found(GRANT) is Refusal.UNKNOWN_KEY
        assert len(asked.lookups) == 1 + MAX_LOOKUPS

    run(test)
