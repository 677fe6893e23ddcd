"""A table of probabilities is refused where it is none; all enumerations rest on what it answers."""

import pytest

from playground.models.table_model import TableModel


def test_rows_must_be_distributions():
    with pytest.raises(ValueError, match="rows of probabilities"):
        TableModel([[0.5, 0.6], [0.5, 0.5]])
