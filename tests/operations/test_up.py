"""The whole installation, as a newcomer starts it, on a free port and an empty directory."""

import http.client
import json
import re
import shlex
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inspector.operations.up.programs import cores
from tests.operations.backup import places
from tests.operations.installation import Installation, kill, wait_until

MOST_BESIDE_WEB = 6
"""Processes beside those of web that serve, of which there is one for each core: supervisor, web's
first one, worker, sweep, proxy and recorder.
"""

STEP = r"^ +[\d.]+ s  (.*)$"

pytestmark = pytest.mark.timeout(240)


def post(told: str) -> dict[str, object]:
    """Run the printed curl line without curl, which a machine may not have."""
    line = next(line for line in told.splitlines() if line.strip().startswith("curl "))
    words = shlex.split(line)
    headers = dict(re.findall(r"-H '([^:]+): ([^']+)'", line))
    place = re.fullmatch(r"http://(127\.0\.0\.1):(\d+)(/.*)", words[-1])
    assert place
    connection = http.client.HTTPConnection(place[1], int(place[2]), timeout=120)
    connection.request("POST", place[3], words[words.index("--data-binary") + 1], headers)
    response = connection.getresponse()
    assert response.status == 202
    answer: dict[str, object] = json.loads(response.read())
    connection.close()
    return answer


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_an_installation_from_its_first_start_to_its_last(installation: Installation) -> None:
    told = installation.up(INSPECTOR_METRICS_KEY="k")
    assert f"ready: http://127.0.0.1:{installation.port}\n" in told
    assert len(installation.running()) <= MOST_BESIDE_WEB + cores()
    steps = ("static files …", "tables of the archive …", "team, keys and samples …", "programs …")
    assert re.findall(STEP, told, re.MULTILINE)[:4] == [*steps]
    link = re.search(r"http://127\.0\.0\.1:\d+(/sign-in/\S+)", told)
    assert link and installation.get(link[1])[0] in (200, 302)
    key = re.search(r"^ +(ri_\S+)$", told, re.MULTILINE)
    assert key

    proxied = f"OPENAI_BASE_URL=http://127.0.0.1:{installation.proxy_port}/proxy/"
    assert f"{proxied}ri_" in told
    capture = f"/api/v1/captures/{post(told)['id']}/"
    wait_until(lambda: json.loads(installation.get(capture, key[1])[1])["state"] == "inspected")
    examined = re.findall(r"^(\S.*?)  +(.*)$", installation.doctor(), re.MULTILINE)
    assert {told for part, told in examined if part != "workers"} == {"ok"}
    taken_in = 'inspector_requests_total{code="202",program="web",route="intake"} 1.0'
    assert taken_in.encode() in installation.get("/metrics", "k")[1]
    assert b'_wait_seconds_count{program="worker"}' in installation.get("/metrics", "k")[1]

    secret = installation.data_dir / "secret_key"
    assert secret.stat().st_mode & 0o777 == 0o600
    kept = secret.read_text()

    for role in ("web", "worker", "sweep", "proxy"):
        before = installation.running(role)
        kill(before)
        wait_until(lambda role=role, old={*before}: bool({*installation.running(role)} - old))
    wait_until(lambda: is_ready(installation))

    installation.signal(signal.SIGKILL)
    wait_until(lambda: not installation.running())

    browser, opened = installation.data_dir / "browser", installation.data_dir / "opened"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {opened}\n')
    browser.chmod(0o700)
    again = installation.up("--open", BROWSER=str(browser), INSPECTOR_METRICS_KEY="k")
    wait_until(lambda: opened.exists() and opened.read_text())
    assert opened.read_text().startswith(f"http://127.0.0.1:{installation.port}/sign-in/")
    # Nothing of what the first start made is made again.
    assert re.findall(STEP, again, re.MULTILINE) == ["programs …"]
    assert "sign_in_link --data-dir" in again and "create_api_key --team default" in again
    assert f"{proxied}KEY/openai/v1" in again
    assert "ri_" not in again and "/sign-in/" not in again
    assert secret.read_text() == kept
    assert installation.get(capture, key[1])[0] == 200
    # Counted by a process that was killed, as were those after it.
    assert taken_in.encode() in installation.get("/metrics", "k")[1]

    assert installation.signal(signal.SIGINT) == 0
    assert installation.running() == []
    assert_lines_of_json(installation.data_dir / "logs")


def assert_lines_of_json(logs: Path) -> None:
    """Check the logs of all programs, through their starts, deaths and ends."""
    programs = set[str]()
    for file in logs.iterdir():
        for text in file.read_text().splitlines():
            line = json.loads(text)
            assert {"at", "level", "program", "event"} <= set(line), text
            programs.add(line["program"])
    # A sweep with nothing to do says nothing.
    assert programs - {"sweep"} == {"proxy", "recorder", "supervisor", "web", "worker"}


def is_ready(installation: Installation) -> bool:
    try:
        return installation.get("/readyz")[0] == 200
    except OSError:
        return False


@pytest.mark.thorough
def test_a_backup_beside_it_has_all_that_was_acknowledged(
    installation: Installation, tmp_path: Path
) -> None:
    told, file = installation.up(), tmp_path / "backup.tar"
    acknowledged: list[object] = []
    ended = threading.Event()

    def send() -> None:
        while not ended.is_set():
            acknowledged.append(post(told)["id"])

    with ThreadPoolExecutor(2) as senders:
        sending = [senders.submit(send) for _ in range(2)]
        try:
            wait_until(lambda: len(acknowledged) > 20)
            before = set(acknowledged)
            places.sqlite(installation.data_dir).done("backup", str(file), "--verify")
            during = len(acknowledged)
        finally:
            ended.set()
        assert [one.result() for one in sending] == [None, None]
    assert during > len(before)
    restored = places.sqlite(tmp_path / "restored").restored(file)
    assert {row["id"] for row in restored["archive_capture"]} >= before
