"""Greedy texts letter by letter: the same here, and told apart where rows are rounded by the number of rows."""

import json
from typing import Any

from playground.cli import main
from playground.decoding.method import make_method
from playground.exactness.greedy_texts import greedy_texts, hundred_prompts
from playground.models.language_model import LoadedPair
from playground.models.loading import Models
from playground.models.table_model import TableModel
from playground.ui.lab.greedy import RECORDED

DRAFT = TableModel.random(5, order=1, seed=1)


class RoundedByRows(TableModel):
    """The two best tokens are a bit apart; with other rows beside it, a row's second best token is the best."""

    def forward(self, tree, nodes):
        answer = super().forward(tree, nodes)
        if len(nodes) > 1:
            best = answer.logits.topk(2).indices
            logits = answer.logits.scatter_add(
                1, best[:, 1:], (answer.logits.amax(-1) + 20 - answer.logits.amin(-1))[:, None]
            )
            answer = answer._replace(logits=logits)
        return answer


def compared(target: TableModel, prompts=("ab", "ba")) -> dict[str, Any]:
    pair = LoadedPair(target, DRAFT)  # pyright: ignore[reportArgumentType]  # a table answers as a language model
    *_, last = greedy_texts(pair, prompts, make_method("speculative_sampling"), 12)
    return last


def test_the_same_rows_give_the_same_letters():
    last = compared(TableModel.random(5, order=2, seed=0))
    assert last == {"done": 2, "total": 2, "letters": 24, "letters_differ": 0, "texts_differ": 0, "first": None}


def test_a_row_that_others_change_is_found_with_its_two_logits():
    last = compared(RoundedByRows.random(5, order=2, seed=0))
    first = last["first"]
    assert last["texts_differ"] == 2 and 0 < last["letters_differ"] <= last["letters"] == 24
    assert first["prompt"] == "ab" and first["letter"] == first["token"] == len(first["before"]) + 1
    assert first["rows"] == {"plain": 1, "speculative": 5}
    (best, second), (lower, raised) = first["logits"].values()
    assert best > second and raised > lower == best, "each run wrote the token whose logit was larger in its call"
    assert first["pieces"]["plain"] != first["pieces"]["speculative"]


def test_the_compiled_passes_write_plain_decoding_s_letters():
    """The bundled pair, and three of the hundred prompts that the command compares."""
    *_, last = greedy_texts(Models.named().load(), hundred_prompts()[:3], make_method("speculative_sampling"), 24)
    assert (last["done"], last["letters_differ"], last["first"]) == (3, 0, None) and last["letters"] > 100


def test_what_was_recorded_is_no_letter_with_our_products_and_a_rounding_step_with_torch_s():
    own, torch_s = (json.loads(path.read_text()) for path in RECORDED.values())
    assert len(set(hundred_prompts())) == own["total"] == torch_s["total"] == own["done"] == 100
    assert own["letters_differ"] == own["texts_differ"] == 0 and own["first"] is None and own["letters"] > 10_000
    assert torch_s["target"]["dtype"] == "bfloat16" and torch_s["texts_differ"] > 0
    for each in (own, torch_s):
        assert each["machine"]["processor"] and len(each["on"]) == 10
    first = torch_s["first"]
    assert first["rows"]["plain"] == 1 < first["rows"]["speculative"]
    for logits in first["logits"].values():
        assert abs(logits[0] - logits[1]) <= 2 * 2.0**-7 * abs(logits[0]), "two steps of a bfloat16 at most"


def test_the_command_refuses_a_method_without_the_claim(capsys):
    assert main(["greedy", "typical_acceptance"]) == 2
    assert "does not claim the target's text" in capsys.readouterr().err
