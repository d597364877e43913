"""docker-compose.yml and its examples name what exists, and all of it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from inspector import environment, settings

ROOT = Path(__file__).parent.parent.parent
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("web", "worker", "sweep", "migrate")
EXAMPLE = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
IMAGE = set(re.findall(r"(INSPECTOR_\w+)=", (ROOT / "Dockerfile").read_text()))
# For compose itself: they reach no program.
COMPOSES_OWN = {"PUBLISHED_PORT", "IMAGE_TAG"}
# Fixed in the file, or told by the commands themselves.
SETTLED = {"DATABASE_URL", "REDIS_URL", "INSPECTOR_ROLE"}
# The addresses hold no secret there.
NOT_NEEDED = {"DATABASE_URL_FILE", "REDIS_URL_FILE"}


def known() -> set[str]:
    assert settings.SECRET_KEY
    return {name for name in environment.known() if "EXAMPLE" not in name}


@pytest.mark.parametrize("service", OURS)
def test_every_variable_is_a_setting_and_every_setting_is_there(service: str) -> None:
    named = set(SERVICES[service]["environment"])
    assert named <= known()
    assert known() - named == IMAGE | NOT_NEEDED | {"INSPECTOR_ROLE"}


def test_the_example_names_what_may_be_chosen() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    assert asked == EXAMPLE
    assert set(SERVICES["web"]["environment"]) - SETTLED == EXAMPLE - COMPOSES_OWN


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_is_confined(service: str) -> None:
    found = SERVICES[service]
    assert found["read_only"] and found["cap_drop"] == ["ALL"]
    assert found["mem_limit"] and found["cpus"]
    assert service in OURS or not found["user"].startswith("0")
    assert re.search(r"^USER (?!root)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_one_port_is_published_and_images_have_no_host() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["nginx"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert not [s for s in SERVICES.values() if "/" in s["image"]]
