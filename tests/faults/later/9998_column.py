from django.db import migrations, models

from tests.faults.later import LAST


class Migration(migrations.Migration):
    dependencies = [("archive", LAST)]

    operations = [
        migrations.AddField("capture", "later", models.CharField(max_length=20, null=True))
    ]
