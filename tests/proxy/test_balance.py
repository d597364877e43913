"""Every call that was to be recorded is somewhere, whatever the recorder says and in any order."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from inspector.proxy.balance import Balance

ONE, TWO, THREE, FOUR = (UUID(int=number) for number in range(1, 5))
CALLS = st.sampled_from([ONE, TWO, THREE, FOUR])
SETS = st.frozensets(CALLS)


def total(balance: Balance) -> int:
    kept = len(balance.open) + len(balance.spooled)
    return kept + balance.recorded + balance.missed + balance.omitted


def test_the_next_recorder_says_what_became_of_the_calls_of_the_one_before():
    balance = Balance()
    for call in (ONE, TWO, THREE):
        balance.begin(call)
    balance.spool([ONE])
    balance.lose_recorder(untold=())
    balance.begin(FOUR)
    balance.adopt([TWO])

    assert {*balance.spooled} == {TWO}
    assert balance.open == {FOUR}
    assert (balance.recorded, balance.missed) == (1, 1)


def test_what_a_recorder_of_an_earlier_proxy_left_is_not_counted():
    balance = Balance()
    balance.adopt([ONE])
    balance.record([ONE])

    assert balance == Balance()


@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(["spool", "record", "omit", "miss"]), SETS),
            st.tuples(st.sampled_from(["lose_recorder", "adopt"]), SETS),
        )
    )
)
def test_the_sum_holds_after_whatever_is_said(said):
    balance = Balance()
    for call in (ONE, TWO, THREE, FOUR):
        balance.begin(call)
    for what, calls in said:
        getattr(balance, what)(calls)

        assert total(balance) == balance.proxied == 4
        assert not balance.open & balance.spooled.keys()
        assert balance.lost <= balance.open
