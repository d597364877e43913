from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.operations.command_errors import one_line_errors
from inspector.operations.data_dir import add_data_dir_argument
from inspector.teams import team_upstreams
from inspector.teams.access import for_team

NETWORKS_HINT = "; INSPECTOR_PROXY_NETWORKS lists private networks that upstreams may be in"


class Command(BaseCommand):
    help = (
        "Add an upstream: a place that the proxy may call for a team. On the embedded stack it may"
        " be on this machine or in its network."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument("--name", required=True, help="stands in the proxy's addresses")
        parser.add_argument(
            "--url", required=True, help="what its calls go below, such as https://llm.example/api"
        )
        add_data_dir_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with one_line_errors():
            principal = for_team(options["team"])
            if principal is None:
                raise CommandError(f"there is no team {options['team']}")
            door = team_upstreams.for_principal(principal)
            is_local = settings.IS_EMBEDDED and team_upstreams.needs_owner(options["url"])
            if refusal := door.add(options["name"], options["url"], is_local):
                is_remedied = refusal.field == "address" and not settings.IS_EMBEDDED
                hint = NETWORKS_HINT if is_remedied else ""
                raise CommandError(f"{refusal.sentence.rstrip('.')}{hint}")
            added = next(each for each in door.all() if each.name == options["name"])
            self.stdout.write(f"{settings.PROXY_ORIGIN}/proxy/KEY/{added.name}{added.client_path}")
