from django.conf import LazySettings

from inspector.core.analysis import ANALYSIS_VERSION
from inspector.version import VERSION
from tests.people import Person


def test_the_root_tells_limits_versions_and_links(owner: Person, settings: LazySettings) -> None:
    settings.MAX_BODY_BYTES = 12_345
    found = owner.get("/api/v1/").json
    assert found["limits"]["body_bytes"] == 12_345
    assert (found["limits"]["envelope_depth"], found["limits"]["envelope_digits"]) == (64, 4300)
    assert found["versions"] == {"api": "v1", "analysis": ANALYSIS_VERSION, "product": VERSION}
    for name in ("captures", "inspect"):
        path = found["links"][name].removeprefix("http://127.0.0.1:8000")
        assert owner.get(path).status in (200, 405)


def test_the_root_tells_where_the_proxy_is(owner: Person, settings: LazySettings) -> None:
    settings.PROXY_ORIGIN = "http://127.0.0.1:8001"
    links = owner.get("/api/v1/").json["links"]
    assert links["proxy"] == "http://127.0.0.1:8001/proxy/"


def test_without_a_proxy_the_link_is_null(owner: Person, settings: LazySettings) -> None:
    settings.PROXY_ORIGIN = ""
    links = owner.get("/api/v1/").json["links"]
    assert links["proxy"] is None
