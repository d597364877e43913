"""Votes by token: what the time of a refusal tells, and whether any is lost or counted twice.

    .venv/bin/python bench/votes.py times [--samples 2000]
    .venv/bin/python bench/votes.py restarts [--votes 10000] [--postgresql]
    .venv/bin/python bench/votes.py flood [--posts 10000] [--postgresql]

``times``: how long a signature takes that is right, and one that is wrong at its first or last
character; then how long an installation takes to refuse tokens for different reasons. Each pair is
told by its medians and by the chance that a sample of the one is above a sample of the other: 0.5
says nothing about which it was.

``restarts``: clients vote, change their minds and send things twice or again, while web and worker
are killed and started anew. Then every vote is looked for: one live for each token and user, the
last that was said; and of what was said before exactly one each, in its order.

``flood``: what a sender with a key waits for, alone and while somebody posts votes with tokens of
their own making as fast as they can.

Everything is on the loopback, in a folder of its own, and ends with the measurement.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Any
from uuid import UUID

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from development import servers  # noqa: E402
from inspector.feedback import signed_token  # noqa: E402
from inspector.feedback.signed_token import TokenClaims  # noqa: E402

READY_WITHIN_SECONDS = 60.0
NO_LIMIT = "1000000"
CLIENTS = 8
JSON = "application/json"
FEEDBACK = "/t/default/v1/feedback"
CAPTURES = "/api/v1/captures/"
ENDED_EVERY_SECONDS = (1.0, 3.0)
LIMITS = ("INSPECTOR_VOTES_PER_SECOND", "INSPECTOR_TEAM_VOTES_PER_SECOND")
SENT_ALONE, SENT_EVERY_SECONDS = 300, 0.02
NUMBERS = {"times": ("samples", 2_000), "restarts": ("votes", 10_000), "flood": ("posts", 10_000)}


# -- an installation ------------------------------------------------------------------------------


@dataclass
class Installation:
    environment: dict[str, str]
    folder: Path
    port: int = field(default_factory=servers.free_port)
    key: str = ""
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{' '.join(words[:2])} failed: {done.stderr[-800:]}")
        return done.stdout.strip()

    def start(self, name: str) -> None:
        words = {"web": ["web", "--port", str(self.port), "--processes", "1"]}
        with (self.folder / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(
                [sys.executable, "manage.py", *words.get(name, [name])],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """With all of its processes, as a machine that fails does it."""
        child = self.children.pop(name)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def ask(
        self, method: str, path: str, body: Any = None, key: str = "", content_type: str = JSON
    ) -> tuple[int, Any]:
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": content_type} if body is not None else {}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        sent = json.dumps(body) if body is not None else None
        try:
            client.request(method, path, sent, headers)
            response = client.getresponse()
            return response.status, json.loads(response.read() or b"null")
        finally:
            client.close()

    def until_answered(self, method: str, path: str, body: Any, key: str = "") -> tuple[int, Any]:
        """Sent again as a sender should, until somebody says what became of it."""
        while True:
            try:
                status, answer = self.ask(method, path, body, key)
            except (OSError, http.client.HTTPException, ValueError):
                status, answer = 0, None
            if status and status < 500 and status != 429:
                return status, answer
            SEEN[status] += 1
            time.sleep(0.1)

    def capture(self, *carried: str | None) -> str:
        choices = [
            {
                "index": at,
                "message": {"role": "assistant", "content": "x"},
                "finish_reason": "stop",
                **({"feedback_token": token} if token else {}),
            }
            for at, token in enumerate(carried)
        ]
        completion = {"id": "c", "object": "chat.completion", "model": "m", "choices": choices}
        status, answer = self.until_answered("POST", CAPTURES, completion, self.key)
        assert status == 202, answer
        return str(answer["id"])

    def token(self, capture_id: str, choice: int = 0, expires_in: int = 86_400) -> dict[str, str]:
        path = f"{CAPTURES}{capture_id}/choices/{choice}/feedback-token/"
        while True:
            wanted = {"expires_in": expires_in}
            status, answer = self.until_answered("POST", path, wanted, self.key)
            if status == 201:
                return dict(answer)
            assert status == 409, answer
            time.sleep(0.1)


PREPARE = "from inspector.operations import data_dir; data_dir.prepare()"
OPEN_ROOM = ()
METRICS_KEY = "opens what waits"
SEEN: Counter[int] = Counter()
"""Answers that meant: send it again; 0 where there was none."""


@contextmanager
def installation(on_postgresql: bool, limited: bool = False) -> Iterator[Installation]:
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="votes-")))
        environment = {
            **os.environ,
            "INSPECTOR_BOOTSTRAP": "0",
            "INSPECTOR_DATA_DIR": str(folder / "var"),
            "INSPECTOR_REQUESTS_PER_SECOND": NO_LIMIT,
            "INSPECTOR_METRICS_KEY": METRICS_KEY,
            "INSPECTOR_SECRET_KEY": "of a measurement, and of nothing else",
        }
        if not limited:
            environment |= dict.fromkeys(LIMITS, NO_LIMIT)
        if on_postgresql:
            programs = servers.find()
            if programs is None:
                sys.exit(servers.HOW_TO_GET_THEM)
            place = ending.enter_context(servers.running(programs))
            environment |= {"DATABASE_URL": place.database_url, "REDIS_URL": place.redis_url}
        here = Installation(environment, folder)
        here.manage("shell", "--no-imports", "-c", PREPARE)
        here.manage("migrate", "--verbosity", "0")
        here.manage("create_owner", "olga")
        here.manage("shell", "--no-imports", "-c", OPEN_ROOM)
        scopes = [f"--scope={scope}" for scope in ("ingest", "read", "feedback")]
        here.key = here.manage("create_api_key", "--team", "default", "--name", "votes", *scopes)
        try:
            for name in ("web", "worker", "sweep"):
                here.start(name)
            wait_until_ready(here)
            yield here
        finally:
            for name in [*here.children]:
                here.kill(name)


def wait_until_ready(here: Installation) -> None:
    end = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < end:
        try:
            if here.ask("GET", "/readyz")[0] == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.1)
    sys.exit((here.folder / "web.log").read_text()[-2_000:])


# -- what time tells ------------------------------------------------------------------------------


def times(samples: int, on_postgresql: bool) -> None:
    print("verifying, in this process (us)")
    told(in_process(samples), "right")
    with installation(on_postgresql) as here:
        database = "PostgreSQL" if on_postgresql else "SQLite"
        print(f"refusing, asked over HTTP on {database} (us)")
        told(over_http(here, samples), "forged")


def in_process(samples: int) -> dict[str, list[float]]:
    secret = signed_token.new_secret()
    claims = TokenClaims(1, UUID(int=7), 0, 1, 2**31)
    kinds: dict[str, Callable[[str], str]] = {
        "right": lambda token: token,
        "wrong at its first character": lambda token: spoiled(token, -43),
        "wrong at its last character": lambda token: spoiled(token, -1),
        "of another key": lambda token: signed_token.sign(3, signed_token.new_secret(), claims),
    }

    def one(kind: str) -> float:
        token = kinds[kind](signed_token.sign(3, secret, claims))
        started = time.perf_counter_ns()
        signed_token.verify(signed_token.split_token(token), secret)
        return (time.perf_counter_ns() - started) / 1_000

    return sampled(one, [*kinds], samples)


def over_http(here: Installation, samples: int) -> dict[str, list[float]]:
    here.manage("create_owner", "sven", "--team", "other")
    other_key = here.manage(
        "create_api_key", "--team=other", "--name=o", "--scope=ingest", "--scope=feedback"
    )
    capture = here.capture(None, None)
    good, expired, revoked = (here.token(capture, 0, life) for life in (86_400, 1, 86_400))
    path = f"{CAPTURES}{capture}/choices/0/feedback-token/?id={revoked['id']}"
    assert here.ask("DELETE", path, None, here.key)[0] == 200
    mine, here.key = here.key, other_key
    foreign = here.token(here.capture(None))
    here.key = mine
    time.sleep(1.1)
    kinds = {
        "forged": spoiled(good["feedback_token"], -20),
        "by a key that is none": signed_token.sign(
            2**40, signed_token.new_secret(), TokenClaims(1, UUID(capture), 0, 1, 2**31)
        ),
        "expired": expired["feedback_token"],
        "revoked": revoked["feedback_token"],
        "of another team": foreign["feedback_token"],
        "truncated": good["feedback_token"][:-9],
    }
    client = http.client.HTTPConnection("127.0.0.1", here.port, timeout=60)

    def one(kind: str) -> float:
        body = json.dumps({"feedback_token": kinds[kind], "outcome": "positive"})
        started = time.perf_counter_ns()
        client.request("POST", FEEDBACK, body, {"Content-Type": JSON})
        response = client.getresponse()
        response.read()
        took = (time.perf_counter_ns() - started) / 1_000
        assert response.status == 400, (kind, response.status)
        return took

    return sampled(one, [*kinds], samples)


def spoiled(token: str, at: int) -> str:
    place = at % len(token)
    return token[:place] + ("B" if token[place] == "A" else "A") + token[place + 1 :]


def sampled(one: Callable[[str], float], kinds: list[str], samples: int) -> dict[str, list[float]]:
    """In turns and in a new order each time, so that whatever else happens meets all alike."""
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    rng = random.Random(7)
    for at in range(-50, samples):
        rng.shuffle(kinds)
        for kind in kinds:
            took = one(kind)
            if at >= 0:
                found[kind].append(took)
    return found


def told(found: dict[str, list[float]], beside: str) -> None:
    base = found[beside]
    for kind, took in found.items():
        chance = auc(base, took)
        print(
            f"  {kind:30} median {median(took):9.2f}   against {beside}:"
            f" {median(took) - median(base):+8.2f}, AUC {max(chance, 1 - chance):.3f}"
            f"   ({len(took)} samples)"
        )


def auc(one: list[float], other: list[float]) -> float:
    """The chance that a sample of the second is above one of the first; ties count half."""
    order = sorted([(took, 0) for took in one] + [(took, 1) for took in other])
    above, at = 0.0, 0
    while at < len(order):
        end = at
        while end < len(order) and order[end][0] == order[at][0]:
            end += 1
        rank = (at + end + 1) / 2
        above += rank * sum(which for _, which in order[at:end])
        at = end
    n = len(other)
    return (above - n * (n + 1) / 2) / (n * len(one))


# -- what restarts do -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    token: str
    user_id: str
    outcome: str
    comment: str | None

    @property
    def body(self) -> dict[str, Any]:
        return {
            "feedback_token": self.token,
            "user_id": self.user_id,
            "outcome": self.outcome,
            "comment": self.comment,
        }


def restarts(votes: int, on_postgresql: bool) -> None:
    rng = random.Random(11)
    with installation(on_postgresql) as here:
        captures = [here.capture(None) for _ in range(200)]
        own = [here.token(capture)["feedback_token"] for capture in captures]
        coming = [f"fb_bench_{at}" for at in range(50)]
        voters = [(token, user) for token in own + coming for user in ("", "u1", "u2")]
        plan: dict[tuple[str, str], list[Said]] = defaultdict(list)
        for _ in range(votes):
            token, user = rng.choice(voters)
            outcome, comment = rng.choice(("positive", "negative")), rng.choice((None, "c"))
            plan[token, user].append(Said(token, user, outcome, comment))
        stop = Event()
        ended: Counter[str] = Counter()
        breaking = Thread(target=break_things, args=(here, stop, ended), daemon=True)
        breaking.start()
        arriving = Thread(target=arrive, args=(here, coming), daemon=True)
        arriving.start()
        started = time.monotonic()
        with ThreadPoolExecutor(CLIENTS) as pool:
            acknowledged = list(pool.map(lambda each: sent(here, each), plan.values()))
        took = time.monotonic() - started
        stop.set()
        breaking.join()
        arriving.join()
        wait_until_inspected(here)
        stored = json.loads(here.manage("shell", "--no-imports", "-c", DUMP))
        database = "PostgreSQL" if on_postgresql else "SQLite"
        print(
            f"{database}: {votes} votes of {len(plan)} tokens and users"
            f" in {took:.0f} s; killed {dict(ended)}; to be sent again {dict(SEEN)}"
        )
        held(plan, acknowledged, stored)


def sent(here: Installation, said: list[Said]) -> list[str]:
    """One voter's words in their order, some of them twice at once; the ids that were told."""
    rng = random.Random(said[0].token + said[0].user_id)
    ids: list[str] = []
    for each in said:
        twice = 2 if rng.random() < 0.2 else 1

        def post(_: int, each: Said = each) -> str:
            status, answer = here.until_answered("POST", FEEDBACK, each.body)
            assert status == 200, answer
            return str(answer["id"])

        if twice == 1:
            told_ids = [post(0)]
        else:
            with ThreadPoolExecutor(2) as pool:
                told_ids = list(pool.map(post, range(2)))
        assert len(set(told_ids)) == 1, "two answers to one vote"
        ids.append(told_ids[0])
    return ids


