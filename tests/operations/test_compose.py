"""docker-compose.yml and its examples name what exists, and all of it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.pin_images import images, pinned
from inspector import settings
from inspector.configuration import environment
from inspector.operations.up import programs

ROOT = Path(__file__).parent.parent.parent
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
NGINX = (ROOT / "deploy" / "nginx" / "nginx.conf").read_text()
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("web", "proxy", "worker", "sweep", "migrate")
EXAMPLE = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
IMAGE = set(re.findall(r"(INSPECTOR_\w+)=", (ROOT / "Dockerfile").read_text()))
# For compose itself: they reach no program.
COMPOSES_OWN = {"PUBLISHED_ADDRESS", "PUBLISHED_PORT", "PUBLISHED_PROXY_PORT", "IMAGE_TAG"}
# Fixed in the file, or told by the commands themselves.
SETTLED = {"DATABASE_URL", "REDIS_URL", "INSPECTOR_ROLE"}
# The addresses hold no secret there.
NOT_NEEDED = {"DATABASE_URL_FILE", "REDIS_URL_FILE"}
# Of the embedded stack; here it is nginx that is told.
EMBEDDED = {"INSPECTOR_TRUSTED_PROXIES"}


def known() -> set[str]:
    assert settings.SECRET_KEY
    return {name for name in environment.known_variables() if "EXAMPLE" not in name}


@pytest.mark.parametrize("service", OURS)
def test_every_variable_is_a_setting_and_every_setting_is_there(service: str) -> None:
    named = set(SERVICES[service]["environment"])
    assert named <= known()
    assert known() - named == IMAGE | NOT_NEEDED | EMBEDDED | {"INSPECTOR_ROLE"}


def test_the_example_names_what_may_be_chosen() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    assert asked == EXAMPLE
    assert set(SERVICES["web"]["environment"]) - SETTLED == EXAMPLE - COMPOSES_OWN


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_is_confined(service: str) -> None:
    found = SERVICES[service]
    assert found["read_only"] and found["cap_drop"] == ["ALL"]
    assert found["mem_limit"] and found["cpus"] and found["pids_limit"]
    assert found["logging"]["options"]["max-size"] == "10m"
    assert service in OURS or not found["user"].startswith("0")
    assert re.search(r"^USER (?!root)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_nginx_alone_is_published_and_images_have_no_host() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["nginx"]
    for port in SERVICES["nginx"]["ports"]:
        assert port.startswith("${PUBLISHED_ADDRESS:-127.0.0.1}:")
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert not [s for s in SERVICES.values() if "/" in s["image"]]


def test_the_proxy_reaches_providers_and_nobody_reaches_it_but_nginx() -> None:
    outside = [name for name, service in SERVICES.items() if "outside" in service["networks"]]
    assert outside == ["nginx", "proxy"]
    assert "ports" not in SERVICES["proxy"]


def test_a_proxy_that_is_replaced_lets_answers_end_and_leaves_what_it_kept() -> None:
    grace = int(SERVICES["proxy"]["stop_grace_period"].removesuffix("s"))
    assert grace > programs.patience_seconds("proxy")
    spool = "/srv/inspector/var/proxy-spool"
    assert f"spool:{spool}" in SERVICES["proxy"]["volumes"]
    assert "spool" in COMPOSE["volumes"]
    assert spool in made_for_volumes()


def test_the_programs_of_a_host_count_in_one_place() -> None:
    folder = "/srv/inspector/var/metrics"
    for name in ("web", "worker", "sweep"):
        assert f"metrics:{folder}" in SERVICES[name]["volumes"]
    assert "metrics" in COMPOSE["volumes"]
    assert folder in made_for_volumes()


def made_for_volumes() -> list[str]:
    made = re.search(r"install -d -o inspector -m 700 (.+)", (ROOT / "Dockerfile").read_text())
    return [f"/srv/inspector/{folder}" for folder in made[1].split()] if made else []


def test_nginx_waits_longer_for_an_answer_than_the_proxy_does() -> None:
    location = NGINX[NGINX.index("location ~ ^/proxy/") :]
    waits = re.search(r"proxy_read_timeout (\d+)s;", location)
    assert waits
    assert int(waits[1]) > max(settings.PROXY_FIRST_BYTE_SECONDS, settings.PROXY_IDLE_SECONDS)


def test_the_image_holds_the_product_and_nothing_that_tests_it() -> None:
    copied = re.findall(r"^COPY (?!--from)(\S+) ", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    sent = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    folders = {"inspector", "api", "clients", "docs", "templates", "static"}
    assert set(copied) == set(sent) == folders | {"manage.py", "requirements.lock"}


def test_each_program_sees_its_own_secrets() -> None:
    mounted = {
        name: [one for one in service.get("volumes", []) if "/run/secrets" in one]
        for name, service in SERVICES.items()
    }
    own = ["./secrets/inspector:/run/secrets:ro"]
    assert mounted == {
        "nginx": ["./secrets/nginx:/run/secrets:ro"],
        "postgres": ["./secrets/postgres:/run/secrets:ro"],
        "redis": [],
        **dict.fromkeys(OURS, own),
    }
    assert not [n for n in SERVICES["nginx"].get("environment", ()) if "KEY" in n]


IMAGES = """services:
  web:
    image: response-inspector:${IMAGE_TAG:-latest}
  nginx:
    image: nginx:stable-alpine
  redis:
    image: redis:7-bookworm@sha256:0123  # pinned before
"""
DIGESTS = {"nginx:stable-alpine": "sha256:abcd", "redis:7-bookworm": "sha256:ef01"}


def test_images_of_others_are_pinned_and_pinned_anew() -> None:
    assert images(IMAGES) == ["nginx:stable-alpine", "redis:7-bookworm"]
    once = pinned(IMAGES, DIGESTS)
    assert "    image: nginx:stable-alpine@sha256:abcd\n" in once
    assert "    image: redis:7-bookworm@sha256:ef01  # pinned before\n" in once
    assert "    image: response-inspector:${IMAGE_TAG:-latest}\n" in once
    assert pinned(once, DIGESTS) == once


def test_the_stages_of_the_image_are_pinned_together() -> None:
    dockerfile = "FROM python:3.11-slim AS packages\nRUN x\nFROM python:3.11-slim\n"
    assert images(dockerfile) == ["python:3.11-slim"]
    assert pinned(dockerfile, {"python:3.11-slim": "sha256:ab"}) == (
        "FROM python:3.11-slim@sha256:ab AS packages\nRUN x\nFROM python:3.11-slim@sha256:ab\n"
    )
