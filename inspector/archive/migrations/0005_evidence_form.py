from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("archive", "0004_inspection_behind")]

    operations = [
        migrations.AddField(
            model_name="capture",
            name="evidence_form",
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
    ]
