"""Lists of texts as constraints, with the bundled tokenizer and the letters of table models."""

import pytest

import playground
from playground.decoding.constrained.allowed_texts import MOST_TEXTS, allowed_texts
from playground.errors import PlaygroundError
from playground.models.loading import Models

PROMPT = "The cat was"
TEXTS = ["happy.", " very sad.", "in the garden,", ", said Tom,", "naïve 🐈."]


@pytest.fixture(scope="module")
def vocabulary():
    return Models.named().load().target.vocabulary


@pytest.mark.parametrize("method", ["speculative_sampling", "atspeed_strict"])
def test_a_run_writes_one_of_the_texts_with_a_space_where_a_word_would_stick(method):
    written = {playground.run(method, PROMPT, allow=TEXTS, seed=seed).finished.text for seed in range(5)}
    assert written <= {" happy.", " very sad.", " in the garden,", ", said Tom,", " naïve 🐈."}


def test_a_list_means_what_is_in_it(vocabulary):
    assert len(allowed_texts(["yes", "", "yes", "no\n", "  "], PROMPT, vocabulary)) == 2
    trace = playground.run("speculative_sampling", PROMPT + " ", allow=["yes"])
    assert trace.finished.text == "yes" and trace.started.num_allowed == 1


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["happy", "happy and glad"], "' happy' is the beginning of ' happy and glad'"),
        (["x" * 1001], "has 1,002 characters; 1,000 is the most"),
        ([str(number) for number in range(MOST_TEXTS + 1)], "1,001 texts are allowed; 1,000 is the most"),
        (["\ud800"], "cannot write the allowed text"),
        (["", " "], "No sequence is allowed"),
    ],
)
def test_a_list_that_cannot_be_kept_to_is_refused(vocabulary, texts, sentence):
    with pytest.raises(PlaygroundError, match=sentence):
        allowed_texts(texts, PROMPT, vocabulary)
