"""How long a search by words takes, what its index takes, and what it costs inspecting.

    python3 bench/search.py [--store sqlite] [--captures N] [--copies N] [--texts FOLDER]
        [--rounds N] [--inspections N] [--plans]

An archive of N captures is filled by rows as inspecting makes them, with answers of 1 to 4 kB: made
of the words of the text files in FOLDER, else of made-up words as frequent as those of a language.
One word is in 20 captures (rare), one in 6 of 100 (common), a phrase in 1 of 100, whose words
each are in 3. With --copies, PostgreSQL copies these captures as often, each time a while later,
without the rare word, and makes the index of words at once. Each word is searched as the list does
it, 50 newest first and then the page behind them; told are the median and the 95th percentile in
milliseconds, and the processor's time, this process's and PostgreSQL's, which other work on the
machine disturbs less. Then captures are inspected with the index and without it, in turns.
Databases are private and thrown away; PostgreSQL syncs every commit. Needs the project's
environment.
"""

from __future__ import annotations

import argparse
import logging
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import copies as copies_of  # noqa: E402
from inspecting import (  # noqa: E402
    POSTGRESQL,
    SQLITE,
    _sender,
    backend_cpu_seconds,
    inspect,
    installation,
)

RARE, COMMON, FIRST, SECOND = "rarefind", "commonfind", "firstfind", "secondfind"
RARE_CAPTURES = 20
VOCABULARY = 20_000
ROWS_AT_ONCE = 500
PART_OF = "search"
INSPECTED_AT_ONCE = 400
START = datetime(2026, 1, 1, tzinfo=UTC)


class Answers:
    """Texts of 1 to 4 kB."""

    def __init__(self, folder: Path | None) -> None:
        self._random = random.Random(7)
        self._words = _words_in(folder) if folder else []

    def one(self) -> str:
        length, words, size = self._random.randint(1_000, 4_000), [], 0
        while size < length:
            words += self._some()
            size = sum(map(len, words)) + len(words)
        return " ".join(words)[:length]

    def marked(self, number: int, captures: int) -> str:
        text = self.one()
        if number % max(1, captures // RARE_CAPTURES) == 0:
            text += f" {RARE}"
        if self._random.random() < 0.06:
            text += f" {COMMON}"
        chance = self._random.random()
        if chance < 0.01:
            return f"{text} {FIRST} {SECOND}"
        return f"{text} {FIRST} and {SECOND}" if chance < 0.03 else text

    def _some(self) -> list[str]:
        if self._words:
            at = self._random.randrange(len(self._words))
            return self._words[at : at + 40]
        # By Zipf's law, nearly: the logarithm of the rank is even.
        ranks = (int(VOCABULARY ** self._random.random()) for _ in range(40))
        return [f"w{rank:x}" for rank in ranks]


def _words_in(folder: Path) -> list[str]:
    texts = (
        path.read_text(errors="replace") for path in sorted(folder.rglob("*")) if path.is_file()
    )
    return [word for text in texts for word in re.findall(r"\w+\W*", text)][:2_000_000]


def fill(captures: int, answers: Answers) -> None:
    """Rows as one inspected capture has them, with texts of their own."""
    from inspector.archive.models import Capture, Inspection

    submit([body_of(answers.one())])
    inspect()
    inspection = Inspection.objects.select_related("capture").get()
    capture = Capture.objects.get(pk=inspection.capture_id)
    numbers = iter(range(captures))
    while some := list(islice(numbers, ROWS_AT_ONCE)):
        _insert(capture, inspection, [(n, answers.marked(n, captures)) for n in some])


def _insert(capture: Any, inspection: Any, texts: Sequence[tuple[int, str]]) -> None:
    import uuid6
    from django.db import transaction

    from inspector.archive.models import Capture, Inspection
    from inspector.core.searchable_texts import TextKind
    from inspector.core.word_parts import word_parts
    from inspector.core.words import WORDS_VERSION
    from inspector.database.bulk import bulk_insert
    from inspector.search import word_index
    from inspector.search.models import CaptureTexts
    from inspector.search.projector import pack

    captures, inspections, rows, parts = [], [], [], []
    for number, text in texts:
        capture_id, at = uuid6.uuid7(), START + timedelta(seconds=number)
        captures.append(_copy(Capture, capture, id=capture_id, received_at=at))
        inspections.append(_copy(Inspection, inspection, capture_id=capture_id, received_at=at))
        of_kinds = {
            TextKind.ANSWER: (text,),
            TextKind.PROMPT: ("You are a helpful assistant.", text[:400].replace(COMMON, "")),
            TextKind.LABEL: ("gpt-4o", f"chatcmpl-{number}"),
        }
        rows.append(
            CaptureTexts(capture_id=capture_id, index_version=WORDS_VERSION, texts=pack(of_kinds))
        )
        parts += [
            word_index.CapturePart(capture_id, capture.team_id, part)
            for part in word_parts(of_kinds)
        ]
    with transaction.atomic():
        for several in (captures, inspections, rows):
            bulk_insert(several)
        word_index.insert(parts)


COPIED = {
    "archive_capture": "id",
    "archive_inspection": "capture_id",
    "search_capturetexts": "capture_id",
    "search_indexedpart": "capture_id",
}
GIN = "indexed_part_tokens"


def copy(captures: int, copies: int) -> None:
    """Copies all rows, so that a large archive is there within minutes: inspecting as many takes
    hours.
    """
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [GIN])
        (definition,) = cursor.fetchone()
        cursor.execute(f"DROP INDEX {GIN}")
        copies_of.note_originals(cursor)
        without_rare = {"tokens": f"ts_delete(t.tokens, '{RARE}')"}
        for number in range(1, copies):
            copies_of.copy(cursor, COPIED, number * captures, without_rare)
        cursor.execute("SET maintenance_work_mem = '1GB'")
        cursor.execute(definition)


