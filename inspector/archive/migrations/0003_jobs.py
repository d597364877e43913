import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0002_found_and_gone"),
        ("teams", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(choices=[("reinspection", "Reinspection")], max_length=32),
                ),
                ("analysis_version", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("finished", "Finished"),
                            ("superseded", "Superseded"),
                        ],
                        default="open",
                        max_length=12,
                    ),
                ),
                ("total", models.PositiveBigIntegerField()),
                ("done", models.PositiveBigIntegerField(default=0)),
                ("changed", models.PositiveBigIntegerField(default=0)),
                ("failed", models.PositiveBigIntegerField(default=0)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("cursor", models.UUIDField(null=True)),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                (
                    "due_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("lease_token", models.UUIDField(null=True)),
                ("last_error", models.CharField(max_length=200, null=True)),
                (
                    "team",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="teams.team",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "open")), fields=["due_at"], name="job_due"
                    ),
                    models.Index(fields=["team", "-id"], name="job_newest"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("team", "kind", "analysis_version"),
                        name="job_open_once",
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="document",
            name="reinspected_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="document",
            name="reinspection_error",
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name="inspection",
            name="tried_version",
            field=models.PositiveIntegerField(db_default=1),
        ),
    ]
