"""Cuts uploads once more that were acknowledged and could not be cut into captures."""

from typing import Any

from django.core.management.base import BaseCommand

from inspector.transfer.uploads import steps


class Command(BaseCommand):
    help = "Has uploads that failed cut into captures once more, say after an upgrade."

    def handle(self, *args: Any, **options: Any) -> None:
        opened = steps.retry_failed()
        self.stdout.write(f"{opened} of the uploads that failed are cut once more.")
