from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("teams", "0002_people")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="made_by",
            field=models.CharField(max_length=200, null=True),
        ),
    ]
