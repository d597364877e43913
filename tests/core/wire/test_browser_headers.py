"""Which response headers a browser applies to more than their response."""

import pytest

from inspector.core.wire.browser_headers import speaks_for_others


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Set-Cookie", "a=b"),
        ("set-cookie2", "a=b"),
        ("Clear-Site-Data", '"cookies"'),
        ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
        ("Public-Key-Pins", 'pin-sha256="x"; max-age=1'),
        ("Expect-CT", "max-age=1"),
        ("Alt-Svc", 'h3="other.example:443"; ma=86400'),
        ("NEL", '{"report_to":"r","max_age":1000,"success_fraction":1}'),
        ("Report-To", '{"group":"r","max_age":1,"endpoints":[{"url":"https://other.example/"}]}'),
        ("Reporting-Endpoints", 'r="https://other.example/"'),
        ("Accept-CH", "Sec-CH-UA"),
        ("Critical-CH", "Sec-CH-UA"),
        ("Set-Login", "logged-out"),
        ("Origin-Agent-Cluster", "?0"),
        ("Service-Worker-Allowed", "/"),
        ("Refresh", "0; url=https://other.example/"),
        ("Speculation-Rules", '"/rules.json"'),
        ("No-Vary-Search", "params"),
        ("Use-As-Dictionary", 'match="/t/*"'),
        ("Supports-Loading-Mode", "credentialed-prerender"),
        ("Activate-Storage-Access", "load"),
        ("Observe-Browsing-Topics", "?1"),
        ("Attribution-Reporting-Register-Source", "{}"),
        ("Sec-Session-Registration", '(ES256); path="start"'),
        ("Secure-Session-Registration", '(ES256); path="start"'),
        ("Content-Security-Policy", "default-src 'none'; report-uri https://other.example/"),
        ("Content-Security-Policy-Report-Only", "default-src 'none'"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Embedder-Policy-Report-Only", "require-corp"),
        ("Permissions-Policy", "camera=*"),
        ("Document-Policy", "force-load-at-top"),
        ("SourceMap", "/x.map"),
        ("Access-Control-Allow-Credentials", "true"),
        ("Access-Control-Allow-Private-Network", "true"),
        ("X-Accel-Redirect", "/internal/"),
        ("X-Sendfile", "/etc/passwd"),
        ("Link", "<https://other.example>; rel=preconnect"),
        ("Link", '</next>; rel=next, <https://other.example/x>; rel="DNS-Prefetch"'),
        ("Link", r'<https://other.example>; rel="pre\connect"'),
        ("WWW-Authenticate", 'Basic realm="Response Inspector"'),
        ("WWW-Authenticate", 'Bearer, digest realm="x"'),
    ],
)
def test_what_holds_beyond_its_response_speaks_for_others(name: str, value: str) -> None:
    assert speaks_for_others(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Content-Type", "text/event-stream"),
        ("Content-Disposition", "attachment"),
        ("Cache-Control", "no-store"),
        ("Vary", "Origin"),
        ("ETag", '"x"'),
        ("Location", "https://other.example/"),
        ("Retry-After", "1"),
        ("X-Request-Id", "req_1"),
        ("X-RateLimit-Remaining-Tokens", "100"),
        ("OpenAI-Processing-Ms", "12"),
        ("Server-Timing", "total;dur=12"),
        ("Deprecation", "@1688169599"),
        ("Sunset", "Wed, 11 Nov 2026 23:59:59 GMT"),
        ("CF-Ray", "8f-AMS"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Access-Control-Allow-Origin", "*"),
        ("Access-Control-Expose-Headers", "X-Request-Id"),
        ("Access-Control-Max-Age", "600"),
        ("Link", '<https://api.example/v1/files?after=2>; rel="next"'),
        ("Link", '<https://api.example/openapi.json>; rel="service-desc"'),
        ("WWW-Authenticate", 'Bearer resource_metadata="https://mcp.example/basic/x"'),
        ("X-Security", "1"),
        ("Accept-Ranges", "bytes"),
        ("", ""),
    ],
)
def test_what_holds_for_its_response_alone_does_not(name: str, value: str) -> None:
    assert not speaks_for_others(name, value)
