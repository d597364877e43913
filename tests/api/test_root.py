from django.conf import LazySettings

from inspector.core.analysis import ANALYSIS_VERSION
from tests.people import Person


def test_the_root_tells_limits_versions_and_links(owner: Person, settings: LazySettings) -> None:
    settings.MAX_BODY_BYTES = 12_345
    found = owner.get("/api/v1/").json
    assert found["limits"]["body_bytes"] == 12_345
    assert (found["limits"]["envelope_depth"], found["limits"]["envelope_digits"]) == (64, 4300)
    assert found["versions"] == {"api": "v1", "analysis": ANALYSIS_VERSION}
    for name in ("captures", "inspect"):
        path = found["links"][name].removeprefix("http://127.0.0.1:8000")
        assert owner.get(path).status in (200, 405)
