from tests.patience import patient as patient
