from django.db import migrations, models

from inspector.archive.indexing import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("archive", "0008_slow_reading")]

    operations = [
        AddIndexBesideWriters(
            model_name="capture",
            index=models.Index(
                condition=models.Q(("state__in", ("received", "processing"))),
                fields=["team", "key", "due_at"],
                name="capture_due_in_turn",
            ),
        ),
    ]
