"""The tools: each module here has one, in the order of their names."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from inspector.mcp.tool import Tool
from inspector.teams.access import Principal


@cache
def all_tools() -> tuple[Tool, ...]:
    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").TOOL for name in names)


def tools_for(principal: Principal) -> tuple[Tool, ...]:
    """Return the tools that the key may use."""
    return tuple(tool for tool in all_tools() if principal.may(tool.scope))


def tool_named(name: str) -> Tool | None:
    return next((tool for tool in all_tools() if tool.name == name), None)
