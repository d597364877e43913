from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.archive.background import retention_rules, retention_steps
from inspector.formatting.forecasts import NOT_COUNTED, forecast_words
from inspector.operations.backup import command_output
from inspector.operations.data_dir import add_data_dir_argument
from inspector.operations.operator_error import OperatorError
from inspector.operations.reports.terminal_escape import escape_for_terminal
from inspector.teams.access import Principal, for_team
from inspector.work.run import run_one


class Command(BaseCommand):
    help = (
        "List a team's retention rules with what each would delete now; with --run, have those that"
        " are switched on and due delete it."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument(
            "--run", action="store_true", help="carry out what is due, of every team, and end"
        )
        add_data_dir_argument(parser)

    def handle(self, *, team: str, run: bool, **options: Any) -> None:
        with command_output.exit_codes():
            principal = for_team(team)
            if principal is None:
                raise OperatorError(f"There is no team {team}.")
            while run and run_one(retention_steps.KIND):
                pass
            for line in _lines(principal):
                self.stdout.write(escape_for_terminal(line))


def _lines(principal: Principal) -> Iterator[str]:
    rules, counted = retention_rules.rules(principal), retention_rules.forecasts(principal)
    if not rules:
        yield "No rules: nothing is deleted by itself."
    for rule in rules:
        state = "on" if rule.is_on else "off"
        what = f"{rule.clock} {rule.query or '(all)'} after {rule.days} days"
        found = counted.get(rule.id)
        now = (
            NOT_COUNTED
            if found is None
            else forecast_words(
                rule.thing, found.count, found.byte_length, found.oldest, found.first_due
            )
        )
        yield f"{rule.id} {state}: {what}; would delete now: {now}; deleted so far: {rule.deleted}"
