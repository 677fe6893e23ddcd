"""The duties that `tests.decoding.duties` takes out of the shared code stand there, each once."""

import pytest

from tests.decoding.duties import DUTIES, ROOT


@pytest.mark.parametrize("duty", DUTIES, ids=lambda duty: duty.name)
def test_a_duty_stands_once_where_it_is_said_to(duty):
    assert (ROOT / duty.file).read_text(encoding="utf-8").count(duty.text) == 1
