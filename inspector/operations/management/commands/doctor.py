from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.operations import doctor
from inspector.operations.data_dir import add_data_dir_argument


class Command(BaseCommand):
    help = "Say what is wrong with an installation, and what to do. Exits with 1 if anything is."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        add_data_dir_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        found = [*doctor.examine()]
        for each in found:
            if each.trouble is None:
                self.stdout.write(f"{each.part:13} ok")
            else:
                self.stdout.write(f"{each.part:13} {each.trouble.what}")
                self.stdout.write(f"{'':13} → {each.trouble.remedy}")
        troubles = sum(each.trouble is not None for each in found)
        if troubles:
            raise CommandError(f"{troubles} of {len(found)} parts need something", returncode=1)
