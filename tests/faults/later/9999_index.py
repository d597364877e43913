from django.db import migrations, models

from inspector.database.concurrent_index import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("archive", "9998_column")]

    operations = [
        AddIndexBesideWriters(
            "capture", models.Index(fields=["later", "id"], name="capture_later")
        ),
    ]
