"""Stochastic beam search: the golden step, and the best child carrying its parent's number on."""

import json
from pathlib import Path

import pytest
import torch

from playground.decoding.methods.rsd_s import conditioned_gumbels

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "acceptance.json").read_text())


def test_the_conditioned_step_equals_the_golden_values():
    step = GOLDEN["stochastic_beam_search_step"]
    raw = torch.tensor(step["children_raw_gumbel"], dtype=torch.float64)
    found = conditioned_gumbels(raw, torch.zeros_like(raw), step["parent_G"])
    assert found.tolist() == pytest.approx(step["children_conditioned"], abs=1e-9)
    assert float(found.max()) == step["parent_G"]
