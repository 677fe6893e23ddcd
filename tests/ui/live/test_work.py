"""Work in a thread of its own, and a page that leaves it."""

import asyncio
import threading

from playground.ui.live.work import LiveWork

PATIENCE_S = 20.0


class Waiting(LiveWork[int]):
    """Work that goes on until it is let go, whoever stops it: as for the device, while another's page is waited for."""

    def __init__(self) -> None:
        super().__init__("waiting", None)
        self.let_go = threading.Event()

    def _work(self) -> None:
        self._hand_over(1)
        self.let_go.wait(PATIENCE_S)


def test_leaving_in_an_event_loop_stops_the_work_and_does_not_wait_for_its_end():
    """There Gradio leaves the steps of a closed page: one that waited could wait for ever, and all pages with it."""
    work = Waiting()
    steps = work.steps()
    assert next(steps) == 1

    async def leave() -> None:
        steps.close()

    asyncio.run(leave())
    assert work.stop.is_set() and work._thread.is_alive()
    work.let_go.set()
    work._thread.join(PATIENCE_S)
    assert not work._thread.is_alive()
