"""What the page's events set off."""

from collections import defaultdict

from playground.ui.build import build


def test_no_event_has_two_handlers_that_are_repeated_for_its_last_value():
    """Gradio repeats one of them, once it has ended, by the event: the others begin again, and repeat this one."""
    config = build().get_config_file()
    repeated = defaultdict(list)
    for handler in config["dependencies"]:
        if handler["backend_fn"] and handler["trigger_mode"] == "always_last":
            for target in handler["targets"]:
                repeated[tuple(target)].append(handler["api_name"])
    assert len(repeated) > 20
    assert not {target: names for target, names in repeated.items() if len(names) > 1}
