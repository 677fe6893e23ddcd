"""The page as Gradio builds it: parts of its tabs, and what its events set off."""

from collections import defaultdict

import pytest

from playground.decoding.method import methods
from playground.ui.build import build
from playground.ui.watch.form import WatchForm
from playground.ui.watch.method_menu import families


@pytest.fixture(scope="module")
def config():
    return build().get_config_file()


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
