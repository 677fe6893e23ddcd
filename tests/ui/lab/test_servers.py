import base64
import gzip
from pathlib import Path

import pytest

from playground.child import Bounds
from playground.ui.lab import servers
from playground.ui.lab.servers import ask
from tests.languages import in_english

LOGS = Path(__file__).parents[2] / "servers" / "logs"


def asked(content: bytes, **costs):
    log = {"type": "log", "content": base64.b64encode(content).decode(), "draft_cost": None, "verify_cost": 1}
    return in_english(ask({**log, **costs}))


def test_a_log_is_answered_with_its_totals_and_pictures():
    answer = asked((LOGS / "vllm_responses.jsonl").read_bytes(), draft_cost=0.02)
    assert answer["title"] == "vLLM: 2 records" and ["accepted", "15"] in answer["facts"]
    charts = {chart["id"]: chart for chart in answer["charts"]}
    assert list(charts) == ["log_histogram", "log_survival", "log_timeline", "log_lengths"]
    assert charts["log_survival"]["rows"]["body"] == [[1, 47, 7], [2, 47, 5], [3, 45, 3]]
    assert all(len(kind["at"]) == len(kind["values"]) for chart in answer["charts"] for kind in chart["bars"]["kinds"])


def test_rates_by_position_stand_beside_survival_and_go_on_to_expected_speed():
    """80, 60 and 40 of 100 rounds: 80 %, 60 of 80 and 40 of 60; accepted 1.8 of 2.4 positions that were reached."""
    answer = asked((LOGS / "vllm_metrics.txt").read_bytes())
    assert [value for name, value in answer["facts"][-2:]] == ["80%, 60%, 40%", "80%, 75%, 67%"]
    assert answer["expected"] == [pytest.approx(1.8 / 2.4), 3]


def test_what_was_not_recorded_has_a_dash_and_no_picture_and_without_costs_no_length_is_best():
    answer = asked((LOGS / "llama_cpp.log").read_bytes())
    assert ["rounds", "–"] in answer["facts"] and [chart["id"] for chart in answer["charts"]] == ["log_timeline"]
    answer = asked((LOGS / "sglang_detailed.json").read_bytes())
    assert "Give a drafted token's cost" in answer["verdict"] and answer["charts"][-1]["summary"].startswith(
        "Tokens per target call"
    )


LOG = {"type": "log", "content": base64.b64encode((LOGS / "sglang.json").read_bytes()).decode()}
COSTS = {"draft_cost": None, "verify_cost": 1}


@pytest.mark.parametrize(
    "request_",
    [
        *(LOG | COSTS | {"content": content} for content in ("e30=", "not base64!")),
        *(LOG | COSTS | {"draft_cost": cost} for cost in (-1, float("nan"))),
        LOG | COSTS | {"verify_cost": 0},
    ],
)
def test_a_bad_question_is_a_sentence(request_):
    assert in_english(ask(request_))["error"].endswith(".")


def test_the_names_of_all_servers_are_on_the_card():
    card = in_english(ask({"type": "names"}))["names"]
    assert {row[0] for row in card} >= {"vLLM", "SGLang", "llama.cpp", "transformers"}


def test_a_long_log_is_read_in_a_child_and_answered_alike(monkeypatch):
    """A child has a processor's time for itself: the page's other answers do not wait for it."""
    content = (LOGS / "vllm_responses.jsonl").read_bytes()
    here = asked(content)
    monkeypatch.setattr(servers, "reply", None)
    assert asked(gzip.compress(content)) == here  # may be long once it is unpacked


def test_a_log_that_takes_its_child_too_long_is_a_sentence(monkeypatch):
    monkeypatch.setattr(servers, "BOUNDS", Bounds(memory_bytes=1_000_000_000, processor_s=0))
    said = "The file took more than 0 s of the processor. Take the part of it that matters."
    assert asked(b"[{}," * 300_000)["error"] == said
