"""The page as Gradio builds it: parts of its tabs, and what its events set off."""

from collections import defaultdict

import pytest

from playground.decoding.method import methods
from playground.ui.build import build
from playground.ui.watch.form import WatchForm
from playground.ui.watch.method_menu import families


@pytest.fixture(scope="module")
def page():
    return build()


@pytest.fixture(scope="module")
def config(page):
    return page.get_config_file()


def test_the_menu_of_watch_has_every_method(config):
    menu = next(part for part in config["components"] if part["props"].get("elem_id") == "method")
    assert menu["props"]["value"] == WatchForm().method
    offered = [each for family in families() for each in family["methods"]]
    assert sorted(each["id"] for each in offered) == sorted(methods())
    for each in offered:
        assert bool(each["paper"]) != ("no paper" in methods()[each["id"]].paper), each


def test_no_event_has_two_handlers_that_are_repeated_for_its_last_value(config):
    """Gradio repeats one of them, once it has ended, by the event: the others begin again, and repeat this one."""
    repeated = defaultdict(list)
    for handler in config["dependencies"]:
        if handler["backend_fn"] and handler["trigger_mode"] == "always_last":
            for target in handler["targets"]:
                repeated[tuple(target)].append(handler["api_name"])
    assert len(repeated) > 20
    assert not {target: names for target, names in repeated.items() if len(names) > 1}


def test_an_event_of_a_whole_form_gets_what_is_posted_and_the_form_refuses_it_in_its_own_words(page):
    """A slider of Gradio breaks on an empty value without a word, and its menus list all that they offer."""
    fields = {"number", "slider", "dropdown", "radio", "checkboxgroup"}
    events = [event for event in page.fns.values() if sum(each.get_block_name() in fields for each in event.inputs) > 3]
    assert len(events) > 8
    assert not [event.api_name for event in events if event.preprocess]
