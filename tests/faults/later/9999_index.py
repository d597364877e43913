from django.db import migrations, models

from inspector.database.concurrent_index import PortableAddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("archive", "9998_column")]

    operations = [
        PortableAddIndexConcurrently(
            "capture", models.Index(fields=["later", "id"], name="capture_later")
        )
    ]
