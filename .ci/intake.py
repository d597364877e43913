"""Sends every hostile body that lies beside the checkout to running installations.

    .venv/bin/python .ci/intake.py ../shared

First to ``manage.py up`` in a new data directory, then to web, worker and sweep on a private
PostgreSQL and Redis, where their programs are here. Each body by itself and as a line of one batch:
no answer of 5xx, what is refused leaves nothing, what is accepted is inspected, comes back byte for
byte and is flagged as its catalogue says; by both ways and on both databases alike. Then whole
requests to the interface itself, those in the name of another team included, and votes. Ends what
it started.
"""

import base64
import hashlib
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import uuid4

from recordings import LOUD, MAX_TOLD, ROOT, imported

from development import servers

LIMIT_SECONDS = 1800
READY_WITHIN_SECONDS = 600.0
INSPECTED_WITHIN_SECONDS = 600.0
ENDED_WITHIN_SECONDS = 300.0
CLIENTS = 2
TRIES = 5
# Large enough for every body of the catalogue but those that are made to measure.
MAX_BODY_BYTES = 8 << 20
OK, FLAGGED, REFUSED = "accepted_ok", "accepted_and_flagged", "rejected_4xx"
OCTETS = "application/octet-stream"
CAPTURES, BATCH = "/api/v1/captures/", "/api/v1/captures/batch/"
OWN, OTHER = "default", "other"
VOTER = "voter"
"""A key that makes tokens, and does nothing else."""
VOTES, JSON = "/v1/feedback", "application/json"
VOTED_ON = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"yes"}}]}'


class Outcome(NamedTuple):
    """The outcome for a body; equal on both databases."""

    told: str
    status: int
    code: str = ""
    verdict: str = ""
    findings: tuple[str, ...] = ()


METRICS_KEY = "opens what waits"


@dataclass
class Installation:
    name: str
    environment: dict[str, str]
    port: int = field(default_factory=servers.free_port)
    keys: dict[str, str] = field(default_factory=dict)
    voted: dict[str, int] = field(default_factory=dict)
    """What became of each vote."""
    busy: int = 0
    """How often it was, and said so."""

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{' '.join(words)} failed: {done.stderr[-800:]}")
        return done.stdout.strip()

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Any = (), team: str = OWN
    ) -> tuple[int, bytes]:
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            bearer = {"Authorization": f"Bearer {self.keys[team]}"}
            client.request(method, path, body, {**bearer, **dict(headers)})
            response = client.getresponse()
            return response.status, response.read()
        finally:
            client.close()

    def send(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """Again where the database was busy, as every sender should."""
        for _ in range(TRIES):
            status, answer = self.ask("POST", path, body, headers)
            if status != 503:
                break
            self.busy += 1
            time.sleep(1)
        return status, answer

    def get(self, path: str, team: str = OWN) -> Any:
        status, answer = self.ask("GET", path, team=team)
        assert status == 200, (path, status)
        return json.loads(answer)

    def ids(self, team: str = OWN) -> set[str]:
        """Return the ids of what this team's key has stored."""
        found: set[str] = set()
        cursor = ""
        while True:
            page = self.get(f"{CAPTURES}?limit=200&key=ci{cursor}", team)
            found |= {row["id"] for row in page["captures"]}
            if page["next_cursor"] is None:
                return found
            cursor = f"&cursor={page['next_cursor']}"


# -- installations --------------------------------------------------------------------------------


@contextmanager
def embedded() -> Iterator[Installation]:
    with tempfile.TemporaryDirectory(prefix="intake-") as folder, ExitStack() as ending:
        here = Installation("SQLite", environment(Path(folder)))
        ending.enter_context(running(here, "up", "--port", str(here.port)))
        yield ready(here)


@contextmanager
def production(programs: servers.Programs) -> Iterator[Installation]:
    with (
        tempfile.TemporaryDirectory(prefix="intake-") as folder,
        servers.running(programs) as place,
        ExitStack() as ending,
    ):
        addresses = {"DATABASE_URL": place.database_url, "REDIS_URL": place.redis_url}
        secret = {"INSPECTOR_SECRET_KEY": "signs what nobody will ever read"}
        here = Installation("PostgreSQL", {**environment(Path(folder)), **addresses, **secret})
        here.manage("migrate", "--verbosity", "0")
        here.manage("create_owner", "olga", "--team", OWN)
        for words in (["web", "--port", str(here.port)], ["worker"], ["sweep"]):
            ending.enter_context(running(here, *words))
        yield ready(here)


def environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_DATA_DIR": str(folder / "var"),
        "INSPECTOR_MAX_BODY_BYTES": str(MAX_BODY_BYTES),
        "INSPECTOR_METRICS_KEY": METRICS_KEY,
    }


@contextmanager
def running(here: Installation, *words: str) -> Iterator[None]:
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=here.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(ENDED_WITHIN_SECONDS)


