"""The reasons that rules and methods give for their verdicts, as codes; their sentences are the page's."""

from playground.trace.reasons import Reason

SIBLING_ACCEPTED = Reason("sibling_accepted")
NOT_SELECTED = Reason("not_selected")
NOT_REACHED = Reason("not_reached")
EARLIER_REJECTED = Reason("earlier_rejected")
ROUND_OVER = Reason("round_over")
BEAM_DROPPED = Reason("beam_dropped")
ENOUGH_BEAMS = Reason("enough_beams")
ENOUGH_DRAWS = Reason("enough_draws")
EARLIER_ROLLED_BACK = Reason("earlier_rolled_back")
FIRST_PATH = Reason("first_path")
PATH_FAILED = Reason("path_failed")
ON_PATH = Reason("on_path")
PATH_LATER = Reason("path_later")
IN_TOP_SET = Reason("in_top_set")
NOT_IN_TOP_SET = Reason("not_in_top_set")
STEP_INCOMPLETE = Reason("step_incomplete")
TURNED = Reason("turned")
PUT = Reason("put")
REPLACED = Reason("replaced")
SENT_AWAY = Reason("sent_away")

RATIO = Reason("")  # p/q


def uniform_test(passed: bool, accept_prob: float, against: Reason = RATIO) -> Reason:
    """Describe the test of a draw by a uniform number; `against` is what the number was compared with."""
    if accept_prob == 0:
        return Reason("no_mass_left")
    below = "below" if passed else "not_below"
    return Reason(f"{below}_{against.code}" if against.code else below, against.values)


def residual(num_rejected: int, left: float, offered: float | None) -> Reason:
    """Describe the comparison after some rejections.

    Args:
        num_rejected: draws rejected before.
        left: r, what is left of p at the token.
        offered: d, where draws are distinct; else None.
    """
    if num_rejected == 0:
        return RATIO
    code, values = "residual" if offered is None else "distinct", {"r": left}
    if offered is not None:
        values["q"] = offered
    return Reason(f"{code}_first", values) if num_rejected == 1 else Reason(code, values | {"count": num_rejected})


def certain(num_rejected: int) -> Reason:
    """Describe the comparison for a draw without chance."""
    return Reason("share" if num_rejected else "certain")


def matching(matched: bool) -> Reason:
    """Describe a draft next to the token that the target drew for itself."""
    return Reason("matched" if matched else "not_matched")


def mixture(passed: bool, weight: float) -> Reason:
    """One test against a mixture of both models."""
    return Reason("below_mixture" if passed else "not_below_mixture", {"weight": weight, "rest": 1 - weight})


def lenient(passed: bool, accept_prob: float, factor: float) -> Reason:
    """Describe one test against p/q over a factor that falls with the target's entropy."""
    return uniform_test(passed, accept_prob, Reason("lenient", {"factor": factor}))


def k_seq(factor: float, num_draws: int) -> Reason:
    """Describe the ratio that K-SEQ divides by its factor."""
    return Reason("k_seq", {"factor": factor, "draws": num_draws}) if factor > 1 else RATIO


def selected(num_draws: int, selection_prob: float) -> Reason:
    """Describe the ratio of p to the distribution of the selected draw."""
    return RATIO if num_draws == 1 else Reason("selected", {"draws": num_draws, "chance": selection_prob})


def chain(passed: bool, p: float, q: float) -> Reason:
    """One test of a chain."""
    if passed:
        return Reason("likelier" if p >= q else "below")
    return Reason("no_mass" if p == 0 else "not_below")


def block(length: int, num_accepted: int, accept_prob: float) -> Reason:
    """One prefix of a block, with the number of its tokens accepted."""
    if length < num_accepted:
        return Reason("in_longer_block")
    if length == num_accepted:
        return Reason("longest_block")
    return Reason("block_no_mass" if accept_prob == 0 else "block_failed")


def typical(passed: bool, bar: float) -> Reason:
    """Describe a token against the threshold of typical acceptance."""
    return Reason("above_bar" if passed else "not_above_bar", {"bar": bar})


def rollback(passed: bool, surprise: float, threshold: float) -> Reason:
    """Describe a token's surprise against the rollback threshold, both in nats."""
    code = "within_surprise" if passed else "above_surprise"
    return Reason(code, {"surprise": surprise, "threshold": threshold})


def joint(passed: bool, ratio: float, tau: float, *, carried: bool) -> Reason:
    """Describe a prefix's joint ratio against the threshold; `carried` by a longer prefix that passes."""
    code = "joint_carried" if carried else "joint_above" if passed else "joint_not_above"
    return Reason(code, {"ratio": ratio, "tau": tau})


def held_and_passed(entropy: float) -> Reason:
    """Describe a draft that failed its test and stays, as the target was unsure and the drafts after it passed."""
    return Reason("held_kept", {"entropy": entropy})


def rejected_for_good(entropy: float, threshold: float) -> Reason:
    """Describe a draft that failed its test and was not held, or was held in vain."""
    code = "held_in_vain" if entropy > threshold else "not_held"
    return Reason(code, {"entropy": entropy, "threshold": threshold})
