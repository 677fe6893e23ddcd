"""AtSpeed, strict: the draft model runs a beam search ahead, and the target accepts a step when it holds all its beams.

    draft  N >= W beams for several steps, from the target's own scores
    verify one target call; step by step, the target's W best continuations: all of them drafted -> next step,
           else these W are the new beams, and the round is over

Paper: Lin et al. 2024, Efficient Inference for Large Language Model-based Generative Recommendation,
    arXiv 2410.05165, strict top-K verification.
Differs from the paper: texts may end (theirs have one fixed length), by the rules of `beam_search`; the condition is
    that the target's W best are among the drafted ones, which is what its proof needs and its text has the other way
    round; scores are double precision, so that ties do not depend on the hardware.
"""

from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.beams import (
    penalty_option,
    rank_search_beams,
    read_unwarped,
    search_step,
    split_ended,
    survivors,
)
from playground.decoding.distribution import Deterministic
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import depth_option
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Judgement, Verdict, not_tested
from playground.decoding.verifying import unreached
from playground.decoding.workings import reasons
from playground.decoding.workings.records import TopSet
from playground.models.reading import Reading
from playground.trace.events import Origin


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth and widths of the two searches."""

    draft_length: int = depth_option()
    width: int = option(4, label="Beam width", help="Texts kept at every depth (W).", low=1, high=32)
    spare: int = option(
        4, label="Spare draft beams", help="The draft model keeps this many beams more (N - W).", low=0, high=48
    )
    length_penalty: float = penalty_option()

    @property
    def num_drafted(self) -> int:
        """Beams of all steps; a text that ends does not displace a live one."""
        return self.draft_length * 2 * (self.width + self.spare)


class AtSpeedStrict(DecodingMethod):
    """Beam search drafted ahead: a depth counts when all of the target's best beams were drafted."""

    title = "AtSpeed (strict)"
    paper = (
        "Lin et al. 2024, Efficient Inference for Large Language Model-based Generative Recommendation, "
        "arXiv 2410.05165"
    )
    reproduces = "beam search"
    tests = "layers"

    def draft(self, setting: Setting) -> Draft:
        """Beam search by the draft model, from the target's scores."""
        draft, beams, tree = Draft(), setting.beams.live, setting.tree
        for _ in setting.parents_by_depth(draft, self.options.draft_length):
            reading = read_unwarped(setting.draft_model, [beam.node for beam in beams])
            beams_of_step = search_step(setting, beams, reading, self.options.width + self.options.spare, last=False)
            drawn = [(tree.parents[beam.node], tree.tokens[beam.node]) for beam in beams_of_step]
            draft.hang(tree, drawn, Deterministic(), reading.seconds)
            beams, _ended = split_ended(setting, beams_of_step)
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Beam search by the target, one step per drafted depth."""
        options = self.options
        reading = read_unwarped(setting.target, [*setting.frontier, *setting.living(draft.nodes())])
        ranked, judgements = setting.beams, []
        origins: dict[int, Origin] = {}
        for step in range(len(draft.depths) + 1):
            live, ended = ranked.live, ranked.ended
            beams_of_step = search_step(setting, live, reading, options.width, last=setting.tokens_left - step == 1)
            drafted = draft.depths[step].nodes if step < len(draft.depths) else []
            judgements += _judge(setting, reading, drafted, live, beams_of_step)
            origin: Origin = "correction" if drafted else "bonus" if draft.depths else "plain"
            origins |= {beam.node: "accepted" if beam.node in drafted else origin for beam in beams_of_step}
            ranked = rank_search_beams(
                setting, beams_of_step, ended, origins, length_penalty=options.length_penalty, width=options.width
            )
            live = ranked.live
            if ranked.over or not live or not all(beam.node in reading.row_of for beam in live):
                break
        judgements += unreached(setting, draft, judgements, reasons.STEP_INCOMPLETE)
        beams = survivors(setting, ranked)
        return Verdict(reading, judgements, beams=beams, workings=[lambda: TopSet(width=options.width)])


def _judge(
    setting: Setting, reading: Reading, drafted: list[int], live: list[Beam], beams_of_step: list[Beam]
) -> list[Judgement]:
    """Judgements on a step's drafted nodes: accepted where the target's search keeps them too."""
    tree, best, parents = setting.tree, {beam.node for beam in beams_of_step}, {beam.node for beam in live}
    offered = [node for node in drafted if tree.parents[node] in parents]
    rows, tokens = [reading.row_of[tree.parents[node]] for node in offered], [tree.tokens[node] for node in offered]
    target_probs = dict(zip(offered, reading.probs[rows, tokens].tolist(), strict=True))
    judgements = []
    for node in drafted:
        if node not in target_probs:
            judgements.append(not_tested(node, reasons.BEAM_DROPPED))
            continue
        outcome, why = ("accepted", reasons.IN_TOP_SET) if node in best else ("rejected", reasons.NOT_IN_TOP_SET)
        numbers = target_probs[node], 1.0, float(node in best)
        judgements.append(Judgement(node, outcome, *numbers, None, why))
    return judgements
