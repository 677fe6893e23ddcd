"""The page's endpoints as a program finds them, over HTTP."""

import pytest
from gradio_client import Client

from playground.trace import from_json, validate

NAMES = {"/run", "/compare", "/acceptance", "/methods"}


@pytest.fixture
def client(address):
    return Client(address, verbose=False)


def test_four_doors_are_documented_and_no_others(client):
    found = client.view_api(return_format="dict")["named_endpoints"]
    assert set(found) == NAMES
    assert [each["parameter_name"] for each in found["/acceptance"]["parameters"]] == ["target", "draft", "num_drafts"]


def test_a_program_runs_compares_and_asks(client):
    found = client.predict("rsd_s:width=2", "Once upon a time", seed=1, max_new_tokens=8, api_name="/run")
    validate(from_json(found["trace"]))
    rows = client.predict("speculative_sampling", 1, max_new_tokens=8, api_name="/compare")
    assert [row["method"] for row in rows] == ["autoregressive", "speculative_sampling"]
    assert client.predict([0.5, 0.5], [0.8, 0.2], 1, api_name="/acceptance")["speculative"] == pytest.approx(0.7)
    assert len(client.predict(api_name="/methods")) > 20


def test_what_is_refused_says_why(client):
    with pytest.raises(Exception, match=r"rsd_x.*Did you mean"):
        client.predict("rsd_x", "Once", api_name="/run")
