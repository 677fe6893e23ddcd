"""A run before its models are loaded: all that decides its tokens, and the request that comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

from playground.decoding.chat import chat_turn
from playground.decoding.constrained.grammar import Grammar, one_of
from playground.decoding.decode import Request
from playground.decoding.method import DecodingMethod, make_method
from playground.errors import PlaygroundError
from playground.models.drafters.choice import drafter_called
from playground.models.loading import LoadedPair, Models
from playground.models.sampling import Sampling
from playground.models.sources.hub import Tell, say_nothing
from playground.models.sources.placement import find_placement
from playground.run_options import RunOptions
from playground.trace.events import Trace
from playground.words import word

OTHER_MODELS = word("watch_error_other_models")
CONFINED = word("watch_error_confined")


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One run: the same values, the same tokens.

    Raises:
        PlaygroundError: if it has both allowed texts and a grammar.
    """

    method: DecodingMethod  # with its options
    prompt: str  # The text continues it.
    models: Models  # fetched and loaded by the run
    sampling: Sampling = field(default_factory=Sampling)
    seed: int = 0
    max_new_tokens: int = 128
    chat: bool = False  # whether the prompt is a message that the target's chat template makes a turn of
    allow: tuple[str, ...] = ()  # the texts that may be written; none: any text
    grammar: str = ""  # a regular expression or a JSON schema that the text has to match; empty: any text
    stop_strings: tuple[str, ...] = ()  # the text ends before the first of them that is complete

    def __post_init__(self) -> None:
        if self.allow and self.grammar:
            raise PlaygroundError(word("watch_error_two_constraints"))

    @classmethod
    def of(cls, method: DecodingMethod, prompt: str, options: RunOptions) -> RunSpec:
        """Return the run with these options; no model is read.

        Raises:
            PlaygroundError: on a pair, device, number format or drafter that there is not.
        """
        return cls(
            method,
            prompt,
            Models.named(
                options.pair,
                options.target,
                options.draft,
                options.other_drafts,
                drafter=options.drafter,
                placement=find_placement(options.device, options.dtype, options.bits, options.draft_bits),
            ),
            Sampling(**{item.name: getattr(options, item.name) for item in fields(Sampling)}),
            options.seed,
            options.max_new_tokens,
            chat=options.chat,
            allow=tuple(options.allow),
            grammar=options.grammar,
            stop_strings=(options.stop,) if isinstance(options.stop, str) else tuple(options.stop),
        )

    def fetch(self, tell: Tell, stop: Callable[[], bool]) -> None:
        """Download the models, and write a message's turn where they are loaded, while others use the device.

        Raises:
            PlaygroundError: as `Models.fetch` and `request`; StoppedError where it was stopped.
        """
        self.models.fetch(tell, stop)
        if self.chat and (pair := self.models.loaded()):
            chat_turn(pair.target, self.prompt, stop)

    def request(self, tell: Tell = say_nothing, stop: Callable[[], bool] = lambda: False) -> Request:
        """Load the models, which may take long, and return the request.

        Args:
            tell: takes a sentence now and then on how far loading is.
            stop: once it says True, the chat template is given up.

        Raises:
            PlaygroundError: if a model cannot be loaded, or these cannot make the run.
        """
        models = self.models.load(tell)
        prompt, ids = chat_turn(models.target, self.prompt, stop) if self.chat else (self.prompt, ())
        grammar = one_of(self.allow, prompt) if self.allow else self.grammar
        return Request(
            self.method,
            models.target,
            prompt,
            models.draft,
            self.sampling,
            self.seed,
            self.max_new_tokens,
            ids,
            other_drafts=models.others,
            constraint=Grammar(grammar, models.target) if grammar else None,
            stop_strings=self.stop_strings,
            message=self.prompt if self.chat else "",
        )


def rebuild_request(trace: Trace, pair: LoadedPair, most: int | None = None) -> Request:
    """Rebuild the request of a recorded run for the given models.

    Args:
        pair: the models that it is to be made with.
        most: tokens at most, where the run had more.

    Raises:
        PlaygroundError: if it was made with other models, or confined to texts of a list, which no trace holds.
    """
    started = trace.started
    models = drafter_called(pair, started.draft["name"]) if started.draft else pair
    if models is None or started.target["name"] != models.target.name:
        raise PlaygroundError(OTHER_MODELS)
    if started.num_allowed:
        raise PlaygroundError(CONFINED)
    return Request(
        make_method(started.method, started.options),
        models.target,
        started.prompt,
        models.draft,
        Sampling.read(started.sampling),
        started.seed,
        min(started.max_new_tokens, most or started.max_new_tokens),
        tuple(started.prompt_ids),
        models.others,
        constraint=Grammar(started.grammar, models.target) if started.grammar else None,
        stop_strings=tuple(started.stop_strings),
        message=started.message,
    )
