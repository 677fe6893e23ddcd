import numpy as np
import pytest
import torch

from playground.errors import PlaygroundError
from playground.makers.training.network import Network
from playground.makers.training.objectives import next_token
from playground.makers.training.text import plainest as module
from playground.makers.training.text.plainest import keep_plainest, read_plainest, text_losses, texts
from tests.makers.training.tiny import SHAPE

END, WORD = 0, 7
SHORT, PLAIN, HARD, LONG = 20, 100, 120, 300  # tokens of a text


@pytest.fixture(scope="module")
def corpus():
    """Texts of one word again and again, and of any words, in turns; some too short, some too long."""
    draws = np.random.default_rng(0)
    parts = [[END]]
    for _ in range(12):
        parts += [[WORD] * (PLAIN - 1), [END], draws.integers(1, SHAPE.vocab, HARD - 1), [END]]
        parts += [[WORD] * (SHORT - 1), [END], [WORD] * (LONG - 1), [END]]
    return np.concatenate(parts).astype(np.uint16)


@pytest.fixture(scope="module")
def network():
    """One that has learnt that the word is followed by the word."""
    network = Network(SHAPE, seed=1)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(20):
        optimiser.zero_grad()
        next_token(network, torch.full((2, 40), WORD)).backward()
        optimiser.step()
    return network.eval()


def test_texts_of_a_fit_length_are_found_each_with_its_end(corpus):
    spans = texts(corpus, END)
    assert [stop - start for start, stop in spans] == [PLAIN, HARD] * 12
    assert all(corpus[stop - 1] == END and END not in corpus[start : stop - 1] for start, stop in spans)


def test_a_text_has_the_loss_it_has_alone(corpus, network):
    spans = texts(corpus, END)
    result = text_losses(network, corpus, spans, END)
    for loss, (start, stop) in zip(result, spans, strict=True):
        alone = torch.from_numpy(corpus[start - 1 : stop].astype(np.int64))[None]
        assert loss == pytest.approx(next_token(network, alone).item(), rel=0.02)  # products in 16 bits


def test_the_plainest_are_kept_and_the_rest_is_not(corpus, network, tmp_path):
    about = keep_plainest(network, corpus, END, tmp_path, share=0.5)
    kept, message = read_plainest(tmp_path)
    assert message == "12 of 24"
    assert kept.tolist() == ([WORD] * (PLAIN - 1) + [END]) * 12
    assert (about["texts"], about["kept"], about["tokens"]) == (24, 12, 12 * PLAIN)
    assert about["nats_per_token_of_kept"] < about["nats_per_token"]


def test_what_was_stopped_goes_on_and_another_network_begins_nothing(corpus, network, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "IN_FILE", 10)
    whole = keep_plainest(network, corpus, END, tmp_path, share=0.7)
    before, _ = read_plainest(tmp_path)
    files = sorted(tmp_path.glob("*.losses"))
    assert len(files) == 3
    files[1].unlink()
    ranked = []
    monkeypatch.setattr(
        module, "text_losses", lambda *arguments: ranked.append(len(arguments[2])) or text_losses(*arguments)
    )
    assert keep_plainest(network, corpus, END, tmp_path, share=0.7) == whole
    assert ranked == [10] and np.array_equal(read_plainest(tmp_path)[0], before)
    with pytest.raises(PlaygroundError, match="another target"):
        keep_plainest(Network(SHAPE, seed=2), corpus, END, tmp_path, share=0.7)


@pytest.mark.parametrize("share", [0, -1, 0.01, 1.5, float("nan")])
def test_a_share_that_keeps_none_or_more_than_all_is_refused(share, corpus, network, tmp_path):
    with pytest.raises(PlaygroundError, match="Choose a share"):
        keep_plainest(network, corpus, END, tmp_path, share=share)
    assert not list(tmp_path.iterdir())


def test_without_plainest_texts_there_is_a_sentence(tmp_path):
    with pytest.raises(PlaygroundError, match="Run the step plainest first"):
        read_plainest(tmp_path)
