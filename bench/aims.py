"""Aims of a benchmark, and whether they were met."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Aim:
    what: str
    value: float
    bound: float
    is_least: bool
    limit: str

    @property
    def is_met(self) -> bool:
        return self.value >= self.bound if self.is_least else self.value <= self.bound

    def told(self) -> tuple[str, str, str]:
        """Return what was found, the bound, and the verdict on it."""
        sign = "≥" if self.is_least else "≤"
        met = "[green]met[/]" if self.is_met else "[bold red]missed[/]"
        return f"{self.value:.2f}", f"{sign} {self.bound:g}", met
