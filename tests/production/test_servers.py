"""The servers of the tests themselves: private, and gone with whoever started them."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
import redis
from django.conf import settings

from development import servers
from development.servers import Programs
from tests.production.installation import wait_until

pytestmark = [pytest.mark.production, pytest.mark.thorough]

USUAL_PORTS = (5432, 6379)
# What is started from a shell's background ignores SIGINT, and so do its children.
STARTS_BOTH = """
import signal
import time
from development import servers
signal.signal(signal.SIGINT, signal.default_int_handler)
with servers.running(servers.find()) as running:
    print(running.database_url, running.redis_url, flush=True)
    time.sleep(600)
"""


def test_they_are_empty_private_and_not_where_others_are_found(programs: Programs) -> None:
    with servers.running(programs) as running:
        with psycopg.connect(running.database_url) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
            tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            assert connection.execute(tables).fetchone() == (0,)
        place = urlsplit(running.redis_url)
        assert place.hostname == "127.0.0.1" and place.port not in USUAL_PORTS
        with redis.Redis(port=place.port or 0) as stranger, pytest.raises(redis.RedisError):
            stranger.dbsize()
        folder = folder_of(running.database_url)
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_however_their_starter_ends_they_end_too(number: signal.Signals) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTS_BOTH],
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert starter.stdout is not None
    database_url, redis_url = starter.stdout.readline().split()
    os.kill(starter.pid, number)
    starter.wait()
    starter.stdout.close()
    wait_until(lambda: not folder_of(database_url).exists(), seconds=50)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(database_url)
    wait_until(lambda: not answers(redis_url), seconds=50)


def answers(redis_url: str) -> bool:
    try:
        with redis.Redis.from_url(redis_url) as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False


def folder_of(database_url: str) -> Path:
    return Path(parse_qs(urlsplit(database_url).query)["host"][0])
