"""Visitors without a browser: what opening the page and pressing Run post, and what the server tells them of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

TIMEOUT_S = 90.0
KEPT_S = 2.0  # a connection; the server drops one after five seconds, perhaps as it is used again


@dataclass(frozen=True)
class Page:
    """The page's own description of itself.

    Attributes:
        loads: what opening it posts: (event, data).
        form: the values of Watch's form, in the order in which `asks` takes them.
        asks, runs: the events of a press of Run: it lines up, and runs.
        index: the event that a page which waits asks again and again.
    """

    address: str
    loads: list[tuple[int, list[Any]]]
    form: dict[str, Any]
    asks: int
    runs: int
    index: int


def page_at(address: str) -> Page:
    """Read the address as a browser does first."""
    config = httpx.get(f"{address}/config", timeout=TIMEOUT_S).json()
    values = {each["id"]: each["props"].get("value") for each in config["components"]}
    names = {each["id"]: each["props"].get("label") or each["props"].get("elem_id") for each in config["components"]}
    events = {each["api_name"]: each for each in config["dependencies"] if each["backend_fn"]}
    asks = next(each for each in config["dependencies"] if each["id"] == events["watch"]["trigger_after"])
    loads = [each for each in events.values() if any(target[1] == "load" for target in each["targets"])]
    assert loads and len(asks["inputs"]) > 8
    return Page(
        address,
        [(each["id"], [values[name] for name in each["inputs"]]) for each in loads],
        {str(names[each]): values[each] for each in asks["inputs"]},
        asks["id"],
        events["watch"]["id"],
        events["queue_message"]["id"],
    )


class Visitor:
    """Somebody with the page open.

    Args:
        page: where.
        session: by which the server knows them.
    """

    def __init__(self, page: Page, session: str) -> None:
        self.page, self.session = page, session
        self._client = httpx.Client(
            base_url=page.address, timeout=TIMEOUT_S, limits=httpx.Limits(keepalive_expiry=KEPT_S), verify=False
        )  # no certificates are read for sixty of them

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def open(self) -> list[dict[str, Any]]:
        """Open the page; what the server told."""
        return [message for event, data in self.page.loads for message in self.post(event, data)]

    def ask(self, **changes: Any) -> list[dict[str, Any]]:
        """Press Run with these changes of the form, by label; what the server told before the run."""
        return list(self.post(self.page.asks, list((self.page.form | changes).values())))

    def run(self) -> Iterator[dict[str, Any]]:
        """The run that was asked for, as it is told."""
        return self.post(self.page.runs, [None])

    def place(self) -> str:
        """Ask as a page that waits does in between."""
        post = {"fn_index": self.page.index, "data": [], "session_hash": self.session}
        return self._client.post("/gradio_api/run/predict", json=post).text

    def post(self, event: int, data: list[Any]) -> Iterator[dict[str, Any]]:
        """Yield the server's answers to an event until it is over, each with the time at which it came under "at".

        The connection is closed with the last message, as a page closes it.
        """
        post = {"fn_index": event, "data": data, "session_hash": self.session, "trigger_id": None, "event_data": None}
        joined = self._client.post("/gradio_api/queue/join", json=post)
        assert joined.status_code == 200, f"{self.session}: {joined.status_code} {joined.text}"
        with self._client.stream("GET", "/gradio_api/queue/data", params={"session_hash": self.session}) as lines:
            for line in lines.iter_lines():
                if not line.startswith("data: "):
                    continue
                message = json.loads(line[6:])
                if message["msg"] == "close_stream":
                    return
                yield message | {"at": time.monotonic()}


def ended_well(told: list[dict[str, Any]], number: int = 1) -> bool:
    """Whether so many events were completed, and all of them well."""
    completed = [each for each in told if each["msg"] == "process_completed"]
    return len(completed) == number and all(each["success"] for each in completed)
