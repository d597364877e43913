"""Cost of a session: of the worker for each of its captures, and of a reader of its pages.

    python3 bench/sessions.py [--store postgresql] [--turns N ...] [--bytes N] [--together N]
                              [--beside N] [--restart N] [--lone] [--rounds N]

Each session is an agent's loop whose prompt begins with ``--bytes`` bytes, grows by a call and its
result, and begins anew after ``--restart`` calls: no model reads ten thousand answers. Captures are
accepted and inspected in this very process, ``--together`` at a time. Told are the statements and
the processor time that sessions take of it, what they store, then each page: median and 95th
percentile in milliseconds, those of this processor, bytes, statements, and the most memory that
Python held meanwhile. With ``--lone`` the calls state no session and share no prompt.
Databases are private and thrown away. Needs the project's environment.
"""

import argparse
import json
import logging
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import payloads  # noqa: E402
from archive import counted, got, timed  # noqa: E402
from inspecting import POSTGRESQL, SQLITE, inspect, installation, sender  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
PERSON, TEAM = "bench", "load"
MB = 1_000_000


class Spent:
    """Statements and processor time that sessions took while captures were inspected."""

    def __init__(self) -> None:
        self.statements = self.seconds = 0.0

    def by(self, answer: Callable[..., None]) -> Callable[..., None]:
        def measured(changes: Any) -> None:
            began = time.process_time()
            with counted() as statements:
                answer(changes)
            self.seconds += time.process_time() - began
            self.statements += len(statements)

        return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", choices=[SQLITE, POSTGRESQL], default=SQLITE)
    parser.add_argument("--turns", type=int, nargs="+", default=[10, 100, 500])
    parser.add_argument("--bytes", type=int, default=4_000)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--beside", type=int, default=1, help="sessions that run at once")
    parser.add_argument("--restart", type=int, default=200, help="calls until a prompt begins anew")
    parser.add_argument("--lone", action="store_true")
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    with installation(asked.store):
        logging.disable(logging.WARNING)
        from django.core.management import call_command

        who = sender()
        call_command("create_owner", PERSON, "--team", TEAM, stdout=StringIO())
        call_command("collectstatic", interactive=False, verbosity=0)
        shown = Table(
            "calls",
            "page",
            "p50 ms",
            "p95 ms",
            "processor ms",
            "kB",
            "statements",
            "MB held",
            box=None,
        )
        for turns in asked.turns:
            tell_worker(turns, who, asked)
            for name, ask in () if asked.lone else pages(turns):
                shown.add_row(f"{turns:,}", name, *measured(ask, asked.rounds))
        Console(width=110).print(shown)


def tell_worker(turns: int, who: Any, asked: argparse.Namespace) -> None:
    from django.db.models import Sum
    from django.db.models.functions import Length

    from inspector.sessions import subscriber
    from inspector.sessions.models import Turn

    answer, spent = subscriber.inspected, Spent()
    before = Turn.objects.count()
    subscriber.inspected = spent.by(answer)
    began = time.process_time()
    send(turns, who, asked)
    seconds, calls = time.process_time() - began, turns * asked.beside
    subscriber.inspected = answer
    sizes = {name: Length(name) for name in ("call", "digests", "outline", "changes")}
    rows = Turn.objects.order_by("-received_at", "-pk")[: Turn.objects.count() - before]
    stored = rows.annotate(**{f"{name}_bytes": each for name, each in sizes.items()})
    kept = stored.aggregate(**{name: Sum(f"{name}_bytes") for name in sizes})
    print(
        f"{asked.store}: {turns:,} calls, {asked.together} together: sessions took"
        f" {spent.statements / calls:.1f} statements and {spent.seconds / calls * 1e3:.1f} ms"
        f" of {seconds / calls * 1e3:.1f} ms each; kept of each, bytes:",
        ", ".join(f"{name} {(kept[name] or 0) // calls:,}" for name in sizes),
        flush=True,
    )


