import json
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch

from playground.errors import PlaygroundError
from playground.makers.training.checkpoints import checkpoints, load_checkpoint
from playground.makers.training.loop import Trainable, train
from playground.makers.training.network import Network
from playground.makers.training.optimiser import Rates
from playground.makers.training.pair.runs import next_token
from playground.makers.training.text.corpus import windows
from tests.makers.training.tiny import PLAN, SHAPE

TOKENS = (np.arange(4000) % 97).astype(np.uint16)


def reading(plan, tokens=TOKENS):
    return lambda first, count: windows(tokens, first, count, plan.window, seed=plan.seed)


def run(folder, plan=PLAN, *, shape=SHAPE, tokens=TOKENS, objective=next_token, measure=None, start=None, **kwargs):
    trainable = Trainable(
        {},
        network=lambda seed: Network(shape, seed=seed),
        read=lambda plan: reading(plan, tokens),
        objective=objective,
        measure=measure or (lambda _: {}),
        start=start,
    )
    return train(folder, trainable, plan, Rates(), **kwargs)


def log(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def curve(folder):
    return [(line["step"], line["tokens"], line["loss"], line["rate"]) for line in log(folder)]


def same_weights(one, two):
    return all(torch.equal(one["weights"][name], two["weights"][name]) for name in one["weights"])


def test_it_learns(tmp_path):
    run(tmp_path, replace(PLAN, max_steps=40))
    losses = [line["loss"] for line in log(tmp_path)]
    assert losses[0] == pytest.approx(np.log(SHAPE.vocab), rel=1e-3)  # a fresh network knows nothing
    assert losses[-1] < losses[0] / 2


def test_a_run_in_two_parts_is_the_whole_run_bit_for_bit(tmp_path):
    whole = run(tmp_path / "whole")
    run(tmp_path / "parts", replace(PLAN, max_steps=3))
    parts = run(tmp_path / "parts")
    assert curve(tmp_path / "parts") == curve(tmp_path / "whole")
    assert same_weights(parts, whole)


def test_a_killed_run_goes_on_from_its_checkpoint_with_the_same_losses(tmp_path):
    class Killed(BaseException):
        pass

    def kill(line):
        if line["step"] == 5:
            raise Killed

    plan = replace(PLAN, checkpoint_s=0)
    whole = run(tmp_path / "whole", plan)
    with pytest.raises(Killed):
        run(tmp_path / "killed", plan, progress=kill)
    checkpoints(tmp_path / "killed")[-1].unlink()  # the kill cost a step that the log already shows
    with (tmp_path / "killed" / "log.jsonl").open("a") as file:
        file.write('{"step": 6, "lo')  # and the last line was half written
    killed = run(tmp_path / "killed", plan)
    assert curve(tmp_path / "killed") == curve(tmp_path / "whole")
    assert same_weights(killed, whole)


def test_asked_to_end_it_keeps_what_it_has(tmp_path):
    def ask(line):
        if line["step"] == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    assert run(tmp_path, replace(PLAN, max_steps=None), progress=ask)["step"] == 2
    assert load_checkpoint(tmp_path)["step"] == 2
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_finished_run_is_left_as_it_is(tmp_path):
    first = run(tmp_path)
    assert same_weights(run(tmp_path), first)
    assert len(log(tmp_path)) == PLAN.max_steps


def test_a_decay_ends_at_rate_zero(tmp_path):
    run(tmp_path, replace(PLAN, decay_steps=3))
    assert [line["rate"] for line in log(tmp_path)] == [0.5, 1, 1, 1, pytest.approx(2 / 3), pytest.approx(1 / 3)]


def test_a_run_begins_where_another_stood(tmp_path):
    start = run(tmp_path / "first", replace(PLAN, max_steps=3))
    branch = run(tmp_path / "branch", start=start)
    assert same_weights(branch, run(tmp_path / "whole"))
    assert [step for step, *_ in curve(tmp_path / "branch")] == [4, 5, 6]


def test_measurements_are_in_the_log(tmp_path):
    run(tmp_path, measure=lambda network: {"training": network.training})
    assert [line.get("training") for line in log(tmp_path)] == [None, None, False, None, None, False]


def test_how_a_batch_is_split_does_not_matter(tmp_path):
    one, two = (run(tmp_path / str(n), replace(PLAN, tokens_at_once=n, max_steps=1)) for n in (16, 64))
    assert log(tmp_path / "16")[0]["loss"] == pytest.approx(log(tmp_path / "64")[0]["loss"], rel=1e-6)
    assert all(torch.allclose(one["weights"][name], two["weights"][name], atol=1e-4) for name in one["weights"])


def test_another_shape_is_refused_and_nothing_is_lost(tmp_path):
    run(tmp_path)
    before = curve(tmp_path)
    with pytest.raises(PlaygroundError, match="not of 3 layers"):
        run(tmp_path, shape=replace(SHAPE, layers=3))
    assert curve(tmp_path) == before


def test_too_short_a_text_is_refused_before_anything_starts(tmp_path):
    with pytest.raises(PlaygroundError, match="one training step takes 4 windows of 16"):
        run(tmp_path, tokens=TOKENS[:70])
    assert checkpoints(tmp_path) == []


def test_a_loss_that_is_no_number_ends_the_run(tmp_path):
    def nan(network, batch):
        return network(batch).sum() * torch.nan

    with pytest.raises(PlaygroundError, match="no longer a number"):
        run(tmp_path, objective=nan)
    assert load_checkpoint(tmp_path)["step"] == 0
