"""What the worst readings do to everybody else, on a real `manage.py web`, worker and sweep.

    python3 bench/readings.py livez    [--tree FOLDER] [--seconds N]
    python3 bench/readings.py fairness [--tree FOLDER] [--poison N] [--store postgresql]

``livez`` asks 16 of the worst at once, again and again: bodies of empty objects to inspect and to
wait for, pages of a capture with thousands of unknown fields. Told are the times of /livez beside
them and before them, statuses and sizes of what was answered, and the largest process. ``fairness``
sends poison by one team's key and, meanwhile, one ordinary capture after the other by another's;
told are the seconds from accepted to inspected. FOLDER is another tree of this project, to hold
against this one. Everything is private, on the loopback, and thrown away.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

from development import servers  # noqa: E402

JSON = "application/json"
LONGEST_SECONDS = 120
TEAMS = """
import json, django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
from django.conf import settings
from django.test import Client
from inspector.teams.keys import create_api_key
from inspector.teams.models import Membership, Role, Team, User
said = {}
for name in ("quiet", "loud"):
    team = Team.objects.create(slug=name, name=name)
    said[name] = create_api_key(team, name, ["ingest", "read"])
user = User.objects.create(username="viewer")
Membership.objects.create(user=user, team=Team.objects.get(slug="loud"), role=Role.VIEWER)
client = Client()
client.force_login(user)
name = settings.SESSION_COOKIE_NAME
print(json.dumps({**said, "cookie": f"{name}={client.cookies[name].value}"}))
"""


def empty_choices(count: int) -> bytes:
    return b'{"object":"chat.completion","choices":[' + b"{}," * count + b"{}]}"


def unknown_fields(count: int) -> bytes:
    fields = {f"k{number}": 1 for number in range(count)}
    return json.dumps({"object": "chat.completion", "choices": [], **fields}).encode()


ORDINARY = (
    b'{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}'
)


@dataclass
class Installation:
    tree: Path
    environment: dict[str, str]
    port: int = 0
    keys: dict[str, str] = field(default_factory=dict)
    programs: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, code: str) -> str:
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, cwd=self.tree, env=self.environment, capture_output=True, check=True
        )
        return done.stdout.decode().splitlines()[-1]

    def start(self, role: str, *command: str) -> None:
        environment = {**self.environment, "INSPECTOR_ROLE": role}
        with Path(self.environment["INSPECTOR_DATA_DIR"], f"{role}.log").open("ab") as log:
            program = subprocess.Popen(
                [sys.executable, "manage.py", *command],
                cwd=self.tree,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.programs.append(program)

    def ask(
        self, method: str, path: str, body: bytes = b"", **headers: str
    ) -> tuple[int, bytes, float]:
        """Status (0: none in time), body and seconds."""
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_SECONDS)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body or None, named)
            answer = connection.getresponse()
            return answer.status, answer.read(), time.monotonic() - began
        except (OSError, http.client.HTTPException):
            return 0, b"", time.monotonic() - began
        finally:
            connection.close()

    def post(self, path: str, body: bytes, who: str) -> tuple[int, bytes, float]:
        packed = gzip.compress(body, 9)
        key = f"Bearer {self.keys[who]}"
        return self.ask(
            "POST", path, packed, Authorization=key, Content_Encoding="gzip", Content_Type=JSON
        )

    def state(self, capture_id: str, who: str) -> str:
        key = f"Bearer {self.keys[who]}"
        status, body, _ = self.ask("GET", f"/api/v1/captures/{capture_id}/", Authorization=key)
        return str(json.loads(body)["state"]) if status == 200 else ""


@contextlib.contextmanager
def installation(tree: Path, store: str) -> Iterator[Installation]:
    with tempfile.TemporaryDirectory(prefix="readings-") as folder, databases(store) as addresses:
        environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment |= {"INSPECTOR_DATA_DIR": folder, "INSPECTOR_BOOTSTRAP": "0", **addresses}
        environment |= {"INSPECTOR_SECRET_KEY": "of a measurement, and long enough for one"}
        environment |= {"DJANGO_SETTINGS_MODULE": "inspector.settings"}
        for name in ("queue", "control"):
            Path(folder, "broker", name).mkdir(parents=True)
        here = Installation(tree, environment, servers.free_port())
        # Cookies are named by the port.
        environment["INSPECTOR_ORIGIN"] = f"http://127.0.0.1:{here.port}"
        here.keys = json.loads(here.run(TEAMS))
        here.start("web", "web", "--port", str(here.port), "--processes", "2")
        here.start("worker", "worker", "--processes", "2")
        here.start("sweep", "sweep")
        try:
            wait_until(lambda: here.ask("GET", "/livez")[0] == 200)
            yield here
        finally:
            for program in here.programs:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait()


@contextlib.contextmanager
def databases(store: str) -> Iterator[dict[str, str]]:
    if store == "sqlite":
        yield {}
        return
    programs = servers.find()
    if programs is None:
        raise SystemExit(servers.HOW_TO_GET_THEM)
    with servers.postgresql(programs, safety=()) as url, servers.redis_server(programs) as redis:
        yield {"DATABASE_URL": url, "REDIS_URL": redis}


def wait_until(done: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise SystemExit("it did not come to pass in time")
        time.sleep(0.1)


def accepted(here: Installation, body: bytes, who: str) -> str:
    status, answer, _ = here.post("/api/v1/captures/", body, who)
    if status != 202:
        raise SystemExit(f"not accepted: {status} {answer[:200]!r}")
    return str(json.loads(answer)["id"])


def livez(here: Installation, asked: argparse.Namespace) -> None:
    heavy = accepted(here, empty_choices(160_000), "loud")
    wide = accepted(here, unknown_fields(2_000), "loud")
    for capture_id in (heavy, wide):
        wait_until(lambda capture_id=capture_id: here.state(capture_id, "loud") == "inspected", 300)  # type: ignore[misc]
    cookie, panel = here.keys["cookie"], f"/captures/{heavy}/panels/choices/"
    mega, triple = empty_choices(333_333), empty_choices(1_000_000)
    worst: list[Callable[[], tuple[int, bytes, float]]] = [
        *[lambda: here.post("/api/v1/inspect/", mega, "loud")] * 6,
        lambda: here.post("/api/v1/inspect/", triple, "loud"),
        *[lambda: here.post("/api/v1/captures/?wait=5", mega, "loud")] * 2,
        *[lambda: here.ask("GET", f"/captures/{wide}/", Cookie=cookie)] * 4,
        *[lambda: here.ask("GET", panel, Cookie=cookie, HX_Request="true")] * 3,
    ]
    told("/livez alone", watched(here, lambda: time.sleep(min(5, asked.seconds))))
    print("largest process, MiB:", largest_mib(here))
    answers: Counter[str] = Counter()
    sizes: list[int] = []

    def ask(one: Callable[[], tuple[int, bytes, float]], end: float) -> None:
        while time.monotonic() < end:
            status, body, _ = one()
            answers[told_by(status, body)] += 1
            sizes.append(len(body))

    def ask_all() -> None:
        end = time.monotonic() + asked.seconds
        with ThreadPoolExecutor(len(worst)) as pool:
            list(pool.map(lambda one: ask(one, end), worst))

    told("/livez beside 16 of the worst", watched(here, ask_all))
    print("answers (0: none in time):", dict(answers))
    print(f"largest answer, bytes: {max(sizes):,}")
    print("largest process, MiB:", largest_mib(here))


def fairness(here: Installation, asked: argparse.Namespace) -> None:
    told("accepted to inspected, alone", quiet(here, asked.seconds / 3))
    over, sent = Event(), Counter[int]()
    poison = empty_choices(asked.poison)

    def send() -> None:
        for _ in range(6):
            sent[here.post("/api/v1/captures/", poison, "loud")[0]] += 1
        while not over.wait(2):
            sent[here.post("/api/v1/captures/", poison, "loud")[0]] += 1

    loud = Thread(target=send)
    loud.start()
    found = quiet(here, asked.seconds)
    over.set()
    loud.join()
    told("accepted to inspected, beside poison", found)
    print(f"poison of {len(poison):,} bytes by status:", dict(sent))


def quiet(here: Installation, seconds: float) -> list[float]:
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        capture_id, began = accepted(here, ORDINARY, "quiet"), time.monotonic()
        wait_until(
            lambda capture_id=capture_id: here.state(capture_id, "quiet") == "inspected",  # type: ignore[misc]
            300,
        )
        found.append(time.monotonic() - began)
    return found


def watched(here: Installation, work: Callable[[], None]) -> list[float]:
    """Times of /livez while something goes on."""
    found: list[float] = []
    over = Event()

    def look() -> None:
        while not over.wait(0.1):
            found.append(here.ask("GET", "/livez")[2])

    watch = Thread(target=look)
    watch.start()
    work()
    over.set()
    watch.join()
    return found


def largest_mib(here: Installation) -> dict[str, int]:
    """The most that a process of each program ever held, and of web's readers."""
    most: Counter[str] = Counter()
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            session = int((status.parent / "stat").read_text().rpartition(")")[2].split()[3])
            program = next((p for p in here.programs if p.pid == session), None)
            if program is None:
                continue
            line = (status.parent / "cmdline").read_bytes().replace(b"\0", b" ")
            name = str(list(program.args)[2]) if isinstance(program.args, list) else "?"
            name = "reader" if b"readers.process" in line else name
            held = dict(row.split(":", 1) for row in status.read_text().splitlines())["VmHWM"]
            most[name] = max(most[name], int(held.split()[0]) // 1024)
    return dict(most)


def told_by(status: int, body: bytes) -> str:
    """With the code of a refusal; 0 stands for no answer in time."""
    refusal = json.loads(body)["error"]["code"] if body.startswith(b'{"error"') else ""
    return f"{status} {refusal}".strip()


def told(what: str, times: list[float]) -> None:
    ordered = sorted(times)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.99)]
    print(
        f"{what}: {len(times)} times, p50 {at[0]:.3f} s, p99 {at[1]:.3f} s,"
        f" longest {ordered[-1]:.3f} s, over a second {sum(each > 1 for each in ordered)}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("livez", "fairness"))
    parser.add_argument("--tree", type=Path, default=HERE)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--poison", type=int, default=630_000, help="empty choices in each")
    asked = parser.parse_args()
    with installation(asked.tree.absolute(), asked.store) as here:
        print(f"load of the machine: {os.getloadavg()[0]:.1f}", flush=True)
        (livez if asked.what == "livez" else fairness)(here, asked)


if __name__ == "__main__":
    main()
