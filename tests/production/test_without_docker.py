"""The commands of docs/operations.md, "Without Docker", in their order and as they stand there."""

import http.client
import re
import shlex
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings

from development import servers
from tests.people import bearer
from tests.production.installation import Installation, wait_until

pytestmark = [pytest.mark.production, pytest.mark.thorough]

TEXT = (Path(settings.BASE_DIR) / "docs" / "operations.md").read_text()
SECTION = TEXT[TEXT.index("Without Docker") : TEXT.index("| program | does |")]
ONCE, GOING_ON = [
    block.splitlines() for block in re.findall(r"```\n(.*?)\n```", SECTION, re.DOTALL)
]
WAITED = re.compile(r'inspector_inspection_wait_seconds_count{program="(worker|sweep)"} 1\.0')
STYLE = re.compile(r'rel="stylesheet" href="([^"]+)"')


def page(port: int, path: str, key: str = "") -> tuple[int, str]:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        client.request("GET", path, headers=bearer(key) if key else {})
        answer = client.getresponse()
        return answer.status, answer.read().decode()
    except OSError:
        return 0, ""
    finally:
        client.close()


def coding(port: int, path: str) -> str | None:
    """Return how what is found there comes to somebody who takes gzip."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as client:
        client.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = client.getresponse()
        assert answer.status == 200
        return answer.headers["Content-Encoding"]


@pytest.mark.django_db(transaction=True)
def test_every_line_works_and_pages_are_shown(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nginx = servers.find_nginx()
    if nginx is None:
        pytest.skip("there is no nginx: apt-get install nginx-light")
    monkeypatch.setenv("INSPECTOR_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("INSPECTOR_METRICS_KEY", "k")
    door, web, proxy = servers.free_port(), servers.free_port(), servers.free_port()
    tmp_path.chmod(0o755)
    (folder := tmp_path / "nginx").mkdir(mode=0o755)
    there = {
        "python3": sys.executable,
        "8000": str(web),
        "8001": str(proxy),
        "nginx": nginx,
        "/var/lib/inspector": str(folder),
        "/etc/inspector/nginx.conf": str(servers.nginx_configuration(folder, door, [web], [proxy])),
    }

    for line in ONCE:
        assert installation.run(words(line, there)).wait(600) == 0, line
    for line in GOING_ON:
        installation.run(words(line, there))

    wait_until(lambda: page(door, "/readyz")[0] == 200)
    wait_until(lambda: page(proxy, "/readyz")[0] == 200)
    status, text = page(door, "/sign-in/")
    assert status == 200
    assert [coding(door, style) for style in STYLE.findall(text)] == ["gzip"]

    installation.port = door
    assert installation.post().status == 202
    # The worker's children are forks, and the one that is asked is another program.
    wait_until(lambda: WAITED.search(page(door, "/metrics", "k")[1]) is not None)
    assert 'code="202",program="web",route="intake"} 1.0' in page(door, "/metrics", "k")[1]
    assert 'outcome="page",route="status"' in page(proxy, "/metrics", "k")[1]


def words(line: str, there: dict[str, str]) -> list[str]:
    return [there.get(word, word) for word in shlex.split(line)]
