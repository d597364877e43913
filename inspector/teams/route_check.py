"""Compares every URL pattern with the authorisation table, before the first request."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver

from inspector.teams.authorisation import TABLE
from inspector.teams.guards import auth_method_of
from inspector.teams.lazy_views import LazyView

Patterns = Sequence[URLPattern | URLResolver]


@dataclass(frozen=True, slots=True)
class Route:
    """One URL pattern. ``arguments`` are the names of its parameters and of those above it."""

    name: str
    address: str
    view: Callable[..., Any]
    arguments: tuple[str, ...]

    @property
    def view_class(self) -> type[Any] | None:
        found: type[Any] | None = getattr(self.view, "view_class", None)
        return found


def routes(
    patterns: Patterns, space: str = "", before: str = "", above: tuple[str, ...] = ()
) -> Iterator[Route]:
    for pattern in patterns:
        address = before + str(pattern.pattern)
        arguments = (*above, *pattern.pattern.regex.groupindex)
        if isinstance(pattern, URLResolver):
            inside = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from routes(pattern.url_patterns, inside, address, arguments)
        else:
            yield Route(f"{space}{pattern.name}", address, pattern.callback, arguments)


def load_views(patterns: Patterns) -> None:
    """Import what the first request to each would import."""
    for route in routes(patterns):
        if isinstance(route.view, LazyView):
            route.view.load()


def require_declared(patterns: Patterns) -> None:
    # The server does not start while a route and the table disagree.
    found = list(routes(patterns))
    problems = [*_without_row(found), *_without_route(found), *_wrong_rows(found)]
    if problems:
        raise ImproperlyConfigured("Authorisation: " + "; ".join(problems))


def _without_row(found: list[Route]) -> Iterator[str]:
    for route in found:
        if route.name not in TABLE:
            yield f"the route {route.address!r} ({route.name}) has no row in the table"


def _without_route(found: list[Route]) -> Iterator[str]:
    names = [route.name for route in found]
    for name in TABLE:
        if names.count(name) != 1:
            yield f"the row {name} names {names.count(name)} routes"


def _wrong_rows(found: list[Route]) -> Iterator[str]:
    for route in found:
        row = TABLE.get(route.name)
        # One that is loaded later is looked at then, and by the tests.
        if row is None or (isinstance(route.view, LazyView) and not route.view.is_loaded):
            continue
        if auth_method_of(route.view) != row.auth_method:
            method = row.auth_method.name
            yield f"the view of {route.name} does not authenticate by the method {method}"
        if (methods := _methods(route)) not in (None, set(row.needs)):
            yield f"the view of {route.name} takes {sorted(methods or ())}, not what its row says"


def _methods(route: Route) -> set[str] | None:
    # A function view has no list of its own: the table decides which methods it takes.
    if route.view_class is None:
        return None
    names = [name for name in route.view_class.http_method_names if name not in ("head", "options")]
    methods = {name.upper() for name in names if hasattr(route.view_class, name)}
    # The framework's own answer to OPTIONS names the methods.
    return methods | ({"OPTIONS"} if "options" in vars(route.view_class) else set())
