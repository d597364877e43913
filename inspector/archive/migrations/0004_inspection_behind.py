from django.db import migrations, models

from inspector.archive.indexing import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("archive", "0003_jobs")]

    operations = [
        AddIndexBesideWriters(
            model_name="inspection",
            index=models.Index(
                fields=["team", "tried_version", "capture"], name="inspection_behind"
            ),
        ),
    ]
