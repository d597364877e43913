"""Exports an archive of a million captures, forecasts what retention would delete, and deletes it
while others arrive; then looks for what should be gone.

    python3 bench/forgetting.py [--captures N] [--copies N] [--arrivals N] [--no-export]

N captures of 2 kB (every third an event stream) of six days are inspected by PostgreSQL, which
syncs every commit, and copied by SQL; 200 canaries are among them, each in a body, a prompt, an
address, a note, a tag and metadata. Told: the export's rate and memory; the forecast; captures
deleted by a retention rule (older than three days) and by a job (those before the last day), with
how long arrivals waited meanwhile, by minute; the sums against a recount of what is left; room
before, after, and when it was vacuumed. Canaries are looked for in all rows, in the files (as text
and as they were stored), in the log (WAL), and in a backup. The archive is private and thrown away.
A million takes an hour and 60 GB. Needs the project's environment.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import copies  # noqa: E402
import payloads  # noqa: E402
import totals  # noqa: E402
from deletion import MB, PERCENTILES, TEAM, arrivals, used_bytes  # noqa: E402
from inspecting import (  # noqa: E402
    JSON,
    PER_BATCH,
    POSTGRESQL,
    SSE,
    _sender,
    inspect,
    installation,
)

CANARIES = 200
MARK = "canary7f3a91c2"
"""All begin so; their number follows."""
RANDOM = random.Random(5)
WORDS = ["".join(RANDOM.choices("abcdefghijklmnop", k=6)) for _ in range(20_000)]
HOURS = 6 * 24
RULE_DAYS = 3
TABLES = {
    "archive_capture": "id",
    "archive_evidence": "capture_id",
    "archive_document": "capture_id",
    "archive_inspection": "capture_id",
    "archive_choicerow": "capture_id",
    "archive_findingrow": "capture_id",
    "archive_tagrow": "capture_id",
    "usage_price": "capture_id",
    "usage_storedcontribution": "capture_id",
    "search_capturetexts": "capture_id",
    "search_indexedpart": "capture_id",
}
GIN = "indexed_part_tokens"
NEEDLE_BYTES = 20


def main() -> None:
    asked = _asked()
    with installation(POSTGRESQL), tempfile.TemporaryDirectory(prefix="forgetting-") as folder:
        logging.disable(logging.INFO)
        fill(asked)
        needles = stored_needles()
        if asked.export:
            export(Path(folder))
        forecast()
        room = used_bytes()
        for name, delete in (("rule", delete_by_rule), ("job", delete_by_job)):
            with arrivals(asked) as waits:
                captures, seconds = delete()
            tell_deletion(name, captures, seconds, waits)
        print(f"room: {room / MB:,.0f} MB before, {used_bytes() / MB:,.0f} MB after", flush=True)
        counted = totals.same_as_all(totals.of_sums(TEAM), totals.of_documents())
        print(f"sums and recount of what is left: {'equal' if counted == '=' else counted}")
        look(needles, Path(folder))


# -- an archive -----------------------------------------------------------------------------------


def fill(asked: argparse.Namespace) -> None:
    from django.db import connection

    began = time.monotonic()
    send_all(asked.captures)
    inspect()
    with connection.cursor() as cursor:
        for setting in ("max_wal_size = '16GB'", "checkpoint_timeout = '1h'"):
            cursor.execute(f"ALTER SYSTEM SET {setting}")
        cursor.execute("SELECT pg_reload_conf()")
        cursor.execute("SET synchronous_commit = off")
        copies.note_originals(cursor)
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [GIN])
        (definition,) = cursor.fetchone()
        cursor.execute(f"DROP INDEX {GIN}")
        for number in range(1, asked.copies):
            copies.copy(cursor, TABLES, number * 10, {})
        multiply_sums(cursor, asked.copies)
        cursor.execute("SET maintenance_work_mem = '1GB'")
        cursor.execute(definition)
        for setting in ("max_wal_size", "checkpoint_timeout"):
            cursor.execute(f"ALTER SYSTEM RESET {setting}")
        cursor.execute("SELECT pg_reload_conf()")
        cursor.execute("SET synchronous_commit = on")
        send_canaries()
        inspect()
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT count(*) FROM archive_capture")
        (rows,) = cursor.fetchone()
    print(f"{rows:,} captures after {time.monotonic() - began:.0f} s", flush=True)


def send_all(captures: int) -> None:
    for start in range(0, captures, PER_BATCH):
        send(
            (payloads.stream(2000), SSE, {}) if number % 3 == 0 else (answer(), JSON, {})
            for number in range(start, start + PER_BATCH)
        )
    spread(captures)


def answer(mark: str = "") -> bytes:
    """Of 2 kB, with words that are as many as those of a language."""
    body = json.loads(payloads.answer())
    message = body["choices"][0]["message"]
    words = " ".join(RANDOM.choices(WORDS, k=len(message["content"]) // 7))
    message["content"] = f"{mark} {words}"
    return json.dumps(body).encode()


def send_canaries() -> None:
    from inspector.archive.models import Capture

    made = [f"{MARK}{number:04}" for number in range(CANARIES)]
    for start in range(0, CANARIES, PER_BATCH):
        send((answer(each), JSON, canary(each)) for each in made[start : start + PER_BATCH])
    ids = list(Capture.objects.filter(metadata__has_key="canary").values_list("pk", flat=True))
    for number, pk in enumerate(ids):
        # Some go by the rule, the others by the job.
        at = first_hour() + timedelta(hours=number % (HOURS - 48), seconds=5)
        Capture.objects.filter(pk=pk).update(received_at=at)


def send(arrivals: Iterator[tuple[bytes, str, dict[str, Any]]]) -> None:
    import msgspec

    from inspector.archive.intake import submission
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange

    sent = []
    for body, kind, said in arrivals:
        exchange = Exchange.of_body(body, kind)
        if "exchange" in said:
            exchange = msgspec.structs.replace(exchange, **said["exchange"])
        sent.append(Submission(exchange, **said.get("submission", {})))
    submission.accept_batch(_sender(), sent)


def canary(mark: str) -> dict[str, Any]:
    from inspector.core.wire.exchange import Request

    asked = f'{{"model":"m","messages":[{{"role":"user","content":"{mark} asked"}}]}}'
    request = Request(method="POST", url=f"https://llm.example/{mark}", body=asked.encode())
    return {
        "exchange": {"request": request},
        "submission": {"note": mark, "tags": (mark,), "metadata": {"canary": mark}},
    }


def first_hour() -> datetime:
    from django.utils import timezone

    now = timezone.now().replace(minute=0, second=0, microsecond=0)
    return now - timedelta(hours=HOURS)


def spread(captures: int) -> None:
    """Over six days, within the first minutes of each hour: copies stay in the hour of their
    original, so that sums are those of the originals as often as they were copied.
    """
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "WITH numbered AS"
            " (SELECT id, row_number() OVER (ORDER BY id) AS n FROM archive_capture)"
            " UPDATE archive_capture c SET received_at ="
            " %s + make_interval(hours => (n %% %s)::int, secs => n %% 300)"
            " FROM numbered WHERE numbered.id = c.id",
            [first_hour(), HOURS],
        )


def multiply_sums(cursor: Any, times: int) -> None:
    from inspector.usage.models import BUCKETS

    for table, columns in (
        ("usage_usagesum", ("captures", "total")),
        ("usage_octave", tuple(BUCKETS)),
    ):
        changes = ", ".join(f"{name} = {name} * {times}" for name in columns)
        cursor.execute(f"UPDATE {table} SET {changes}")


# -- what is done with it -------------------------------------------------------------------------


def export(folder: Path) -> None:
    """As the command on the host does it."""
    path, began = folder / "all.jsonl", time.monotonic()
    command = ["manage.py", "export_archive", str(path), "--team", TEAM]
    process = subprocess.Popen([sys.executable, *command], cwd=ROOT)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    assert status == 0, status
    with path.open("rb") as file:
        lines = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    print(
        f"export: {lines:,} lines, {path.stat().st_size / MB:,.0f} MB in {seconds:.0f} s,"
        f" {lines / seconds:,.0f} a second, at most {used.ru_maxrss / 1024:.0f} MB of memory",
        flush=True,
    )
    path.unlink()


def forecast() -> None:
    from inspector.archive.background import retention_rules

    rule, began = added_rule(), time.monotonic()
    found = retention_rules.forecast(owner(), rule)
    print(f"forecast in {time.monotonic() - began:.1f} s: {found}", flush=True)


def owner() -> Any:
    from inspector.teams.access import for_team

    found = for_team(TEAM)
    assert found is not None
    return found


def added_rule() -> int:
    from inspector.archive.background import retention_rules
    from inspector.archive.background.retention_rules import RetentionRuleStatus
    from inspector.archive.models import RetentionClock

    rule = retention_rules.add_rule(owner(), RetentionClock.CAPTURES, "", RULE_DAYS)
    assert isinstance(rule, RetentionRuleStatus), rule
    return rule.id


def delete_by_rule() -> tuple[int, float]:
    from inspector.archive.background import retention_rules, retention_steps

    number = added_rule()
    retention_rules.turn_rule(owner(), number, on=True)
    began = time.monotonic()
    while retention_steps.step():
        pass
    status = retention_rules.rule_status(owner(), number)
    assert status is not None and status.error is None, status
    return status.deleted, time.monotonic() - began


def delete_by_job() -> tuple[int, float]:
    """What arrived before the last day."""
    from django.utils import timezone

    from inspector.archive.background import bulk_jobs, bulk_steps
    from inspector.archive.background.bulk_jobs import BulkJobStatus
    from inspector.archive.listing.filter_params import parse_filter_params
    from inspector.archive.queries import for_principal

    conditions = parse_filter_params({"until": ["1d"]}, timezone.now())
    assert not conditions.mistakes, conditions.mistakes
    began = time.monotonic()
    number = for_principal(owner()).exact_count(conditions.filters)
    print(f"count before the job: {number} in {time.monotonic() - began:.1f} s", flush=True)
    job = bulk_jobs.request_bulk_deletion(owner(), conditions, number or 0)
    assert isinstance(job, BulkJobStatus), job
    began = time.monotonic()
    while bulk_steps.step():
        pass
    ended = bulk_jobs.bulk_job(owner(), job.id)
    assert ended is not None and (ended.state, ended.changed) == ("finished", number), ended
    return ended.changed, time.monotonic() - began


def tell_deletion(name: str, captures: int, seconds: float, waits: Sequence[float]) -> None:
    print(f"{name}: {captures:,} deleted in {seconds:.0f} s, {captures / seconds:,.0f} a second")
    if not waits:
        return
    of_minute = max(1, round(len(waits) / max(1.0, seconds / 60)))
    worst = [
        quantiles(waits[at : at + of_minute], n=PERCENTILES)[98]
        for at in range(0, len(waits) - of_minute + 1, of_minute)
    ]
    cuts = quantiles(waits, n=PERCENTILES)
    print(
        f"  {len(waits):,} arrivals meanwhile: median {cuts[49] * 1e3:.0f} ms,"
        f" p99 {cuts[98] * 1e3:.0f} ms, longest {max(waits) * 1e3:.0f} ms;"
        f" p99 of each minute {', '.join(f'{each * 1e3:.0f}' for each in worst)}",
        flush=True,
    )


# -- what is looked for afterwards ----------------------------------------------------------------


def stored_needles() -> list[bytes]:
    """Parts of what canaries are stored as (compressed), without line ends, for ``grep``."""
    from django.db import connection

    found = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM archive_capture WHERE metadata ? 'canary'")
        ids = [each for (each,) in cursor.fetchall()]
        assert len(ids) == CANARIES
        for table in ("archive_evidence", "archive_document", "search_capturetexts"):
            cursor.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass"
                " AND atttypid = 'bytea'::regtype AND NOT attisdropped",
                [table],
            )
            for (column,) in cursor.fetchall():
                cursor.execute(f'SELECT "{column}" FROM {table} WHERE capture_id = ANY(%s)', [ids])
                values = [bytes(value) for (value,) in cursor.fetchall() if value]
                needles = [needle for value in values if (needle := _needle(value))]
                print(f"  {len(needles)} needles of {table}.{column}")
                found += needles
    return found


def _needle(value: bytes) -> bytes | None:
    """From the middle: what begins a value, others begin with, too."""
    middle = len(value) // 2
    for start in range(middle, len(value) - NEEDLE_BYTES):
        piece = value[start : start + NEEDLE_BYTES]
        if b"\n" not in piece and b"\0" not in piece:
            return piece
    return None


def look(needles: Sequence[bytes], folder: Path) -> None:
    from django.db import connection

    print(f"canaries in rows: {in_rows()}", flush=True)
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        (data,) = cursor.fetchone()
    looked = folder / "needles"
    looked.write_bytes(b"\n".join([MARK.encode(), *needles]) + b"\n")
    print(f"in files at once: {in_files(Path(data), looked)}", flush=True)
    for step, statements in DOCUMENTED:
        began = time.monotonic()
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        print(
            f"in files after {step} ({time.monotonic() - began:.0f} s):"
            f" {in_files(Path(data), looked)}; {used_bytes() / MB:,.0f} MB",
            flush=True,
        )
    print(f"in a backup: {in_backup(folder)}", flush=True)


# As docs/forgetting.md says.
DOCUMENTED = (
    ("VACUUM", ("VACUUM",)),
    ("VACUUM FULL", ("DELETE FROM pg_catalog.pg_statistic", "VACUUM (FULL, ANALYZE)")),
    ("CHECKPOINT", ("CHECKPOINT", "CHECKPOINT")),
    (
        "a new log",
        (
            "ALTER SYSTEM SET wal_recycle = off",
            "SELECT pg_reload_conf()",
            # Files that were kept for later writing hold old bytes until their turn.
            *(["SELECT pg_logical_emit_message(true, '', ''), pg_switch_wal()"] * 100),
            "CHECKPOINT",
            "CHECKPOINT",
        ),
    ),
)


def in_rows() -> dict[str, int]:
    """By table, in the text of its rows; bytes are written as hexadecimal digits there."""
    from django.db import connection

    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(
                f"SELECT count(*) FROM {table} t WHERE position(%s in t::text) > 0"
                " OR position(%s in t::text) > 0",
                [MARK, MARK.encode().hex()],
            )
            (number,) = cursor.fetchone()
            if number:
                found[table] = number
    return found


def in_files(data: Path, needles: Path) -> dict[str, int]:
    """Lines with such places, by table or index, or the log."""
    command = ["grep", "-r", "-a", "-o", "-c", "-F", "-f", str(needles), str(data)]
    told = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, check=False
    ).stdout
    found: Counter[str] = Counter()
    for line in told.splitlines():
        path, _, number = line.rpartition(":")
        if int(number):
            found["WAL" if "/pg_wal/" in path else _relation(Path(path).name)] += int(number)
    return dict(found)


def _relation(file: str) -> str:
    from django.db import connection

    number = re.match(r"\d+", file)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(owner.relname || ' (toast)', one.relname) FROM pg_class one"
            " LEFT JOIN pg_class owner ON owner.reltoastrelid = one.oid"
            " WHERE pg_relation_filenode(one.oid) = %s",
            [int(number[0]) if number else 0],
        )
        row = cursor.fetchone()
    return str(row[0]) if row else file


def in_backup(folder: Path) -> int:
    import zstandard

    path = folder / "after.backup"
    command = [sys.executable, "manage.py", "backup", str(path)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    found, text = 0, re.compile(MARK.encode())
    with tarfile.open(path) as tar:
        for member in tar:
            file = tar.extractfile(member)
            assert file is not None
            whole = file.read()
            if whole.startswith(b"\x28\xb5\x2f\xfd"):
                whole = zstandard.ZstdDecompressor().decompressobj().decompress(whole)
            found += len(text.findall(whole))
    return found


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--captures", type=int, default=10_000)
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--arrivals", type=float, default=100)
    parser.add_argument("--no-export", dest="export", action="store_false")
    parser.set_defaults(bytes=2000, stream=False)
    return parser.parse_args()


if __name__ == "__main__":
    main()
