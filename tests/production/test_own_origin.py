"""The proxy at an origin of its own, behind the shipped nginx."""

import http.client
import socket
from collections.abc import Iterator

import pytest

from development import servers
from tests.http_server import Handler, served
from tests.production.door import nginx_before

pytestmark = pytest.mark.thorough


class Says(Handler):
    """Answers everything with 200, as web or as the proxy."""

    def do_GET(self) -> None:
        self.answer(200, b"")


@pytest.fixture
def behind() -> Iterator[int]:
    with served(Says) as url:
        yield int(url.rpartition(":")[2])


def status(port: int, path: str) -> int:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    client.request("GET", path)
    found = client.getresponse().status
    client.close()
    return found


@pytest.mark.parametrize("serves", ["all", "pages"])
def test_calls_have_an_address_where_no_page_is(behind: int, serves: str) -> None:
    nginx = servers.find_nginx()
    if nginx is None:
        pytest.skip("there is no nginx: apt-get install nginx-light")
    calls = servers.free_port()
    with nginx_before([behind], [behind], nginx=nginx, calls_port=calls, serves=serves) as (
        port,
        _,
    ):
        paths = ("/", "/sign-in/", "/api/v1/captures/batch/", "/proxy/ri_k/openai/x")
        assert [status(calls, path) for path in paths] == [404, 404, 404, 200]
        on_pages = 200 if serves == "all" else 404
        assert [status(port, path) for path in paths] == [200, 200, 200, on_pages]


def test_what_nginx_answers_for_calls_is_the_same_there() -> None:
    nginx = servers.find_nginx()
    if nginx is None:
        pytest.skip("there is no nginx: apt-get install nginx-light")
    calls = servers.free_port()
    nobody = [servers.NOBODYS_PORT]
    with nginx_before(nobody, nobody, nginx=nginx, calls_port=calls):
        with socket.create_connection(("127.0.0.1", calls), timeout=120) as client:
            client.sendall(
                b"GET /proxy/k/openai/x HTTP/1.1\r\nHost: h\r\nSec-Fetch-Dest: document\r\n\r\n"
            )
            assert b"not_to_be_loaded" in client.recv(4096)
        assert status(calls, "/proxy/k/openai/x") == 503
