"""The player of the pages, in a real browser but without a page: states at moments, and its clock."""

import random
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page

from inspector.core.exchange import Exchange, Read
from inspector.core.reading import read
from inspector.dashboard.drawing import drawing
from inspector.operations.samples import samples
from tests.archive.samples import SSE
from tests.browser.moments import case_of, is_snapshot, open_player, unlike
from tests.core.test_dialects import snapshot
from tests.dashboard.captured import DONE, TWO_CHOICES, call, chunk, delta

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


def drawn(exchange: Exchange) -> Any:
    finished = read(exchange)
    shown = drawing(finished.analysis(), finished.tape(), finished.snapshots())
    return msgspec.to_builtins(shown)


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


ODD = exchange(
    (200_000, chunk(delta(content="one "))),
    (900_000, chunk(delta(content="two "))),
    (300_000, chunk(delta(content="three "))),
    (1_000_000, chunk(delta(finish_reason="stop")) + DONE),
)
WORDS = [
    (
        100_000 * n,
        chunk(delta(0, content=f"\N{GRINNING FACE}word{n} ")) + chunk(delta(1, content="y")),
    )
    for n in range(1, 60)
]


def test_a_state_is_what_reading_says_of_the_reads_up_to_then(player_page: Page) -> None:
    chance = random.Random(CHANCE)
    exchanges = {each.note: each.exchange for each in samples()}
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


def test_columns_that_come_later_extend_those_before(player_page: Page) -> None:
    told = player_page.evaluate(
        """async (drawn) => {
          const { Player } = await import("/dashboard/player.js");
          const { columnsOf } = await import("/dashboard/tape.js");
          const all = columnsOf(drawn);
          const whole = new Player(all);
          const grown = new Player();
          const heard = [];
          grown.listen((player) => heard.push(player.passed));
          const some = (columns, from, to) => Object.fromEntries(
            Object.entries(columns).map(([name, list]) => [name, list.slice(from, to)]));
          const reads = all.reads.byte_end.length;
          const said = all.lanes.map(() => 0);
          let event = 0, piece = 0, mark = 0, lanes = 0;
          for (let read = 0; read < reads; read++) {
            const last = [event, piece, mark, lanes];
            while (all.events.byte_end[event] <= all.reads.byte_end[read]) event++;
            while (all.pieces.event[piece] < event) lanes = Math.max(lanes, all.pieces.lane[piece++] + 1);
            while (all.marks.event[mark] < event) mark++;
            const pieces = some(all.pieces, last[1], piece);
            const texts = pieces.lane.map((lane, i) => [lane, all.texts[lane][1].slice(
              pieces.start_u16[i], pieces.start_u16[i] + pieces.length_u16[i])]);
            grown.append({
              clock: all.clock, reads: some(all.reads, read, read + 1), events: some(all.events, last[0], event),
              lanes: all.lanes.slice(last[3], lanes), pieces, marks: some(all.marks, last[2], mark), texts,
            });
          }
          const state = (player) => [0, 100000, 2550000, 1e9].map((moment) => {
            player.seek(moment);
            return [player.passed, player.marksPassed, player.chunksPassed,
              player.lanes.map((lane) => [player.lengthOf(lane), player.lastEventOf(lane), player.textOf(lane)])];
          });
          return { whole: state(whole), grown: state(grown), heard: heard.slice(0, reads) };
        }""",
        drawn(exchange(*WORDS)),
    )
    assert told["grown"] == told["whole"]
    assert told["heard"] == [2 * n for n in range(1, 60)]


PLAYED = """
async ({ drawn, ask }) => {
  const { Player } = await import("/dashboard/player.js");
  const { columnsOf } = await import("/dashboard/tape.js");
  const player = new Player(columnsOf(drawn));
  return new Function("player", `return ${ask}`)(player);
}
"""


def played(page: Page, exchange: Exchange, ask: str) -> Any:
    return page.evaluate(PLAYED, {"drawn": drawn(exchange), "ask": ask})


def test_before_any_seek_everything_has_come(player_page: Page) -> None:
    ask = "[player.passed, player.textOf(player.lanes[1]), player.marksPassed]"
    assert played(player_page, exchange(*TWO_CHOICES), ask) == [10, "Ship from Leipzig.", 4]


def test_a_time_that_contradicts_others_is_not_believed(player_page: Page) -> None:
    ask = """[player.timed, player.end, [0, 1, 2, 3].map((event) => [player.momentOf(event), player.isKnown(event)]),
      [200000, 500000, 900000, 1000000].map((moment) => (player.seek(moment), player.textOf(player.lanes[0])))]"""
    timed, end, events, texts = played(player_page, ODD, ask)
    assert (timed, end) == (True, 1_000_000)
    assert events == [
        [200_000, True], [200_000, False], [200_000, False], [1_000_000, True],
    ]  # fmt: skip
    assert texts == ["one two three "] * 4


def test_a_clock_that_stands_still_leaves_the_order(player_page: Page) -> None:
    still = exchange(*((0, text) for _, text in TWO_CHOICES))
    ask = "[player.timed, player.end, (player.seek(1), player.textOf(player.lanes[0]))]"
    assert played(player_page, still, ask)[0] is False
    backwards = exchange(*((900_000 - at, text) for at, text in TWO_CHOICES))
    assert played(player_page, backwards, ask)[0] is False
    assert played(player_page, exchange(*TWO_CHOICES), ask)[0] is True


def test_steps_go_from_chunk_to_chunk_and_past_what_came_together(player_page: Page) -> None:
    reads = [
        (100_000, chunk(delta(content="a")) + chunk(delta(content="b"))),
        (200_000, ": still here\n\n"),
        (300_000, chunk(delta(0, **call("{}", name="book")))),
        (400_000, DONE),
    ]
    ask = "[player.chunkFrom(-Infinity, 1), player.chunkFrom(100000, 1), player.chunkFrom(300000, 1), player.chunkFrom(300000, -1), player.chunkFrom(100000, -1)]"  # noqa: E501
    assert played(player_page, exchange(*reads), ask) == [100_000, 300_000, None, 100_000, None]


def test_two_players_go_by_one_clock(player_page: Page) -> None:
    told = player_page.evaluate(
        """async ([one, other]) => {
          const { Player } = await import("/dashboard/player.js");
          const { Clock } = await import("/dashboard/clock.js");
          const { columnsOf } = await import("/dashboard/tape.js");
          const players = [one, other].map((drawn) => new Player(columnsOf(drawn)));
          const clock = new Clock(...players);
          const moments = [];
          while (clock.step(1)) moments.push(clock.moment);
          const back = (clock.step(-1), clock.moment);
          clock.setSpeed(16);
          clock.seek(0);
          clock.play();
          await new Promise((done) => clock.listen(() => clock.running || done()));
          return { moments, back, end: players.map((player) => player.moment), texts: players.map((player) => player.textOf(player.lanes[0])) };
        }""",  # noqa: E501
        [
            drawn(
                exchange((100_000, chunk(delta(content="a"))), (900_000, chunk(delta(content="b"))))
            ),  # noqa: E501
            drawn(exchange((400_000, chunk(delta(content="c"))), (500_000, DONE))),
        ],
    )
    assert told["moments"] == [100_000, 400_000, 900_000]
    assert told["back"] == 400_000
    assert told["end"] == [900_000, 900_000]
    assert told["texts"] == ["ab", "c"]
