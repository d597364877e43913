"""``docs/check-your-provider-in-ci.md``: its files are taken out and run, steps and all."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from inspector.core.rules import rules
from inspector.core.wire.exchange import Exchange
from inspector.transfer.samples import recording
from tests.http_server import Handler, served
from tests.operations.recordings import document
from tests.tiers import mostly_thorough

PAGE = settings.BASE_DIR / "docs" / "check-your-provider-in-ci.md"
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```\n", re.DOTALL)
WORKFLOW = ".github/workflows/provider.yml"
KEY = "pk_only_for_this_test"
BOUND_SECONDS = 60.0


class Provider:
    """Answers with a document, or with a stream whose reads it sends one by one."""

    def __init__(self, streamed: Exchange) -> None:
        self.streamed = streamed
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.url = ""

    def answer(self, handler: Handler) -> None:
        asked = json.loads(handler.read_body())
        self.asked.append(asked)
        self.keys.append(handler.headers["Authorization"])
        is_streamed = asked.get("stream", False)
        exchange = self.streamed if is_streamed else document("000-completion.json")
        handler.send_response(200)
        kind = "text/event-stream" if is_streamed else "application/json"
        handler.send_header("Content-Type", kind)
        handler.send_header("Set-Cookie", "session=for-nobody-else")
        handler.end_headers()
        for read in exchange.reads:
            handler.wfile.write(read.data)
            handler.wfile.flush()
            time.sleep(0.002)


@pytest.fixture
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    found = Provider(recording(getattr(request, "param", "two-choices")))

    class Call(Handler):
        def do_POST(self) -> None:
            found.answer(self)

    with served(Call) as origin:
        found.url = f"{origin}/v1/chat/completions"
        yield found


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with the files of the page, and this project where the workflow puts it."""
    if not shutil.which("curl"):
        pytest.skip("curl is not installed: the page was NOT run")
    for name, content in FILE.findall(PAGE.read_text()):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (tmp_path / ".inspector").symlink_to(settings.BASE_DIR)
    return tmp_path


def steps(checkout: Path) -> dict[str, str]:
    """What the workflow runs, by the names of its steps."""
    job = yaml.safe_load((checkout / WORKFLOW).read_text())["jobs"]["inspect"]
    return {step["name"]: step["run"] for step in job["steps"] if "run" in step}


def run(command: str, checkout: Path, url: str) -> subprocess.CompletedProcess[str]:
    """As the runner does it, with the Python of these tests as ``python3``."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "PROVIDER_URL": url, "PROVIDER_KEY": KEY}
    environment |= {"INSPECTOR_BOOTSTRAP": "0", "INSPECTOR_DATA_DIR": str(checkout / "none")}
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=checkout,
        env=environment | {"GITHUB_ACTIONS": "true"},
        capture_output=True,
        text=True,
        timeout=BOUND_SECONDS,
        check=False,
    )


@pytest.mark.thorough
def test_a_sound_provider_passes_with_all_of_its_answer_kept(
    checkout: Path, provider: Provider
) -> None:
    done = {name: run(command, checkout, provider.url) for name, command in steps(checkout).items()}
    assert {name: one.returncode for name, one in done.items()} == dict.fromkeys(done, 0), done
    assert [asked.get("stream", False) for asked in provider.asked] == [False, True]
    assert provider.keys == [f"Bearer {KEY}"] * 2
    envelope = json.loads((checkout / "recordings" / "streamed.json").read_text())
    assert (envelope["response"]["status"], envelope["outcome"]) == (200, "ended")
    assert ["Content-Type", "text/event-stream"] in envelope["response"]["headers"]
    assert len(envelope["response"]["reads"]) > 10
    kept = (checkout / "recordings" / "streamed.json").read_text()
    assert KEY not in kept and "for-nobody-else" not in kept
    told = run("python3 .inspector/manage.py inspect recordings --json", checkout, provider.url)
    streamed, whole = [json.loads(line)["analysis"] for line in told.stdout.splitlines()]
    assert (streamed["verdict"], len(streamed["choices"])) == ("complete", 2)
    assert (streamed["timeline"]["clock"], whole["timeline"]["clock"]) == ("recorded", "recorded")
    assert 0 < streamed["timeline"]["first_content_us"] < streamed["timeline"]["duration_us"]


@pytest.mark.parametrize(
    "provider", mostly_thorough([("broken-arguments",), ("cut-off",)]), indirect=True
)
def test_a_broken_provider_fails_the_job_with_an_annotation_and_a_log(
    checkout: Path, provider: Provider
) -> None:
    commands = steps(checkout)
    assert run(commands["Record"], checkout, provider.url).returncode == 0
    annotated = run(commands["Annotate"], checkout, provider.url)
    assert (annotated.returncode, annotated.stderr) == (1, "")
    assert "::error file=recordings/streamed.json,line=1,col=1,title=" in annotated.stdout
    assert run(commands["Write SARIF"], checkout, provider.url).returncode == 0
    (log,) = json.loads((checkout / "provider.sarif").read_text())["runs"]
    assert "error" in {result["level"] for result in log["results"]}


def test_a_provider_that_is_not_there_fails_the_recording(checkout: Path) -> None:
    done = run(steps(checkout)["Record"], checkout, "http://127.0.0.1:9/")
    assert done.returncode == 1
    assert done.stderr.startswith("whole: no answer at all: curl: (7)")


def test_every_code_on_the_page_is_one_of_a_rule() -> None:
    ignored = set(re.findall(r"--ignore (\S+)", PAGE.read_text()))
    assert ignored and ignored <= {rule.code for rule in rules()}


def test_the_page_is_found_from_the_readme() -> None:
    assert "(docs/check-your-provider-in-ci.md)" in (settings.BASE_DIR / "README.md").read_text()