def break_things(here: Installation, stop: Event, ended: Counter[str]) -> None:
    rng = random.Random(3)
    while not stop.wait(rng.uniform(*ENDED_EVERY_SECONDS)):
        name = rng.choice(("web", "worker"))
        here.kill(name)
        here.start(name)
        ended[name] += 1
        if name == "web":
            wait_until_ready(here)


def arrive(here: Installation, tokens_: list[str]) -> None:
    """The captures that foreign tokens belong to, while votes already wait for them."""
    for token in tokens_:
        time.sleep(0.5)
        here.capture(token)


def wait_until_inspected(here: Installation) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if here.ask("GET", "/readyz", key=METRICS_KEY)[1]["totals"]["pending"] == 0:
            return
        time.sleep(0.2)
    sys.exit("captures were not inspected")


DUMP = """
import json
from inspector.feedback.models import Vote, VoteSum
from inspector.feedback.sums import cells_of
votes = [
    [v.token_sha256, v.user_id, v.outcome, v.comment, str(v.pk), v.superseded_at is None,
     v.capture_id is None]
    for v in Vote.objects.order_by("created_at", "id")
]
counted = {}
for v in Vote.objects.filter(superseded_at=None):
    for cell in cells_of(v):
        counted[cell] = counted.get(cell, 0) + 1
stored = {(s.team_id, s.span_seconds, s.start, s.series_id, s.outcome): s.votes
          for s in VoteSum.objects.all()}
equal = {tuple(k): n for k, n in counted.items()} == stored
print(json.dumps({"votes": votes, "sums_are_right": equal}))
"""


