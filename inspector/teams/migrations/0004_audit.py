import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("teams", "0003_key_made_by"),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="maker_id",
            field=models.BigIntegerField(null=True),
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("by", models.CharField(max_length=200)),
                ("act", models.CharField(max_length=40)),
                ("on", models.CharField(max_length=200)),
                ("network", models.CharField(max_length=50, null=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "team",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="teams.team",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("team"),
                        models.OrderBy(models.F("id"), descending=True),
                        name="audit_of_team",
                    ),
                    models.Index(fields=["at"], name="audit_at"),
                    models.Index(
                        condition=models.Q(("act", "tried a wrong password")),
                        fields=["id"],
                        name="audit_failed",
                    ),
                ],
            },
        ),
    ]
