"""DSBD with one cache: of all beams a round ends with, only the one of lowest perplexity begins the next. Lossy.

    draft  as in `dsbd`, from one text: i.i.d. draws at several depths
    verify as in `dsbd`: each depth keeps as many beams as are likely to be accepted
    keep   the text the target finds most likely per token; all others are dropped, their keys and values too

A round verifies several texts and keeps one, so memory is that of speculative sampling. Choosing the likeliest of
several draws is not a draw: no distribution is claimed. With least width 1 and threshold 0 there is nothing to choose
from, and tokens are sampled from the target.

Paper: Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560, Section 3.4.
Differs from the paper: as `dsbd`. The paper's words are kept to; its authors' code does something else: it never
    compares perplexities, but keeps one draw, from the residual after a rejection (dropping the beams that this depth
    had accepted) and from p_beam where every depth was accepted. Texts that end in a round compete with its live ones;
    the run is over when one of them is the best.
"""

from playground.decoding.beams import score
from playground.decoding.methods import dsbd
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Beams
from playground.trace.events import Origin


class DSBDOneCache(dsbd.DSBD):
    """Verifies beams as DSBD does, but carries only the likeliest of them into the next round."""

    title = "Speculative beam decoding, one cache"
    reproduces = "none"

    def next_beams(self, setting: Setting, live: list[Beam], ended: list[Beam], origins: dict[int, Origin]) -> Beams:
        """Return the one text of lowest perplexity under the target; the run is over if it has ended."""
        best = max(live + ended, key=lambda beam: score(setting, beam, length_penalty=1.0))
        has_ended = setting.ends(best.node)
        return Beams([] if has_ended else [best], [best] if has_ended else [], best.node, origins)
