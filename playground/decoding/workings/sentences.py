"""Why a draw was accepted, rejected or not tested, in a sentence."""

from __future__ import annotations

SIBLING = "A sibling drawn before it was accepted."
PASSED_OVER = "The importance step selected another draw."
UNREACHED = "The walk did not come here."
BEFORE = "A token before it was rejected."
ROUND_OVER = "The round was over before."
BEAM_GONE = "Its beam was not kept."
ENOUGH_BEAMS = "Enough beams were accepted before it."
ENOUGH_SEEN = "As many draws as are looked at, or as are wanted, came before it."


def coin(passed: bool, chance: float, against: str) -> str:
    """One test of a draw below a node; `against` says what its coin was held against."""
    if chance == 0:
        return "Nothing is left of the target's mass here."
    return f"The coin {'fell' if passed else 'did not fall'} below {against}."


def recursive(rejected: int, left: float, offered: float | None) -> str:
    """What a coin is held against after some rejections.

    Args:
        rejected: so many.
        left: r, what is left of p at the token.
        offered: d, where draws are different ones; else None.
    """
    if rejected == 0:
        return "p/q"
    after = "the rejection" if rejected == 1 else f"{rejected} rejections"
    against = "q" if offered is None else f"{offered:.2g}, q without the rejected tokens"
    return f"r/{against}: r = {left:.2g} is its share of what {after} left of p"


def certain(rejected: int) -> str:
    """What the coin of a draw without chance is held against."""
    return "its share of what the rejections left of p" if rejected else "p: the draw was certain"


def matching(matched: bool) -> str:
    """A draft beside the token that the target drew for itself."""
    return "The target's own draw is this token." if matched else "The target's own draw is another token."


def ensemble(passed: bool, weight: float) -> str:
    """One test against a mixture of both models."""
    return f"The coin {'fell' if passed else 'did not fall'} below v/q: v is {weight:.0%} p and {1 - weight:.0%} q."


def k_seq(factor: float, num_draws: int) -> str:
    """What K-SEQ holds its coins against."""
    return f"p/({factor:.3f} q): with {num_draws} draws, K-SEQ divides by {factor:.3f}" if factor > 1 else "p/q"


def importance(num_draws: int, chance: float) -> str:
    """What the coin of the selected draw is held against."""
    if num_draws == 1:
        return "p/q"
    return f"p/P: of {num_draws} draws this one was selected, and the selection gives it P = {chance:.2g}"


def chain(passed: bool, p: float, q: float) -> str:
    """One test of a chain."""
    if passed:
        return "The target likes it at least as much as the draft did." if p >= q else "The coin fell below p/q."
    return "The target gives it no mass." if p == 0 else "The coin did not fall below p/q."


def block(length: int, kept: int, chance: float) -> str:
    """One prefix of a block, of which so many tokens were kept."""
    if length < kept:
        return "It is part of a longer block that was kept."
    if length == kept:
        return "The block that ends here is the longest to pass its test."
    return "The target gives the block no mass." if chance == 0 else "The block that ends here did not pass."


TRAVERSED = {
    "accepted": "The path that ends here is the first to pass its test.",
    "rejected": "The path that ends here did not pass.",
    "kept": "It lies on the path to a node that passed.",
    "unjudged": "A node passed before its turn.",
}


def typical(passed: bool, bar: float) -> str:
    """A token against the bar of typical acceptance."""
    return f"The target's probability is {'above' if passed else 'not above'} the bar of {bar:.3f}."


def rollback(passed: bool, surprise: float, threshold: float) -> str:
    """A token's surprise against the rollback threshold."""
    return f"Its surprise of {surprise:.2f} nats is {'within' if passed else 'above'} {threshold:g}."


ROLLED_BACK = "A token before it was rolled back."


def joint(passes: bool, ratio: float, tau: float, *, carried: bool) -> str:
    """A prefix's joint ratio against the threshold; `carried` by a longer prefix that passes."""
    compared = f"The joint ratio p/q up to here is {ratio:.3g}, {'above' if passes else 'not above'} {tau:g}"
    return compared + (", but a longer prefix passes." if carried else ".")


TOP_SET = {
    "accepted": "It is among the target's best beams.",
    "rejected": "The target has better beams than this.",
    "unjudged": "An earlier step was not drafted in full.",
}
