"""Making a branch: the original once more, to record its random numbers, and then the run with the change."""

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from playground.decoding.decode import Request, Round, decode
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod, make_method, method_id
from playground.decoding.record import record
from playground.decoding.setting import Setting
from playground.decoding.verdict import Judgement, Verdict, not_tested
from playground.decoding.verifying import close
from playground.decoding.what_if.change import Change, judgement_on, uniform_for
from playground.decoding.what_if.streams import Tape
from playground.decoding.workings import reasons
from playground.errors import PlaygroundError
from playground.trace.events import Branch, Committed, Drafted, Trace
from playground.words import word


def branch(request: Request, change: Change, shown: Trace | None = None) -> Trace:
    """Run again with this change.

    Args:
        shown: trace of the original that was shown; it must come out again up to the change.

    Raises:
        PlaygroundError: if the change cannot be made in this run.
    """
    tape, original = _original(request, change, shown)
    test = None if change.node is None else judgement_on(change, original)
    replaced = uniform_for(test) if test is not None and change.outcome else None
    method = _method(request, change, test, replaced[1] if replaced else None)
    lasting = change.options  # the others change one round

    def method_of(number: int, setting: Setting) -> DecodingMethod:
        tape.play(setting, number, replaced if number == change.round else None)
        is_changed = number == change.round or (lasting and number > change.round)
        return method if is_changed else request.method

    origin = Branch(**asdict(change), of=shown.started.created if shown else "")
    batches = record(request, method_of=method_of, branch=origin, interval_s=math.inf)
    return Trace(tuple(event for batch in batches for event in batch))


def _original(request: Request, change: Change, shown: Trace | None) -> tuple[Tape, Round]:
    """Random numbers of all rounds of the original, and the round of the change."""
    tape, rounds = Tape(request.seed), []

    def method_of(number: int, setting: Setting) -> DecodingMethod:
        tape.record(setting)
        return request.method

    for item in decode(request, method_of=method_of):
        if isinstance(item, Round):
            rounds.append(item)
            if item.number <= change.round and shown is not None:
                _compare(item, shown)
    if not 1 <= change.round <= len(rounds):
        raise PlaygroundError(word("watch_error_no_round", round=change.round, last=len(rounds)))
    return tape, rounds[change.round - 1]


def _compare(item: Round, shown: Trace) -> None:
    """Refuse an original that does not come out again."""
    number = item.number
    was = [each for each in shown.events if isinstance(each, Drafted | Committed) and each.round == number]
    now = [*(depth.nodes for depth in item.draft.depths), item.nodes]
    tokens = [[item.tree.tokens[node] for node in nodes] for nodes in now]
    if [each.nodes for each in was] != now or [each.tokens for each in was] != tokens:
        raise PlaygroundError(word("watch_error_other_tokens", round=number))


def _method(request: Request, change: Change, test: Judgement | None, uniform: float | None) -> DecodingMethod:
    """Return the method of the changed round; with other options it also makes all later rounds."""
    method = request.method
    if change.options:
        other = make_method(method_id(method), asdict(method.options) | change.options)
        if other.num_draft_models != method.num_draft_models:
            raise PlaygroundError(word("watch_error_draft_models"))
        replace(request, method=other)  # refuses what cannot be run
        return other
    assert test is not None, f"a change of nothing: {change}"
    return _Forced(method, change, test, uniform)


@dataclass(eq=False, slots=True)
class _Forced(DecodingMethod):
    """A method with one verdict or token of a round forced."""

    method: DecodingMethod
    change: Change
    test: Judgement  # test of that node in the original
    uniform: float | None  # random number of that test in the branch, where a verdict is forced

    def draft(self, setting: Setting) -> Draft:
        """Draft as the method does."""
        return self.method.draft(setting)

    def verify(self, setting: Setting, draft: Any) -> Verdict:
        """Verify as the method does, except for the forced verdict."""
        verdict = self.method.verify(setting, draft)
        return (
            self._forced_verdict(verdict) if self.change.token is None else self._forced_token(setting, draft, verdict)
        )

    def _forced_verdict(self, verdict: Verdict) -> Verdict:
        """Verdict with the reason of the forced test marked; its random number was replaced before."""
        for index, each in enumerate(verdict.judgements):
            if (each.node, each.uniform, each.outcome) == (self.test.node, self.uniform, self.change.outcome):
                verdict.judgements[index] = each._replace(reason=each.reason.after(reasons.TURNED))
                return verdict
        raise PlaygroundError(word("watch_error_rule"))

    def _forced_token(self, setting: Setting, draft: Draft, verdict: Verdict) -> Verdict:
        """Verdict whose path goes to the node's parent, and there to the token."""
        tree, node, token = setting.tree, self.test.node, self.change.token
        assert token is not None, f"no token in {self.change}"
        if verdict.beams is not None:
            raise PlaygroundError(word("watch_error_several"))
        if not 0 <= token < verdict.reading.probs.shape[-1]:
            raise PlaygroundError(word("watch_error_no_token", token=token))
        parent = tree.parents[node]
        path = tree.path(parent, below=setting.frontier[0])
        if verdict.accepted[: len(path)] != path:
            raise PlaygroundError(word("watch_error_not_reached"))
        drafted = next(
            (each for each in draft.nodes() if (tree.parents[each], tree.tokens[each]) == (parent, token)), None
        )
        judgements = self._judgements(verdict.judgements, path, drafted)
        if drafted is not None:
            forced = close(setting, draft, verdict.reading, [*path, drafted], judgements)
            rejected = any(each.outcome == "rejected" and tree.parents[each.node] == drafted for each in judgements)
            forced.origin = "correction" if rejected else "bonus"
            return forced
        return Verdict(verdict.reading, judgements, path, token, "correction")

    def _judgements(self, judgements: list[Judgement], path: list[int], drafted: int | None) -> list[Judgement]:
        """Judgements before the change; those after it become not tested."""
        index, put = judgements.index(self.test), False
        last = min([index, *(number for number, each in enumerate(judgements) if each.node == drafted)])
        off_path = [each for each in judgements[:last] if each.outcome == "accepted" and each.node not in path]
        changed = [not_tested(each.node, reasons.SENT_AWAY) if each in off_path else each for each in judgements[:last]]
        for number, each in enumerate(judgements[last:], last):
            if each.node == drafted and not put:
                changed.append(each._replace(outcome="accepted", accept_prob=1.0, uniform=None, reason=reasons.PUT))
                put = True
            elif number == index and not put and each.outcome == "accepted":
                changed.append(
                    each._replace(outcome="rejected", accept_prob=0.0, uniform=None, reason=reasons.REPLACED)
                )
            elif each.node in path or each.outcome == "not_tested" or (number == index and not put):
                changed.append(each)
            else:
                changed.append(not_tested(each.node, reasons.SENT_AWAY))
        return changed
