"""The device goes to whoever came first, and between two parts of something long to whoever waits."""

import threading

import pytest

from playground.ui.live.device import Device


def wait_for(state):
    """Wait until it holds: whoever lines up tells nobody."""
    while not state():
        threading.Event().wait(0.001)


def test_whoever_does_not_wait_or_has_waited_long_enough_goes_away_without_it():
    device = Device()
    with device:
        assert not device.acquire(blocking=False) and not device.acquire(timeout=0.01)
        assert not device._waiting
    assert device.acquire(timeout=0.01) and device.locked()
    device.release()


@pytest.mark.parametrize("gives_way", [False, True])
def test_it_goes_round_in_the_order_in_which_it_was_asked_for_and_something_long_lets_all_who_wait_go_first(gives_way):
    device, order = Device(), []

    def take(name):
        with device:
            order.append(name)

    with device:
        device.give_way()
        assert device.locked()
        threads = [threading.Thread(target=take, args=(name,)) for name in range(8)]
        for number, thread in enumerate(threads, 1):
            thread.start()
            wait_for(lambda number=number: len(device._waiting) == number)
        if gives_way:
            device.give_way()
        order.append("long")
    for thread in threads:
        thread.join()
    assert order == ([*range(8), "long"] if gives_way else ["long", *range(8)]) and not device.locked()


def test_two_that_are_long_take_turns_run_by_run():
    device, order, both = Device(), [], threading.Barrier(2)

    def race(name):
        both.wait()
        with device:
            wait_for(lambda: order or device._waiting)  # until the other one is there, too
            for _ in range(4):
                order.append(name)
                device.give_way()

    threads = [threading.Thread(target=race, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "".join(order) in ("abababab", "babababa")
