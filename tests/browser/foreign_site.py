"""A site of somebody else, at an origin of its own on loopback, with a strict policy of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.http_server import Handler, served


@dataclass
class Site:
    """``body`` is what its one page shows. Nothing but ``inspector`` may be asked from there."""

    origin: str
    inspector: str
    body: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def policy(self) -> str:
        names = ("script-src", "connect-src", "form-action")
        return "; ".join(["default-src 'none'", *(f"{name} {self.inspector}" for name in names)])


@contextmanager
def foreign_site(inspector: str) -> Iterator[Site]:
    class Page(Handler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            page = f'<!doctype html><html lang="en"><title>Answers</title><main><h1>Answers</h1>{site.body}</main>'.encode()
            headers = {
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": site.policy,
            }
            is_page = self.path == "/"
            self.answer(200 if is_page else 404, page if is_page else b"", headers)

    with served(Page) as origin:
        site = Site(origin, inspector)
        yield site