def held(
    plan: dict[tuple[str, str], list[Said]], acknowledged: list[list[str]], stored: Any
) -> None:
    from inspector.teams.secret import hash_of

    by_voter = defaultdict(list)
    for sha256, user, *rest in stored["votes"]:
        by_voter[sha256, user].append(rest)
    problems: Counter[str] = Counter()
    rows = 0
    for said, ids in zip(plan.values(), acknowledged, strict=True):
        found = by_voter.pop((hash_of(said[0].token), said[0].user_id), [])
        rows += len(found)
        changes = [s for at, s in enumerate(said) if at == 0 or s != said[at - 1]]
        problems["live votes that are not one"] += [row[3] for row in found].count(True) != 1
        problems["last word that is not live"] += not found or not found[-1][3]
        problems["histories that differ"] += [(r[0], r[1]) for r in found] != [
            (s.outcome, s.comment) for s in changes
        ]
        problems["acknowledged and not there"] += bool(set(ids) - {row[2] for row in found})
        problems["votes that still wait"] += any(row[4] for row in found)
    problems["votes nobody sent"] += len(by_voter)
    problems["sums that differ"] += not stored["sums_are_right"]
    print(f"  {rows} votes kept, {len(plan)} of them live")
    for what, count in problems.items():
        print(f"  {what}: {count}")
    sys.exit(1 if any(problems.values()) else 0)


