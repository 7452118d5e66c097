"""Identifiers sort as they were made."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hq.ids import new_id


def test_ids_of_one_millisecond_are_in_the_order_they_were_made_in():
    made = [new_id() for _ in range(20_000)]

    assert made == sorted(made) and {each.version for each in made} == {7}


def test_threads_never_make_the_same_id():
    with ThreadPoolExecutor(4) as threads:
        made = [each for some in threads.map(lambda _: [new_id() for _ in range(2_000)], range(4)) for each in some]

    assert len(set(made)) == len(made)
