"""The ways by which a service's answers come here, each with its steps to paste."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.urls import reverse

from inspector.dashboard.connect.agent_lines import agent_steps
from inspector.dashboard.connect.client_code import (
    PLACEHOLDER,
    ClientCode,
    client_codes,
    has_variable,
)
from inspector.dashboard.connect.client_packages import (
    ClientPackage,
    devtools_extension,
    node_package,
    python_package,
)
from inspector.dashboard.connect.panel import ConnectPanel, UpstreamLine, connect_panel
from inspector.dashboard.connect.paste_step import PasteStep
from inspector.dashboard.connect.service_clients import NODE, ServiceClient
from inspector.installation import IS_INSTALLED, PROGRAM, command_line
from inspector.teams.access import CAPTURE, INGEST, READ, Principal
from inspector.teams.team_upstreams import TeamUpstream
from inspector.teams.upstream_presets import ClientStyle

EXAMPLE = (
    '{"object":"chat.completion","model":"demo","choices":[{"index":0,"finish_reason":"stop",'
    '"message":{"role":"assistant","content":"Hello, archive."}}]}'
)
CAPTURES_PATH = "/api/v1/captures/"
ANY_UPSTREAM = "proxy"
"""The client that speaks with any upstream: whatever takes a base URL."""
_WHERE_TEE_IS = (
    "Response Inspector must be installed where you run it."
    if IS_INSTALLED
    else f"Run it in the folder of Response Inspector, where {PROGRAM} is."
)


class WaySlug(StrEnum):
    PACKAGE = "package"
    PROXY = "proxy"
    SEND = "send"
    PAGE = "page"
    DEVTOOLS = "devtools"
    ASK = "ask"


SCOPES = {
    WaySlug.PACKAGE: INGEST,
    WaySlug.PROXY: CAPTURE,
    WaySlug.SEND: INGEST,
    WaySlug.PAGE: INGEST,
    WaySlug.DEVTOOLS: INGEST,
    WaySlug.ASK: READ,
}
"""Scope of the key of each way."""


@dataclass(frozen=True, slots=True)
class ConnectWay:
    slug: WaySlug
    title: str
    words: str
    known: str
    """Words on what is known afterwards."""
    steps: tuple[PasteStep, ...]
    has_key: bool
    """The steps have a key in them, which is shown only now."""
    codes: tuple[ClientCode, ...] = ()
    """How client libraries are given the address, where none of them was chosen."""
    upstreams: tuple[UpstreamLine, ...] = ()
    """Upstreams that the address may be chosen from."""

    @property
    def other_lines(self) -> tuple[UpstreamLine, ...]:
        """Lines that have the new key, too; empty without one."""
        if not self.has_key:
            return ()
        return tuple(each for each in self.upstreams if not each.is_chosen)


def ways_of(
    client: ServiceClient,
    principal: Principal,
    team: str,
    upstream: str = "",
    keyed: str = "",
    key: str = PLACEHOLDER,
) -> tuple[ConnectWay, ...]:
    """Our package first, where there is one for the language. ``keyed`` is the way that ``key`` was
    made for, ``upstream`` what the proxy calls for a client that speaks with any.
    """

    def key_of(way: WaySlug) -> str:
        return key if way == keyed else PLACEHOLDER

    wanted = upstream if client.slug == ANY_UPSTREAM and upstream else client.upstream
    panel = connect_panel(principal, team, wanted, key_of(WaySlug.PROXY))
    found = (
        _ask_way(client, key_of(WaySlug.ASK)),
        _page_way(client, key_of(WaySlug.PAGE)),
        _devtools_way(client, key_of(WaySlug.DEVTOOLS)),
        _package_way(client, key_of(WaySlug.PACKAGE)),
        _proxy_way(client, panel),
        _send_way(client, key_of(WaySlug.SEND)),
    )
    order = {"http": WaySlug.SEND, "page": WaySlug.PAGE, "devtools": WaySlug.DEVTOOLS}
    first = order.get(client.slug)
    ways = [way for way in found if way is not None]
    return tuple(sorted(ways, key=lambda way: way.slug != first))


def _ask_way(client: ServiceClient, key: str) -> ConnectWay | None:
    steps = agent_steps(client.slug, key)
    if not steps:
        return None
    words = (
        "The agent searches captures, reads their findings and events, and compares two. The key"
        " here reads, and can write nothing."
    )
    known = "What the team has captured, for the agent to read."
    return ConnectWay(WaySlug.ASK, "Ask the archive", words, known, steps, key != PLACEHOLDER)


def _page_way(client: ServiceClient, key: str) -> ConnectWay | None:
    if client.slug != "page":
        return None
    module = f"{settings.ORIGIN}{reverse('dashboard:browser-file', args=['index.js'])}"
    given = f'{{ url: "{settings.ORIGIN}", key: "{key}" }}'
    steps = (
        PasteStep(
            "fetch",
            "Record what the page fetches",
            '<script type="module">\n'
            f'  import {{ capture }} from "{module}";\n'
            f"  window.fetch = capture(window.fetch, {given});\n"
            "</script>",
            "Before the scripts that call a model. A policy of the page (CSP) must allow this"
            " address in script-src and connect-src.",
        ),
        PasteStep(
            "event-source",
            "Where the page reads by EventSource",
            f'import {{ captureEventSource }} from "{module}";\n'
            f"const EventSource = captureEventSource({given});",
        ),
    )
    words = (
        "The page records its own calls, with the time of each read. The provider's key never"
        " leaves it. The key here sends from the origins that it lists, and can read nothing."
    )
    known = "Request, response, headers, and when the page took each read."
    return ConnectWay(WaySlug.PAGE, "From the page", words, known, steps, key != PLACEHOLDER)


def _devtools_way(client: ServiceClient, key: str) -> ConnectWay | None:
    if client.slug != "devtools":
        return None
    extension = devtools_extension()
    folder = extension.file_name.removesuffix(".zip")
    steps = (
        PasteStep(
            "install",
            "Put it into the browser",
            f"curl -sSO {_address_of(extension)}\nunzip -d {folder} {extension.file_name}",
            "Then, in Chromium, Chrome or Edge: chrome://extensions, Developer mode, Load unpacked,"
            " and this folder; in Firefox: about:debugging, Load Temporary Add-on, and the zip."
            " DevTools has the tab Responses from then on.",
        ),
        PasteStep("address", "Address, under Settings of the panel", settings.ORIGIN),
        PasteStep("key", "Key, there too", key),
    )
    words = (
        "DevTools lists the calls of a page while they stream. You choose which sites it sees and"
        " which calls are kept here; nothing else leaves the browser, the provider's key never."
    )
    known = "Request, response, headers, and when the page took each read."
    title = "From DevTools"
    return ConnectWay(WaySlug.DEVTOOLS, title, words, known, steps, key != PLACEHOLDER)


def _address_of(package: ClientPackage) -> str:
    path = reverse("dashboard:client-package", args=[package.file_name])
    return f"{settings.ORIGIN}{path}"


def _package_way(client: ServiceClient, key: str) -> ConnectWay | None:
    if not client.code:
        return None
    package = node_package() if client.language == NODE else python_package()
    address = _address_of(package)
    install = "npm install" if client.language == NODE else "pip install"
    steps = (
        PasteStep(
            "shell",
            "Where the program runs",
            f"{install} {address}\n"
            f"export INSPECTOR_URL={settings.ORIGIN}\nexport INSPECTOR_KEY={key}",
        ),
        PasteStep("code", "Wrap the client", client.code),
    )
    words = "No address changes, and nothing stands between the program and the provider."
    known = "request, response, times of the program"
    return ConnectWay(WaySlug.PACKAGE, "Wrap the client", words, known, steps, key != PLACEHOLDER)


def _proxy_way(client: ServiceClient, panel: ConnectPanel) -> ConnectWay | None:
    """None where the proxy does not run, or may not call what the client calls."""
    takes_any = client.slug == ANY_UPSTREAM
    if not panel.proxy_origin or panel.chosen is None:
        return None
    if not takes_any and panel.chosen.name != client.upstream:
        return None
    steps = tuple(_proxy_steps(client, panel, panel.chosen))
    words = "Bytes pass unchanged; the provider’s key goes through and is not stored."
    known = "request, response, exact bytes, times of the wire"
    codes, upstreams = (panel.codes, panel.lines) if takes_any else ((), ())
    return ConnectWay(
        WaySlug.PROXY, "Through the proxy", words, known, steps, panel.has_key, codes, upstreams
    )


def _proxy_steps(
    client: ServiceClient, panel: ConnectPanel, upstream: TeamUpstream
) -> Iterator[PasteStep]:
    codes = [each.code for each in panel.codes if each.slug == client.proxy_slug]
    if client.reads_variable and has_variable(upstream.style):
        yield PasteStep("line", "Set one variable where the program runs", panel.chosen_line)
        title = "Or set the address in code"
    else:
        instead = f"Call this address in place of {upstream.base_url}{upstream.client_path}"
        if not codes:
            yield PasteStep("line", instead, panel.chosen_url)
        title = "Call the proxy in place of the provider"
    for code in codes:
        yield PasteStep("proxy-code", title, code)


def _send_way(client: ServiceClient, key: str) -> ConnectWay | None:
    if client.slug not in ("curl", "http"):
        return None
    steps = tuple(_http_steps(key) if client.slug == "http" else _curl_steps(key))
    words = (
        "Send the body as the provider sent it; for times, an envelope with the time of each read."
    )
    known = "response; request and times where you send them"
    return ConnectWay(WaySlug.SEND, "Send an answer", words, known, steps, key != PLACEHOLDER)


def _curl_steps(key: str) -> Iterator[PasteStep]:
    yield PasteStep(
        "post",
        "One answer",
        f"curl -sS {settings.ORIGIN}{CAPTURES_PATH} \\\n"
        f"  -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \\\n"
        f"  -d '{EXAMPLE}'",
    )
    yield PasteStep(
        "file",
        "A stream that you kept in a file",
        f"curl -sS {settings.ORIGIN}{CAPTURES_PATH} \\\n"
        f"  -H 'Authorization: Bearer {key}' -H 'Content-Type: text/event-stream' \\\n"
        "  --data-binary @answer.sse",
    )
    [call] = [
        each.code
        for each in client_codes(ClientStyle.OPENAI, "https://api.openai.com/v1")
        if each.slug == "curl"
    ]
    yield PasteStep(
        "tee",
        "A stream, with the time of each piece",
        f"export INSPECTOR_URL={settings.ORIGIN} INSPECTOR_KEY={key}\n"
        f"{call.replace('curl -N', 'curl -iN')} |\n  {command_line('tee --send')}",
        f"{_WHERE_TEE_IS} Pieces that come while the command starts, in the first second, share"
        " one time.",
    )


def _http_steps(key: str) -> Iterator[PasteStep]:
    host = settings.ORIGIN.partition("://")[2]
    yield PasteStep(
        "request",
        "One request",
        f"POST {CAPTURES_PATH} HTTP/1.1\nHost: {host}\nAuthorization: Bearer {key}\n"
        f"Content-Type: application/json\nContent-Length: {len(EXAMPLE)}\n\n{EXAMPLE}",
        "A stream goes the same way, with Content-Type: text/event-stream.",
    )
