from django.db import migrations, models

from inspector.archive.indexing import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("feedback", "0003_waiting_room")]

    operations = [
        AddIndexBesideWriters(
            model_name="vote",
            index=models.Index(
                condition=models.Q(("capture__isnull", True)),
                fields=["team", "source", "byte_length"],
                name="vote_waiting_room",
            ),
        ),
    ]
