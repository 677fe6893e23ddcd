"""Beam search: the W most probable texts, and at every step the W best of their continuations; deterministic.

    beams 1 .. W --target, one call--> W x V continuations --W most probable--> beams 1 .. W
    a text that ends leaves the beams and is kept aside; the best by log-probability / length^penalty is the answer

Paper: Graves 2012, Sequence Transduction with Recurrent Neural Networks, arXiv 1211.3711; the length penalty is that of
    Wu et al. 2016, arXiv 1609.08144, in the simpler form of transformers.
Differs from the paper: ends as transformers' `generate` does by default (early_stopping=False): when W texts have ended
    and the best live one, at its present length, is no better than the worst of them. Temperature, top-k and
    top-p do not apply: what is maximised is the probability under the unwarped target.
"""

from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.beams import penalty_option, rank_search_beams, read_unwarped, search_step
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.trace.events import Origin


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Width and length penalty."""

    width: int = option(4, label="Beam width", help="Texts kept at every step (W).", low=1, high=32)
    length_penalty: float = penalty_option()


class BeamSearch(DecodingMethod):
    """Keeps the W most probable texts and returns the best; one target call makes one token of each."""

    title = "Beam search"
    paper = "Graves 2012, Sequence Transduction with Recurrent Neural Networks, arXiv 1211.3711"
    reproduces = "beam search"
    needs_draft_model = False
    tests = ""

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One step of the search."""
        live, width = setting.beams.live, self.options.width
        reading = read_unwarped(setting.target, [beam.node for beam in live])
        beams = search_step(setting, live, reading, width, last=setting.tokens_left == 1)
        origins: dict[int, Origin] = {beam.node: "plain" for beam in beams}
        penalty = self.options.length_penalty
        ranked = rank_search_beams(setting, beams, setting.beams.ended, origins, length_penalty=penalty, width=width)
        return Verdict(reading, [], beams=ranked)
