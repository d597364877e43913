"""Every reason why a rule is none has a sentence of its own."""

from typing import get_args

from inspector.core.redaction.rule_fault import RuleFault
from inspector.formatting.redaction_faults import FAULT_SENTENCES


def test_no_reason_is_said_with_the_words_of_another() -> None:
    faults = [fault for kind in get_args(RuleFault) for fault in kind]
    assert len(faults) == len(FAULT_SENTENCES) == len(set(FAULT_SENTENCES.values()))
