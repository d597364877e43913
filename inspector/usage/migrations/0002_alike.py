from django.db import migrations, models

BUCKETS = tuple(f"n{bucket}" for bucket in range(8))
NUMBER = models.BigAutoField(
    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
)


def to(model: str, **more: object) -> models.ForeignKey:
    behaviour = models.CASCADE if model == "usage.series" else models.PROTECT
    return models.ForeignKey(
        to=model, on_delete=behaviour, db_index=False, related_name="+", **more
    )


PLACE = (
    ("by", models.CharField(max_length=20)),
    ("span_seconds", models.PositiveIntegerField()),
    ("start", models.DateTimeField()),
)


class Migration(migrations.Migration):
    """Sums by what captures have in common. What was counted before is counted anew: a newer
    analysis has every capture read again.
    """

    dependencies = [("usage", "0001_sums")]

    operations = [
        migrations.DeleteModel("Share"),
        migrations.DeleteModel("Sum"),
        migrations.DeleteModel("Series"),
        migrations.CreateModel(
            name="Series",
            fields=[
                ("id", NUMBER),
                ("by", models.CharField(max_length=20)),
                ("digest", models.CharField(max_length=64)),
                ("model", models.CharField(max_length=500, null=True)),
                ("request_model", models.CharField(max_length=500, null=True)),
                ("vendor", models.CharField(max_length=63, null=True)),
                ("dialect", models.CharField(max_length=63, null=True)),
                ("service_tier", models.CharField(max_length=63, null=True)),
                ("fingerprint", models.CharField(max_length=200, null=True)),
                ("key", to("teams.apikey", null=True)),
                ("team", to("teams.team")),
            ],
        ),
        migrations.CreateModel(
            name="Sum",
            fields=[
                ("id", NUMBER),
                *PLACE,
                ("measure", models.CharField(max_length=100)),
                ("captures", models.BigIntegerField()),
                ("total", models.BigIntegerField()),
                ("series", to("usage.series")),
                ("team", to("teams.team")),
            ],
        ),
        migrations.CreateModel(
            name="Octave",
            fields=[
                ("id", NUMBER),
                *PLACE,
                ("measure", models.CharField(max_length=20)),
                ("octave", models.PositiveSmallIntegerField()),
                *((name, models.BigIntegerField()) for name in BUCKETS),
                ("series", to("usage.series")),
                ("team", to("teams.team")),
            ],
        ),
        migrations.CreateModel(
            name="Share",
            fields=[
                (
                    "capture",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="archive.capture",
                    ),
                ),
                ("start", models.DateTimeField()),
                ("measures", models.BinaryField()),
                (
                    "series",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to="usage.series",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="series",
            constraint=models.UniqueConstraint(fields=("team", "digest"), name="series_once"),
        ),
        migrations.AddConstraint(
            model_name="sum",
            constraint=models.UniqueConstraint(
                fields=("team", "by", "span_seconds", "start", "series", "measure"),
                name="sum_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="octave",
            constraint=models.UniqueConstraint(
                fields=("team", "by", "span_seconds", "start", "series", "measure", "octave"),
                name="octave_once",
            ),
        ),
    ]
