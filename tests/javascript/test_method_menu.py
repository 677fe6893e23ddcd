"""The menu of methods without a browser: keys, and what is chosen."""

import pytest

from tests.javascript.node import ran

MENU = """
const { MethodMenu, itemFor } = await load("page/method/menu.js");
const method = (id, title, mark = "") => ({ id, title, summary: `About ${title}.`, mark });
const families = [
  { id: "nothing", title: "Without drafts", methods: [method("ar", "Autoregressive")] },
  { id: "tree", title: "Trees", methods: [method("c", "RSD-C"), method("s", "RSD-S", "lossy")] },
];
const chosen = [];
const menu = new MethodMenu(families, (id) => chosen.push(id));
const isSelected = (item) => item.getAttribute("aria-selected") === "true";
const selected = () => menu.items.filter(isSelected).map((item) => item.dataset.method);
const focused = () => document.activeElement.dataset.method ?? "button";
"""


def on_menu(script: str):
    return ran(MENU + script, with_document=True)


def test_the_one_that_is_shown_is_selected_and_has_the_focus_once_the_list_is_open():
    *told, families = on_menu(
        """
        menu.show("c");
        const before = [selected(), menu.button.textContent, menu.button.title];
        menu.list.showPopover();
        const shown = menu.list.children[0].children.map((family) => family.textContent);
        print([...before, focused(), menu.button.getAttribute("aria-expanded"), chosen, shown]);
        """
    )
    assert told == [["c"], "RSD-C▾", "About RSD-C.", "c", "true", []]
    assert families == ["Without draftsAutoregressive", "TreesRSD-CRSD-Slossy"], "a lossy one with its mark"


def test_an_item_is_chosen_by_key_or_press_and_the_button_has_the_focus_again():
    told = on_menu(
        """
        menu.show("ar");
        menu.list.showPopover();
        menu.list.send("keydown", { key: "End" });
        menu.list.send("keydown", { key: "Enter" });
        const byKey = [selected(), focused()];
        let isPressed = true;
        menu.button.send("keyup", { key: " ", preventDefault: () => (isPressed = false) });
        const spacePlays = [isPressed, "chosen" in menu.button.dataset];
        menu.button.send("blur");
        spacePlays.push("chosen" in menu.button.dataset);
        menu.items[1].send("click");
        print([byKey, selected(), chosen, menu.button.getAttribute("aria-expanded"), spacePlays]);
        """
    )
    assert told == [[["s"], "button"], ["c"], ["s", "c"], "false", [False, True, False]]


def test_an_item_has_a_bar_of_its_speed_up_and_says_the_rest_when_it_is_pointed_at():
    told = on_menu(
        """
        const speed_up = { median: 0.5, low: 0.25, high: 1 };
        const named = { ...method("s", "RSD-S"), full_name: "Recursive", paper: "Jeon 2024", speed_up };
        const { items, about } = new MethodMenu([{ id: "tree", title: "Trees", methods: [named] }], () => {});
        items[0].send("pointerenter");
        const styles = items[0].children[1].children.map((part) => part.attributes.style);
        print([items[0].textContent, items[0].getAttribute("aria-description"), about.textContent, ...styles]);
        """
    )
    assert told[:2] == ["RSD-S0.5×", "0.5× Recursive About RSD-S. Jeon 2024"]
    assert told[2] == "Recursive About RSD-S. Jeon 2024"
    # an octave is a fifth of the scale, which begins at a quarter of plain decoding's speed
    assert told[3:] == ["left: 20%; width: 20%", "left: 0%; width: 40%", "left: 40%"]


@pytest.mark.parametrize(
    ("key", "at", "index"),
    [
        ("ArrowDown", 0, 1), ("ArrowDown", 2, 2), ("ArrowUp", 0, 0), ("Home", 2, 0), ("End", 0, 2),
        ("r", 0, 1), ("R", 1, 2), ("r", 2, 1), ("x", 0, -1), ("Tab", 0, None), ("ArrowDown", -1, 0),
    ],
)  # fmt: skip
def test_a_key_leads_to_an_item(key, at, index):
    titles = '[{ title: "Autoregressive" }, { title: "RSD-C" }, { title: "RSD-S" }]'
    script = f'const {{ itemFor }} = await load("page/method/menu.js"); print(itemFor("{key}", {at}, {titles}));'
    assert ran(script) == index