def _copy(model: type[Any], row: Any, **changed: Any) -> Any:
    values = {field.attname: getattr(row, field.attname) for field in model._meta.concrete_fields}
    return model(**values | changed)


def body_of(text: str) -> bytes:
    import msgspec

    answer = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000,
        "model": "gpt-4o",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 500, "total_tokens": 509},
    }  # fmt: skip
    return msgspec.json.encode(answer)


def submit(bodies: Sequence[bytes]) -> None:
    import msgspec

    from inspector.archive.intake import submission
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange, Request

    asked = Request(
        method="POST",
        url="https://upstream.example/v1/chat/completions",
        body=b'{"model":"gpt-4o","messages":[{"role":"user","content":"How is the weather?"}]}',
    )
    arrivals = [
        Submission(
            msgspec.structs.replace(Exchange.of_body(body, "application/json"), request=asked)
        )
        for body in bodies
    ]
    submission.accept_batch(_sender(), arrivals)


def settle() -> None:
    """What autovacuum does in the minutes after: statistics, new words put away."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def questions() -> Iterator[tuple[str, str]]:
    yield "all", ""
    yield "rare word", RARE
    yield "common word", COMMON
    yield "phrase", f'"{FIRST} {SECOND}"'
    yield "rare and common", f"{RARE} {COMMON}"
    yield "two common", f"{FIRST} {COMMON}"
    yield "prefix", f"{COMMON[:8]}*"
    yield "nowhere", "nowherefind"


def searched(text: str, rounds: int) -> list[float]:
    from django.utils import timezone

    from inspector.archive import queries
    from inspector.archive.listing.filter_params import parse_filter_params
    from inspector.teams.access import READ, Principal, TeamAccess
    from inspector.teams.models import Team

    team = Team.objects.get(slug="load")
    access = TeamAccess(team.pk, team.slug, team.name, "key", frozenset({READ}))
    captures = queries.for_principal(Principal(teams=(access,)))
    filters = parse_filter_params({"q": [text]} if text else {}, timezone.now()).filters
    times = []
    for _ in range(rounds):
        before = None
        for _ in range(2):
            began = time.perf_counter()
            page = (captures.search if text else captures.page)(before, filters=filters)
            times.append((time.perf_counter() - began) * 1_000)
            before = page.older
            if before is None:
                break
    return sorted(times)


def plans(text: str) -> None:
    from django.db import connection

    found: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        found.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        searched(text, 1)
    sql, params = next(each for each in found if "LIMIT" in each[0] and "ORDER BY" in each[0])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS) {sql}", params)
        print("\n".join(line for (line,) in cursor.fetchall()))


def index_bytes(captures: int) -> dict[str, float]:
    from django.db import connection

    if connection.vendor == "postgresql":
        sql = (
            "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
            " WHERE relname IN ('search_indexedpart', 'search_capturetexts')"
            " UNION ALL SELECT 'of it, tokens in GIN', pg_relation_size('indexed_part_tokens')"
        )
    else:
        sql = "SELECT name, SUM(pgsize) FROM dbstat WHERE name LIKE 'search_%' GROUP BY name"
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return {name: size / captures for name, size in cursor.fetchall()}


def inspecting(rounds: int, answers: Answers) -> dict[str, list[tuple[float, float]]]:
    """Milliseconds per capture, and those of the processor, with the index and without it, in
    turns.
    """
    from django.conf import settings

    from inspector.archive.inspection import projection

    with_index, cut = settings.PROJECTORS, projection.word_parts
    texts = projection.searchable_texts
    times: dict[str, list[tuple[float, float]]] = {"on": [], "off": []}
    for number in range(2 * rounds + 2):
        is_on = number % 2 == 0
        settings.PROJECTORS = [p for p in with_index if is_on or PART_OF not in p]
        projection.word_parts = cut if is_on else lambda texts: []
        projection.searchable_texts = texts if is_on else lambda request, analysis: {}
        bodies = [body_of(answers.one()) for _ in range(INSPECTED_AT_ONCE)]
        began, used = time.perf_counter(), processor_seconds()
        for at in range(0, INSPECTED_AT_ONCE, 100):
            submit(bodies[at : at + 100])
        made = inspect()
        assert made.captures == INSPECTED_AT_ONCE
        # The first two warm up.
        if number > 1:
            taken = time.perf_counter() - began, processor_seconds() - used
            each, of_processor = (seconds * 1_000 / made.captures for seconds in taken)
            times["on" if is_on else "off"].append((each, of_processor))
    settings.PROJECTORS, projection.word_parts, projection.searchable_texts = (
        with_index,
        cut,
        texts,
    )
    return times


def processor_seconds() -> float:
    return time.process_time() + backend_cpu_seconds()


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def tell(asked: argparse.Namespace) -> None:
    answers = Answers(asked.texts)
    seconds = timed(lambda: fill(asked.captures, answers))
    if asked.copies > 1:
        seconds += timed(lambda: copy(asked.captures, asked.copies))
    settle()
    captures = asked.captures * asked.copies
    table = Table("searched", "p50 ms", "p95 ms", "processor ms", box=None)
    for name, text in questions():
        searched(text, 1)
        used = processor_seconds()
        times = searched(text, asked.rounds)
        used = (processor_seconds() - used) * 1_000 / len(times)
        p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
        table.add_row(name, f"{times[len(times) // 2]:.1f}", f"{p95:.1f}", f"{used:.1f}")
    console = Console(width=100)
    console.print(f"{asked.store}, {captures:,} captures, filled in {seconds:.0f} s")
    console.print(table)
    for name, size in index_bytes(captures).items():
        console.print(f"{name}: {size:,.0f} bytes a capture")
    if asked.plans:
        for _, text in questions():
            console.print(f"--- {text}")
            plans(text)
    times_of = inspecting(asked.inspections, answers)
    for number, of_what in enumerate(("", " of the processor")):
        on, off = (median(each[number] for each in times_of[which]) for which in ("on", "off"))
        console.print(
            f"accepted to findable: {on:.2f} ms{of_what} each with the index, {off:.2f} without"
            f" ({on / off - 1:+.0%})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", choices=(POSTGRESQL, SQLITE), default=POSTGRESQL)
    parser.add_argument("--captures", type=int, default=10_000)
    parser.add_argument("--copies", type=int, default=1, help="of them, on PostgreSQL")
    parser.add_argument("--texts", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--inspections", type=int, default=5, help="rounds with and without")
    parser.add_argument("--plans", action="store_true", help="of PostgreSQL, for each search")
    asked = parser.parse_args()
    logging.disable()
    with installation(asked.store):
        tell(asked)


if __name__ == "__main__":
    main()
