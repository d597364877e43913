"""The player of the pages, in a real browser but without a page: its states are what the core reads."""

import random
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page

from inspector.core.wire.exchange import Exchange, Read
from tests.archive.samples import SSE
from tests.browser.moments import case_of, is_snapshot, open_player, unlike
from tests.core.formats.test_dialects import snapshot
from tests.dashboard.capture.samples import TWO_CHOICES, chunk, delta
from tests.operations.recordings import recordings

CHANCE = 20_261_122


@pytest.fixture
def browser_context_args() -> dict[str, Any]:
    """No server is needed."""
    return {}


@pytest.fixture
def player_page(page: Page) -> Page:
    open_player(page)
    return page


def exchange(*reads: tuple[int | None, str | bytes]) -> Exchange:
    whole = [Read(at, text.encode() if isinstance(text, str) else text) for at, text in reads]
    return Exchange.of_reads(whole, SSE)


def snapshots() -> Exchange:
    """Four that each say everything again; the third takes something back."""
    texts = (
        b"{}",
        b'{\\"city\\":\\"Bas\\"}',
        b'{\\"city\\":\\"Berne\\"}',
        b'{\\"city\\":\\"Berne\\",\\"n\\":1}',
    )
    reads = [(100_000 * n, snapshot(text)) for n, text in enumerate(texts, 1)]
    end = snapshot(b"", b',"finish_reason":"stop","cost_usd":0.001')
    return exchange(*reads, (500_000, end))


def cut(exchange: Exchange, length: int) -> Exchange:
    """The same bytes in small reads, 10 ms apart: they end inside events and characters."""
    body = exchange.body
    starts = range(0, len(body), length)
    reads = [
        Read(10_000 + 10_000 * n, body[at : at + length])
        for n, at in enumerate(starts)
    ]  # fmt: skip
    return msgspec.structs.replace(exchange, reads=tuple(reads))


WORDS = [
    (
        100_000 * n,
        chunk(delta(0, content=f"\N{GRINNING FACE}word{n} ")) + chunk(delta(1, content="y")),
    )
    for n in range(1, 60)
]


def test_a_state_is_what_reading_says_of_the_reads_up_to_then(player_page: Page) -> None:
    chance = random.Random(CHANCE)
    exchanges = {each.note: each.exchange for each in recordings()}
    exchanges["two choices"] = exchange(*TWO_CHOICES)
    exchanges["sixty words"] = exchange(*WORDS)
    exchanges["snapshots"] = snapshots()
    exchanges |= {f"{name}, cut": cut(each, 37) for name, each in exchanges.items()}
    cases = [case_of(name, each, chance) for name, each in exchanges.items()]
    streams = [case for case in cases if case is not None]
    assert sum(len(case.moments) for case in streams) > 50
    assert any(is_snapshot(case) and any(m.texts for m in case.moments) for case in streams)
    assert list(unlike(player_page, streams)) == []


def test_a_player_that_forgets_a_piece_would_be_told(player_page: Page) -> None:
    case = case_of("sixty words", exchange(*WORDS), random.Random(CHANCE))
    assert case is not None
    pieces = case.drawn["tape"]["pieces"]
    pieces["length_u16"] = [length - 1 for length in pieces["length_u16"]]
    assert list(unlike(player_page, [case]))
