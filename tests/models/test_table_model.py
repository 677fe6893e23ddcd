"""Table models answer with the numbers written in their table."""

import numpy as np
import pytest

from playground.models.table_model import TableModel
from playground.tree import TokenTree


def test_a_row_is_looked_up_by_the_last_token():
    model = TableModel([[0.5, 0.5, 0.0], [0.1, 0.2, 0.7], [1.0, 0.0, 0.0]])
    tree = TokenTree([0, 1])
    child = tree.add(1, 2)
    assert np.allclose(model.logits(tree, [1, child]).exp(), [[0.1, 0.2, 0.7], [1, 0, 0]])


def test_the_law_of_two_tokens_is_a_product_of_rows():
    model = TableModel.random(4, order=2, seed=1)
    distribution = model.distribution([2, 3], 2)
    assert np.allclose(distribution, model.table[2, 3][:, None] * model.table[3])
    assert np.isclose(distribution.sum(), 1)


def test_rows_must_be_distributions():
    with pytest.raises(ValueError, match="rows of probabilities"):
        TableModel([[0.5, 0.6], [0.5, 0.5]])
