"""A class opens the page at once, and everyone presses Run: nobody is refused, nobody's run is lost."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

VISITORS = 60
TOKENS = 4


@pytest.fixture
def events(address):
    """What opening the page and pressing Run post, as the page's own description of itself has it."""
    config = httpx.get(f"{address}/config").json()
    values = {each["id"]: each["props"].get("value") for each in config["components"]}
    [run] = [each["id"] for each in config["components"] if each["props"].get("elem_id") == "run"]
    [tokens] = [each["id"] for each in config["components"] if each["props"].get("label") == "New tokens (at most)"][:1]
    on_press = [each for each in config["dependencies"] if [run, "click"] in each["targets"] and each["backend_fn"]]
    lines_up = max(on_press, key=lambda each: len(each["inputs"]))
    [runs] = [
        each for each in config["dependencies"] if each["trigger_after"] == lines_up["id"] and len(each["outputs"]) == 2
    ]
    form = [TOKENS if each == tokens else values[each] for each in lines_up["inputs"]]
    loads = [each for each in config["dependencies"] if each["targets"][0][1] == "load" and each["backend_fn"]]
    assert loads and len(form) > 8
    return [(each["id"], [values[name] for name in each["inputs"]]) for each in loads], [
        (lines_up["id"], form),
        (runs["id"], [None]),
    ]


def visit(address, session, events):
    """Open the page, press Run, and wait; everything the server said."""
    told = []
    with httpx.Client(base_url=address, timeout=90) as client:
        for name, data in events:
            post = {"fn_index": name, "data": data, "session_hash": session, "trigger_id": None, "event_data": None}
            joined = client.post("/gradio_api/queue/join", json=post)
            assert joined.status_code == 200, f"{session}: {joined.status_code} {joined.text}"
            answer = client.get("/gradio_api/queue/data", params={"session_hash": session}).text
            told += [json.loads(line[6:]) for line in answer.splitlines() if line.startswith("data: ")]
    return told


def test_sixty_press_run_at_once_and_each_gets_a_run(address, events):
    loads, runs = events
    with ThreadPoolExecutor(VISITORS) as visitors:
        answers = list(visitors.map(lambda number: visit(address, f"pupil{number}", [*loads, *runs]), range(VISITORS)))
    for told in answers:
        completed = [each for each in told if each["msg"] == "process_completed"]
        assert len(completed) == len(loads) + len(runs) and all(each["success"] for each in completed)
        assert f"Done: {TOKENS} tokens" in json.dumps(told)
