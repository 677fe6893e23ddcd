"""Every method with any options: what it counts adds up, and a file gives the run back."""

from dataclasses import fields

from hypothesis import assume, given
from hypothesis import strategies as some

from playground.decoding.method import is_whole, make_method, methods
from playground.errors import PlaygroundError
from playground.models.sampling import Sampling
from playground.trace import from_json, to_json, validate
from tests.decoding.runs import request, trace_of

samplings = some.builds(
    Sampling,
    some.sampled_from([0.0, 0.3, 1.0, 1.7]),
    some.sampled_from([0, 1, 3]),
    some.sampled_from([1.0, 0.9, 0.4]),
)


@some.composite
def made_methods(draw):
    name = draw(some.sampled_from(sorted(methods())))
    values = {}
    for item in fields(methods()[name].Options):
        low, high = item.metadata["min"], item.metadata["max"]
        of_range = some.integers(int(low), int(min(high, low + 6))) if is_whole(item) else some.floats(low, high)
        if draw(some.booleans()):
            values[item.name] = draw(of_range)
    try:
        return make_method(name, values)
    except PlaygroundError:
        assume(False)


@given(made_methods(), samplings, some.integers(0, 2**32), some.integers(1, 12))
def test_the_counting_laws_hold_and_the_file_is_the_run(method, sampling, seed, length):
    try:
        trace = trace_of(request(method, sampling=sampling, seed=seed, length=length))
    except PlaygroundError as refused:
        assert str(refused).endswith(".")
        return
    validate(trace)
    end = trace.finished
    assert end.num_tokens <= length and end.num_accepted <= end.num_tested <= end.num_drafted
    assert end.target_calls == len(trace.rounds)
    again = from_json(to_json(trace))
    validate(again)
    assert to_json(again) == to_json(trace)
