import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("feedback", "0002_newest_tokens"), ("teams", "0002_people")]

    operations = [
        migrations.CreateModel(
            name="WaitingRoom",
            fields=[
                (
                    "team",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="teams.team",
                    ),
                ),
                (
                    "opened_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("opened_by", models.CharField(max_length=200)),
            ],
        ),
        migrations.AddField(
            model_name="vote",
            name="byte_length",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="vote",
            name="source",
            field=models.CharField(max_length=64, null=True),
        ),
    ]
