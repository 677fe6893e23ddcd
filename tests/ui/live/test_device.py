"""The device goes to whoever came first, and between two parts of something long to whoever waits."""

import threading
import time

from playground.ui.live.device import Device


def waiting(device, number):
    while len(device._waiting) < number:
        time.sleep(0.001)


def test_it_goes_round_in_the_order_in_which_it_was_asked_for():
    device, order = Device(), []

    def take(name):
        with device:
            order.append(name)

    threads = [threading.Thread(target=take, args=(name,)) for name in range(8)]
    with device:
        for number, thread in enumerate(threads, 1):
            thread.start()
            waiting(device, number)
    for thread in threads:
        thread.join()
    assert order == list(range(8)) and not device.locked()


def test_whoever_does_not_wait_or_has_waited_long_enough_goes_away_without_it():
    device = Device()
    with device:
        assert not device.acquire(blocking=False) and not device.acquire(timeout=0.01)
        assert not device._waiting
    assert device.acquire(timeout=0.01) and device.locked()
    device.release()


def test_something_long_lets_all_who_wait_go_first_and_then_goes_on():
    device, order = Device(), []

    def take(name):
        with device:
            order.append(name)

    with device:
        device.give_way()
        assert device.locked() and device.part_s is not None
        threads = [threading.Thread(target=take, args=(name,)) for name in "ab"]
        for number, thread in enumerate(threads, 1):
            thread.start()
            waiting(device, number)
        device.give_way()
        order.append("long")
    assert order == ["a", "b", "long"]


def test_two_that_are_long_take_turns_run_by_run():
    device, order, both = Device(), [], threading.Barrier(2)

    def race(name):
        both.wait()
        with device:
            while not order and not device._waiting:  # until the other one is there, too
                time.sleep(0.001)
            for _ in range(4):
                order.append(name)
                device.give_way()

    threads = [threading.Thread(target=race, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "".join(order) in ("abababab", "babababa")
