"""Addresses in, settings out."""

import ssl
from pathlib import Path

import pytest

from inspector.configuration import stack
from inspector.configuration.environment import EnvironmentMistake


def postgresql(url: str, password: str = "", *, is_web: bool = False) -> stack.Settings:
    return stack.postgresql(url, password, is_web=is_web)


def test_the_parts_of_an_address_are_told_apart() -> None:
    found = postgresql("postgresql://us%40er:p%2Fw@db.example:6432/the%20archive?sslmode=require")
    assert [found[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        "us@er",
        "p/w",
        "db.example",
        6432,
        "the archive",
    ]
    assert found["OPTIONS"]["sslmode"] == "require"


def test_a_password_may_be_given_apart_and_a_host_may_be_a_socket() -> None:
    found = postgresql("postgres://user:old@/archive?host=/run/postgresql", "new")
    assert (found["PASSWORD"], found["HOST"], found["PORT"]) == ("new", "/run/postgresql", "")
    assert "host" not in found["OPTIONS"]


@pytest.mark.parametrize(
    "url",
    [
        "archive",
        "mysql://host/archive",
        "postgresql://host",
        "postgresql://host/",
        "postgresql://host:0/archive",
        "postgresql://host:port/archive",
        "postgresql://[::1/archive",
        "postgresql://host/archive?options=-cfsync%3Doff",
    ],
)
def test_what_is_no_address_of_a_database_is_refused(url: str) -> None:
    with pytest.raises(EnvironmentMistake, match="DATABASE_URL"):
        postgresql(url)


@pytest.mark.parametrize("is_web", [True, False])
def test_a_connection_to_postgresql_is_kept_and_looked_at(is_web: bool) -> None:
    found = postgresql("postgresql://host/archive", is_web=is_web)
    assert found["CONN_MAX_AGE"] is None and found["CONN_HEALTH_CHECKS"]


def test_web_keeps_sqlites_file_open_from_one_request_to_the_next(tmp_path: Path) -> None:
    assert stack.sqlite(tmp_path / "archive", is_web=True)["CONN_MAX_AGE"] is None
    assert stack.sqlite(tmp_path / "archive", is_web=False)["CONN_MAX_AGE"] == 0


def test_every_wait_for_the_database_ends() -> None:
    web = postgresql("postgresql://host/archive", is_web=True)["OPTIONS"]
    assert web["connect_timeout"] == 2
    assert web["tcp_user_timeout"] == 2_000
    for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
        assert f"-c {name}=" in web["options"]
    assert "-c synchronous_commit=on" in web["options"]


def test_every_wait_for_redis_ends() -> None:
    found = stack.redis("redis://:secret@host:6380/2")
    assert found["broker_url"] == "redis://:secret@host:6380/2"
    assert found["broker_transport_options"]["socket_timeout"] == 2
    assert found["broker_transport_options"]["socket_connect_timeout"] == 1
    assert found["broker_use_ssl"] is None


def test_redis_over_tls_has_to_show_its_certificate() -> None:
    found = stack.redis("rediss://host")
    assert found["broker_use_ssl"] == {"ssl_cert_reqs": ssl.CERT_REQUIRED}


@pytest.mark.parametrize(
    "url", ["host", "http://host", "redis://", "redis://host/x", "redis://h?a=b"]
)
def test_what_is_no_address_of_a_redis_is_refused(url: str) -> None:
    with pytest.raises(EnvironmentMistake, match="REDIS_URL"):
        stack.redis(url)
