"""The protocol's own client over the wire, and what a process of web loads before anybody asks."""

import subprocess
import sys

import anyio
import httpx2
from django.conf import settings
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.api.serving import Server, environment_of, keep_one
from tests.mcp.official_client import data_of
from tests.people import bearer


def test_a_real_server_answers_the_official_client(server: Server) -> None:
    capture_id = keep_one(server)

    async def run(mode: str) -> str:
        async with httpx2.AsyncClient(headers=bearer(server.key), trust_env=False) as http:
            stream = streamable_http_client(f"{server.url}/mcp", http_client=http)
            async with Client(stream, mode=mode) as client:
                found = await client.call_tool("show_capture", {"id": capture_id})
        return str(data_of(found)["id"])

    assert [anyio.run(run, mode) for mode in ("auto", "legacy")] == [capture_id, capture_id]


def test_a_process_loads_no_tool_before_it_is_asked_and_never_the_sdk(server: Server) -> None:
    program = (
        "import sys, django; django.setup(); import inspector.urls;"
        "print([name for name in sys.modules if name.startswith(('inspector.mcp', 'mcp'))]);"
        "import inspector.mcp.endpoint; from inspector.mcp.tools import all_tools; all_tools();"
        "print('mcp' in sys.modules, 'mcp_types' in sys.modules)"
    )
    environment = environment_of(server.folder) | {"INSPECTOR_ROLE": "web"}
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=settings.BASE_DIR,
        check=True,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.splitlines() == ["['inspector.mcp', 'inspector.mcp.urls']", "False False"]
