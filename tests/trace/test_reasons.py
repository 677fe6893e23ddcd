"""A reason is a code with numbers, and one sentence wherever it is read."""

import pytest

from playground.decoding.workings import reasons
from playground.trace.reasons import Reason, sentence, sentences
from tests.javascript.node import ran

IN_NODE = """
    const { reasonSentence } = await load("player/trace/reasons.js");
    print(given.map(([code, values]) => reasonSentence(code, values)));
"""


def test_the_page_says_of_every_reason_what_the_program_says():
    values = {"r": 0.12345, "q": 1e-5, "count": 12, "factor": 1.26891, "draws": 3, "chance": 0.5, "weight": 0.9}
    values |= {
        "rest": 1 - 0.9,
        "bar": 0.0949,
        "surprise": 2.0,
        "threshold": 5.0,
        "ratio": 0.1,
        "tau": 1.0,
        "entropy": 0.7,
    }
    requests = [(code, values) for code in [*sentences(), "turned+not_below", "of_nobody"]]
    said = ran(IN_NODE, requests)
    assert said == [sentence(*each) for each in requests] and not [text for text in said if "{" in text]


def test_every_code_that_is_written_has_its_sentence():
    against = [reasons.RATIO, *(reasons.residual(n, 0.5, q) for n in (1, 2) for q in (None, 0.5))]
    against += [*map(reasons.certain, (0, 1)), reasons.k_seq(1.2, 3), reasons.selected(3, 0.5)]
    written = [each for each in vars(reasons).values() if isinstance(each, Reason) and each.code]
    for passed in (True, False):
        written += [reasons.uniform_test(passed, prob, each) for prob in (0.5, 0.0) for each in against]
        written += [reasons.matching(passed), reasons.mixture(passed, 0.9), reasons.typical(passed, 0.09)]
        written += [reasons.lenient(passed, 0.5, 0.6)]
        written += [reasons.rollback(passed, 2.5, 3.0), reasons.joint(passed, 0.5, 0.1, carried=False)]
        written += [reasons.chain(passed, p, 0.5) for p in (0.0, 0.4, 0.6)]
    written += [reasons.block(length, 2, prob) for length in (1, 2, 3) for prob in (0.0, 0.5)]
    written += [reasons.joint(False, 0.5, 0.1, carried=True), reasons.held_and_passed(0.9)]
    written += [reasons.rejected_for_good(entropy, 0.5) for entropy in (0.4, 0.9)]
    assert {each.code.replace("not_below", "below") for each in written} == sentences().keys()
    assert not [each for each in written if "{" in sentence(*each)]


@pytest.mark.parametrize(
    ("reason", "english"),
    [
        (reasons.uniform_test(True, 0.5), "Accepted if u is below p/q."),
        (reasons.uniform_test(False, 0.0), "The target has no mass left here."),
        (
            reasons.uniform_test(False, 0.5, reasons.residual(2, 0.0312345, None)),
            "Accepted if u is below r/q; r = 0.0312, its share of what 2 rejections left of p.",
        ),
        (
            reasons.uniform_test(True, 0.5).after(reasons.TURNED),
            "Forced by the reader. Accepted if u is below p/q.",
        ),
        (Reason("of_nobody"), "of nobody"),
    ],
)
def test_a_reason_reads_as_a_sentence(reason, english):
    assert sentence(*reason) == english