# -- what a flood does ----------------------------------------------------------------------------


def flood(posts: int, on_postgresql: bool) -> None:
    with installation(on_postgresql, limited=True) as here:
        alone = sender(here, Event(), SENT_ALONE)
        over = Event()
        statuses: Counter[int] = Counter()
        flooding = Thread(target=post_votes, args=(here, posts, statuses, over), daemon=True)
        flooding.start()
        started = time.monotonic()
        beside = sender(here, over, posts)
        took = time.monotonic() - started
        flooding.join()
    print(f"{posts} posts in {took:.0f} s, by status: {dict(sorted(statuses.items()))}")
    for name, waits in (("alone", alone), ("beside the flood", beside)):
        p50, p95, p99 = (percentile(waits, share) for share in (0.5, 0.95, 0.99))
        print(
            f"  sender {name:18} {len(waits):5} accepted, p50 {p50:7.1f} ms,"
            f" p95 {p95:7.1f} ms, p99 {p99:7.1f} ms"
        )


def sender(here: Installation, stop: Event, most: int) -> list[float]:
    """Milliseconds until each capture was accepted."""
    waits: list[float] = []
    while len(waits) < most and not stop.is_set():
        began = time.perf_counter()
        status, answer = here.ask("POST", CAPTURES, {"choices": []}, here.key)
        assert status == 202, (status, answer)
        waits.append((time.perf_counter() - began) * 1_000)
        time.sleep(SENT_EVERY_SECONDS)
    return waits


def post_votes(here: Installation, posts: int, statuses: Counter[int], over: Event) -> None:
    def post(at: int) -> None:
        token = f"fb_flood_{at}" if at % 2 else f"ri1.{at:0117}"
        body = {"feedback_token": token, "outcome": "negative", "comment": "x" * 500}
        statuses[here.ask("POST", FEEDBACK, body)[0]] += 1

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(post, range(posts)))
    over.set()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    what = parser.add_subparsers(dest="what", required=True)
    for name, (number, usual) in NUMBERS.items():
        each = what.add_parser(name)
        each.add_argument(f"--{number}", type=int, default=usual)
        each.add_argument("--postgresql", action="store_true")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    work = {"times": times, "restarts": restarts, "flood": flood}
    work[asked.what](getattr(asked, NUMBERS[asked.what][0]), asked.postgresql)


if __name__ == "__main__":
    main()