def ready(here: Installation) -> Installation:
    here.keys = {OWN: "", OTHER: ""}
    wait_until("ready", READY_WITHIN_SECONDS, lambda: is_ready(here))
    here.manage("create_owner", "oskar", "--team", OTHER, "--team-name", "Other")
    for team in here.keys:
        here.keys[team] = here.manage("create_api_key", "--team", team, "--name", "ci")
    voter = ("create_api_key", "--team", OWN, "--name", "voter", "--scope", "feedback")
    here.keys[VOTER] = here.manage(*voter)
    return here


def is_ready(here: Installation) -> bool:
    try:
        return here.ask("GET", "/readyz")[0] == 200
    except OSError:
        return False


def wait_until(what: str, seconds: float, condition: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {seconds:g} s")
        time.sleep(0.2)


# -- what becomes of the bodies -------------------------------------------------------------------


def by_itself(here: Installation, cases: list[Any]) -> Iterator[tuple[int, bytes]]:
    def post(case: Any) -> tuple[int, bytes]:
        kind = {"Content-Type": case.content_type or OCTETS}
        return here.send(CAPTURES, case.body, {**kind, **case.headers})

    with ThreadPoolExecutor(CLIENTS) as pool:
        yield from pool.map(post, cases)


def as_a_batch(here: Installation, cases: list[Any]) -> Iterator[tuple[int, bytes]]:
    batch = b"".join(json.dumps(envelope(case)).encode() + b"\n" for case in cases)
    status, answer = here.send(BATCH, batch, {"Content-Type": "application/x-ndjson"})
    results = [json.loads(line) for line in answer.splitlines()] if status == 200 else []
    if [result["line"] for result in results] != list(range(1, len(cases) + 1)):
        sys.exit(f"the batch: {status}, {len(results)} results for {len(cases)} lines")
    for result in results:
        yield result["status"], json.dumps(result).encode()


def envelope(case: Any) -> dict[str, Any]:
    headers = {"content-type": case.content_type} if case.content_type else {}
    body = base64.b64encode(case.body).decode()
    return {"response": {"status": 200, "headers": headers, "body_b64": body}}


def outcomes(
    here: Installation, cases: list[Any], answers: Iterable[tuple[int, bytes]]
) -> Iterator[Outcome]:
    """Wait until everything is inspected, so that nothing is left unfinished."""
    told = [(status, json.loads(answer)) for status, answer in answers]
    wait_until("inspected", INSPECTED_WITHIN_SECONDS, lambda: pending(here) == 0)
    with ThreadPoolExecutor(CLIENTS) as pool:
        yield from pool.map(lambda case, answer: outcome(here, case, *answer), cases, told)


def outcome(here: Installation, case: Any, status: int, answer: Any) -> Outcome:
    if status == 202:
        return became(here, case, answer["id"])
    return Outcome(REFUSED if 400 <= status < 500 else "?", status, answer["error"]["code"])


def pending(here: Installation) -> int | None:
    """None while the installation is too busy to say."""
    operator = {"Authorization": f"Bearer {METRICS_KEY}"}
    status, answer = here.ask("GET", "/readyz", headers=operator)
    return json.loads(answer)["totals"]["pending"] if status == 200 else None


def became(here: Installation, case: Any, id_: str) -> Outcome:
    page = here.get(f"{CAPTURES}{id_}/")
    if page["state"] != "inspected":
        return Outcome(page["state"], 202)
    sha256 = hashlib.sha256(here.ask("GET", f"{CAPTURES}{id_}/raw/")[1]).hexdigest()
    if "Content-Encoding" not in case.headers:
        sha256 = sha256 if sha256 == hashlib.sha256(case.body).hexdigest() else "other bytes"
    if page["sha256"] != sha256:
        return Outcome("other bytes", 202)
    findings = page["analysis"]["findings"]
    told = FLAGGED if any(finding["severity"] in LOUD for finding in findings) else OK
    codes = tuple(finding["code"] for finding in findings)
    return Outcome(told, 202, "", page["verdict"], codes)


# -- whole requests -------------------------------------------------------------------------------


def requests(here: Installation, cases: list[Any], own_id: str) -> Iterator[str]:
    """Those for which there is an address, each as its catalogue wants it answered."""
    _, answer = here.ask("POST", CAPTURES, b"theirs", {"Content-Type": "text/plain"}, team=OTHER)
    other_id = json.loads(answer)["id"]
    asked = [case for case in cases if case.kind == "http" and case.target]
    for case in asked:
        method, path = case.target.split()
        names = {"@@OTHER_TEAM@@": OTHER, "@@OTHER_ID@@": other_id, "@@OWN_ID@@": own_id}
        body: bytes | None = case.body
        for name, value in names.items():
            path = path.replace(name, value)
            body = body and body.replace(name.encode(), value.encode())
        if method == "GET":
            query = json.loads(case.body).items()
            asked_for = [(name, str(text).encode("utf-8", "surrogatepass")) for name, text in query]
            path, body = f"{path}?{urlencode(asked_for)}", None
        status, answer = here.ask(method, path, body, {"Content-Type": case.content_type})
        told = OK if status == 200 else REFUSED if 400 <= status < 500 else "?"
        if told not in (case.expectation, case.alt) or not is_shaped(status, answer):
            yield f"{here.name}: {case.id} is answered with {status}"
    theirs = here.get(f"{CAPTURES}{other_id}/", OTHER)
    if theirs["tags"] or theirs["note"] or here.ids(OTHER) != {other_id}:
        yield f"{here.name}: another team's captures were changed"
    print(f"  whole requests: {len(asked)} asked")


def is_shaped(status: int, answer: bytes) -> bool:
    return status < 400 or set(json.loads(answer)) == {"error"}


# -- votes, which need no key ---------------------------------------------------------------------


def votes(here: Installation, cases: list[Any], other_id: str) -> Iterator[tuple[Any, int]]:
    """Each with a token of its own; what is not answered in our shape is told as status 0."""
    status, answer = here.ask("POST", f"{CAPTURES}?wait=10", VOTED_ON, {"Content-Type": JSON})
    assert status == 200, answer
    place = f"{CAPTURES}{json.loads(answer)['id']}/choices/0/feedback-token/"
    for case in cases:
        status, answer = here.ask("POST", place, team=VOTER)
        assert status == 201, answer
        names = {"@@TOKEN@@": json.loads(answer)["feedback_token"], "@@OTHER_ID@@": other_id}
        body = case.body
        for name, value in names.items():
            body = body.replace(name.encode(), value.encode())
        status, answer = here.ask("POST", VOTES, body, {"Content-Type": case.content_type})
        yield case, status if is_shaped(status, answer) else 0


def wrong_votes(here: Installation, cases: list[Any]) -> Iterator[str]:
    """Those that are answered otherwise than their catalogue wants, and those kept unasked."""
    wanted = [case for case in cases if case.kind == "feedback"]
    found = list(votes(here, wanted, str(uuid4())))
    for case, status in found:
        told = OK if status == 200 else REFUSED if 400 <= status < 500 else "?"
        if told not in (case.expectation, case.alt):
            yield f"{here.name}: {case.id} is answered with {status}"
    kept = here.get("/api/v1/feedback/?limit=200")["feedback"]
    accepted = sum(status == 200 for _, status in found)
    if len(kept) != accepted:
        yield f"{here.name}: {len(kept)} votes, {accepted} were accepted"
    print(f"  votes: {len(found)} sent, {accepted} accepted")
    here.voted = {case.id: status for case, status in found}


# -- all of it ------------------------------------------------------------------------------------


def differences(
    here: Installation, cases: list[Any], found: dict[str, dict[str, Outcome]]
) -> Iterator[str]:
    """From what is due; ``found`` gets the outcomes, to be held against the other database's."""
    bodies = [case for case in cases if case.kind in ("completion", "stream")]
    lines = [case for case in bodies if case.group != "transport"]
    single = list(outcomes(here, bodies, by_itself(here, bodies)))
    batch = list(outcomes(here, lines, as_a_batch(here, lines)))
    for case, alone in zip(bodies, single, strict=True):
        if alone.told not in (case.expectation, case.alt):
            yield f"{here.name}: {case.id} is {alone.told} ({alone.status})"
    due = dict(zip([case.id for case in bodies], single, strict=True))
    for case, together in zip(lines, batch, strict=True):
        # A response without a body is one in an envelope, and nothing at all by itself.
        if case.body and together != due[case.id]:
            yield f"{here.name}: {case.id} is read otherwise in a batch"
    ids = here.ids()
    accepted = sum(each.status == 202 for each in [*single, *batch])
    yield from requests(here, cases, min(ids))
    if len(ids) != accepted or here.ids() != ids:
        yield f"{here.name}: {len(ids)} captures, {accepted} were accepted"
    yield from wrong_votes(here, cases)
    counted = Counter(each.status for each in single)
    print(
        f"  by itself: {dict(sorted(counted.items()))}, in a batch: {len(batch)}, busy: {here.busy}"
    )
    found[here.name] = due


def main(shared: Path) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("out of time"))
    signal.alarm(LIMIT_SECONDS)
    cases = list(imported(shared / "checks" / "bad_inputs.py").cases(MAX_BODY_BYTES))
    programs = servers.find()
    if programs is None:
        print(f"Not on PostgreSQL: {servers.HOW_TO_GET_THEM}")
    found: dict[str, dict[str, Outcome]] = {}
    voted: list[dict[str, int]] = []
    wrong: list[str] = []
    for installation in [embedded(), *([production(programs)] if programs else [])]:
        started = time.monotonic()
        with installation as here:
            print(f"hostile bodies on {here.name}")
            wrong += differences(here, cases, found)
            voted.append(here.voted)
        print(f"  {time.monotonic() - started:.1f} s")
    one, *others = found.values()
    for other in others:
        unlike = [id_ for id_ in one if one[id_] != other[id_]]
        wrong += [f"{id_}: {one[id_]} on one database, {other[id_]} on the other" for id_ in unlike]
        print(f"  equal on both: {len(one) - len(unlike)} of {len(one)}")
    if any(each != voted[0] for each in voted):
        wrong.append("votes are answered otherwise on one database than on the other")
    for line in wrong[:MAX_TOLD]:
        print("  " + line)
    if wrong:
        sys.exit(f"{len(wrong)} bodies or requests are not treated as they should be")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
