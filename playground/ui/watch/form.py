"""The form of the Watch tab, and the run that it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import gradio as gr

from playground.bench.entry import enter, read_choices
from playground.decoding.method import make_method, methods
from playground.decoding.run_spec import RunSpec
from playground.decoding.stop_strings import read_stop_strings, typed
from playground.errors import PlaygroundError
from playground.models.catalog import PAIRS
from playground.models.drafters.choice import DRAFT
from playground.models.sampling import OFF, Sampling
from playground.trace.events import RunStarted
from playground.ui.page.checks import LARGEST_SEED, refuse_long, whole
from playground.ui.page.form import Form
from playground.ui.page.links import LONGEST_WORD
from playground.ui.page.model_chooser import BUNDLED, OTHER, chosen_models, is_offered
from playground.ui.page.prompt_chooser import offered_prompts
from playground.words import word

MOST_TOKENS = 900  # fits the bundled pair's context behind prompts of 100 tokens
UNSAID_METHOD = "speculative_sampling"  # The method of a link that names none; the default of the first release.


@dataclass(frozen=True)
class WatchForm(Form):
    """One run."""

    prompt: str = field(default_factory=lambda: next(iter(offered_prompts().values())))
    pair: str = BUNDLED
    target: str = ""
    draft: str = ""
    drafter: str = DRAFT
    method: str = UNSAID_METHOD
    tokens: int = 128
    seed: int | None = 0
    temperature: float = 1
    top_k: int = 0
    top_p: float = 1
    min_p: float = 0
    repetition_penalty: float = 1
    presence_penalty: float = 0
    frequency_penalty: float = 0
    logit_bias: str = ""
    options: dict[str, dict[str, float]] = field(default_factory=dict)
    allow: str = ""  # one text per line
    grammar: str = ""  # a regular expression or a JSON schema
    stop: str = ""  # one stop string per line
    chat: bool = False  # the prompt is a message, for the target's chat template

    @property
    def num_tokens(self) -> int:
        """The most new tokens, within their limits, of a form that is not damaged."""
        return min(MOST_TOKENS, max(1, int(self.tokens)))

    def refuse_damaged(self) -> None:
        """Refuse, before the run has a place in the line, what the form's own controls do not give.

        Raises:
            PlaygroundError: see `Form`; also on a seed or a number of tokens out of range.
        """
        super().refuse_damaged()
        whole(self.seed or 0, word("field_seed"), 0, LARGEST_SEED)
        whole(self.tokens, word("new_tokens"), 1, MOST_TOKENS)

    def spec(self) -> RunSpec:
        """Return the run that is asked for; no model is read.

        Raises:
            PlaygroundError: if something is missing, out of range, unknown or not offered.
        """
        self.refuse_damaged()
        refuse_long(self.prompt or "")
        if not (self.prompt or "").strip():
            raise PlaygroundError(word("notice_no_prompt"))
        return RunSpec(
            make_method(self.method or "", self.options_of(self.method or "")),
            self.prompt,
            chosen_models(self.pair, self.target, self.draft, self.drafter or DRAFT),
            Sampling.read({name: getattr(self, name, usual) for name, usual in OFF.items()}),
            int(self.seed or 0),
            int(self.tokens),
            chat=self.chat,
            allow=tuple(line for line in (self.allow or "").splitlines() if line.strip()),
            grammar=self.grammar or "",
            stop_strings=read_stop_strings((self.stop or "").splitlines()),
        )

    @classmethod
    def of_run(
        cls, started: RunStarted, *, pair: str = BUNDLED, target: str = "", draft: str = "", drafter: str = DRAFT
    ) -> WatchForm:
        """Return the form that makes a run again; a trace lacks only the page's names of models and drafter."""
        usual, sampling = cls.usual_options(started.method), asdict(Sampling.read(started.sampling))
        sampling.pop("generation_config")  # The page has no control for it.
        return cls(
            prompt=started.message or started.prompt,
            chat=bool(started.message),
            pair=pair if is_offered(pair) else BUNDLED,
            target=target,
            draft=draft,
            drafter=drafter,
            method=started.method,
            tokens=started.max_new_tokens,
            seed=started.seed,
            options={started.method: {name: each for name, each in started.options.items() if each != usual.get(name)}},
            **sampling,
            grammar=started.grammar,
            stop="\n".join(map(typed, started.stop_strings)),
        )

    @classmethod
    def updates(cls, values: Mapping[str, Any] | None = None) -> list[Any]:
        """For the form's controls as outputs; the chip of the chat template follows the pair."""
        if values and "pair" in values:
            values = {**values, "chat": chat_chip(values["pair"], is_on=values.get("chat"))}
        return super().updates(values)

    @classmethod
    def read_link(cls, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the values that a link sets, by field; its method may be written as in a command: `rsd_s:width=2`.

        An option of the method needs no prefix: `method=rsd_s&width=2`. A method that there is not is left out.

        Raises:
            PlaygroundError: if the method has no such option.
        """
        values = super().read_link(cls._prefixed(query))
        if not cls._names_method(query):
            return {name: value for name, value in values.items() if name != "method"}
        entry = enter(read_choices(values["method"])[:1])[0]
        usual = cls.usual_options(entry.method)
        options = {name: value for name, value in entry.options.items() if value != usual[name]}
        options |= values.get("options", {}).get(entry.method, {})
        if options:
            values["options"] = values.get("options", {}) | {entry.method: options}
        if entry.drafter != DRAFT:
            values["drafter"] = entry.drafter
        return values | {"method": entry.method}

    @classmethod
    def wrong_in_link(cls, query: Mapping[str, str]) -> list[str]:
        """Return the values of a link that the form does not have, a phrase each."""
        wrong = super().wrong_in_link(cls._prefixed(query))
        if "method" in query and not cls._names_method(query):
            name = query["method"].partition(":")[0]
            wrong.append(word("watch_error_unknown_method", name=repr(name[:LONGEST_WORD])))
        return wrong

    @staticmethod
    def _names_method(query: Mapping[str, str]) -> bool:
        return query.get("method", "").partition(":")[0] in methods()

    @classmethod
    def _prefixed(cls, query: Mapping[str, str]) -> dict[str, str]:
        """Return the query with its method's options under their full names; a field of the form keeps its own name."""
        method = query.get("method", UNSAID_METHOD).partition(":")[0]
        own = cls.usual_options(method).keys() - {item.name for item in fields(cls)} if method in methods() else ()
        short = {f"{method}.{name}": value for name, value in query.items() if name in own}
        return short | {name: value for name, value in query.items() if name not in own}


def chat_chip(pair: str, *, is_on: bool | None = None) -> gr.Checkbox:
    """Return the chip in the prompt's box that makes a message of it; in sight where the target may take one.

    Of a chat model it is of the class `of-chat`: the page presses it when a reader types, see assets/page/chat.js.

    Args:
        pair: of the form.
        is_on: whether it is pressed; None where it stays as it is, if it stays in sight.
    """
    is_chat = any(each.chat for each in PAIRS if each.id == pair)
    may_chat = is_chat or pair == OTHER
    value: Any = {} if is_on is None and may_chat else {"value": bool(is_on)}
    return gr.Checkbox(
        **value,
        label=word("chat"),
        info=word("chat_info"),
        visible=may_chat or bool(is_on),
        elem_id="chat",
        elem_classes=["of-chat"] if is_chat else [],
    )