def send(turns: int, who: Any, asked: argparse.Namespace) -> None:
    from inspector.archive.intake import submission

    arrivals = list[Any]()
    for number, (request, answer) in enumerate(calls(turns, asked), 1):
        for beside in range(asked.beside):
            stated = "" if asked.lone else named(turns, beside)
            arrivals.append(arrival(number, request, answer % beside, stated))
            if len(arrivals) == asked.together:
                submission.accept_batch(who, arrivals)
                arrivals.clear()
                inspect()
    submission.accept_batch(who, arrivals)
    inspect()


def named(turns: int, beside: int = 0) -> str:
    return f"{beside} of {turns} calls"


def arrival(number: int, request: bytes, answer: bytes, session: str) -> Any:
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange, Request

    url = "https://api.openai.com/v1/chat/completions"
    exchange = Exchange(
        reads=Exchange.of_body(answer).reads,
        content_type="application/json",
        status_code=200,
        request=Request(method="POST", url=url, body=request),
    )
    stated = {"session_id": session} if session else {}
    return Submission(exchange, metadata=stated, started_at=START + timedelta(seconds=5 * number))


def calls(turns: int, asked: argparse.Namespace) -> Iterator[tuple[bytes, bytes]]:
    """Yield the bodies of each call and of its answer, with what the cache has by the rule."""
    beginning, cached = payloads.text(asked.bytes), 0
    for number in range(turns):
        if number % asked.restart == 0 or asked.lone:
            said = [{"role": "user", "content": f"{number} {beginning}"}]
            cached = 0
        body = json.dumps({"model": "gpt-4o", "messages": said}).encode()
        prompt = len(body) // 4
        yield body, answer(number, prompt, cached)
        cached = prompt // 128 * 128
        said += step(number)


def step(number: int) -> list[dict[str, Any]]:
    call = {"id": f"call_{number}", "type": "function"}
    function = {"name": "read", "arguments": json.dumps({"path": f"src/{number}.py"})}
    result = payloads.text(300)
    return [
        {"role": "assistant", "content": None, "tool_calls": [{**call, "function": function}]},
        {"role": "tool", "tool_call_id": call["id"], "content": result},
    ]


def answer(number: int, prompt: int, cached: int) -> bytes:
    usage = {"prompt_tokens": prompt, "completion_tokens": 30, "total_tokens": prompt + 30}
    message = step(number)[0]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    details = {"prompt_tokens_details": {"cached_tokens": cached}}
    body = {"id": f"chatcmpl-{number}-%d", "object": "chat.completion", "model": "gpt-4o"}
    return json.dumps({**body, "choices": [choice], "usage": {**usage, **details}}).encode()


def pages(turns: int) -> Iterator[tuple[str, Callable[[], object]]]:
    from django.contrib.auth import get_user_model
    from django.test import Client

    from inspector.sessions.models import Session
    from inspector.teams.keys import create_api_key
    from inspector.teams.models import Team

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(get_user_model().objects.get(username=PERSON))
    session = Session.objects.get(value=named(turns)).pk
    yield "list", lambda: got(client, f"/t/{TEAM}/sessions/")
    yield "session", lambda: got(client, f"/t/{TEAM}/sessions/{session}/")
    yield "its end", lambda: got(client, f"/t/{TEAM}/sessions/{session}/?first={turns}")
    key = {"Authorization": f"Bearer {create_api_key(Team.objects.get(slug=TEAM), 'pages')}"}
    yield "api", lambda: got(client, f"/api/v1/sessions/{session}/", key)


def measured(ask: Callable[[], Any], rounds: int) -> tuple[str, ...]:
    length = len(ask())
    processor = time.process_time()
    times, statements = timed(ask, rounds)
    processor = (time.process_time() - processor) / (rounds + 1)
    tracemalloc.start()
    ask()
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    p50, p95 = (f"{times[int(rounds * share)]:.0f}" for share in (0.5, 0.95))
    return (
        p50,
        p95,
        f"{processor * 1e3:.0f}",
        f"{length / 1_000:,.0f}",
        str(statements),
        f"{held / MB:.1f}",
    )


if __name__ == "__main__":
    main()
