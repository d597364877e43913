import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("archive", "0007_job_repricing")]

    operations = [
        migrations.CreateModel(
            name="SlowReading",
            fields=[
                (
                    "capture",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="archive.capture",
                    ),
                ),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), db_index=True
                    ),
                ),
                ("ms", models.PositiveBigIntegerField()),
            ],
        ),
    ]
