"""A link to a moment of a run, by Node.js alone: what it says, and what is said of what it does not."""

from playground.ui.page.links import MOMENT
from tests.browser.holds import assert_one_sentence
from tests.javascript.node import ran

UNCHANGED = [
    "", "#run=rsd_s", "#run=rsd_s&step=0", "#run=rsd_s&step=37", "#run=rsd_s&step=37&kept=112", "#step=3",
    *(f"#run=dsbd&step=4&panel={panel}" for panel in ("rule", "mask", "cache", "rounds", "about")),
    *(f"#run=dsbd&view={view}" for view in ("wide", "stage", "present")),
    *(f"#run=dsbd&theme={theme}" for theme in ("light", "dark")),
    *(f"#run=dsbd&hide={hide}" for hide in ("text", "panel", "controls", "text,panel", "text,panel,controls")),
    "#run=dsbd&step=4&made=1c9d03aa",
    "#run=rsd_s&step=37&kept=112&panel=rule&view=wide&theme=dark&hide=text,controls&made=1c9d03aa",
    "#run=rsd_s&if=2.30.rejected&step=20", "#run=rsd_s&if=2.30.305", "?method=rsd_s&seed=7#if=3.width.2&step=9",
    "?method=rsd_s&seed=7", "?method=rsd_s&seed=7&rsd_s.width=2#step=5&made=1c9d03aa",
    "?prompt=a+%26+b%3D%23+%E6%9C%A8#step=1", "?tokens=5#view=stage",
]  # fmt: skip
SIMPLER = {  # The words of an address come to these.
    "?run=rsd_s&step=3&panel=rule": "#run=rsd_s&step=3&panel=rule",
    "?method=dsbd#run=rsd_s&step=1": "#run=rsd_s&step=1",
    "?tab=watch&method=dsbd#step=2": "?method=dsbd#step=2",
    "?tab=compare&methods=rsd_s,dsbd": "",
    "?tab=lab&section=speed": "",
    "?__theme=dark#theme=light": "",
    "?view=settings": "",
    "#run=rsd_s&panel=token": "#run=rsd_s&panel=token",
    "#run=rsd_s&step=4&panel=time": "#run=rsd_s&step=4&panel=about",
    "#hide=panel,text,panel": "#hide=text,panel",
    "#step=5&step=6": "#step=5",
}
WRONG = {  # A link leaves these, and says that of the rest.
    "#run=rsd_s&step=NaN": ("#run=rsd_s&step=0", "“step=NaN” means nothing here"),
    "#step=-3": ("#step=0", "“step=-3” means nothing here"),
    "#step=1e3&panel=rule": ("#step=0&panel=rule", "“step=1e3” means nothing here"),
    "#step=99999999999999999999": ("#step=0", "“step=9999"),
    "#kept=<script>alert(1)</script>": ("", "“kept=<script>alert(1)</script>” means nothing here"),
    "#panel=constructor": ("", "“panel=constructor”"),
    "#view=__proto__": ("", "“view=__proto__”"),
    "#theme=url(//x)": ("", "“theme=url(//x)”"),
    "#hide=everything,text": ("#hide=text", "“hide=everything”"),
    "#hide=": ("", "“hide=” means nothing here"),
    "#made=nothing": ("", "“made=nothing”"),
    "#if=2.30.maybe&step=4": ("#step=4", "“if=2.30.maybe” means nothing here"),
    "#if=0.30.rejected": ("", "“if=0.30.rejected”"),
    "#version=2&step=4": ("#step=4", "newer version"),
    "#version=none": ("", "“version=none”"),
    "#colour=red": ("", "“colour” means nothing here"),
    "#run=": ("", "“run=” means nothing here"),
    "#%E0%A4%A=1&step=2": ("#step=2", "means nothing here"),
    "#a=1&b=2&c=3&d=4&e=5&f=6": ("", "and 2 more"),
    "#panel=" + 5000 * "x": ("", "xxx…"),
}

READ = """
const link = await load("player/moment/link.js");
const read = (text) => link.read(new URL(text, "http://here/"));
const written = (moment) => Object.values(link.write(moment)).join("");
const links = given.map((text) => {
  const { moment, wrong } = read(text);
  const once = written(moment);
  return [once, written(read(once).moment), link.sentence(wrong), read(once).wrong.length];
});
print([links, link.NAMES]);
"""


def test_links_say_what_was_meant_and_what_was_not_is_said_in_one_sentence():
    links = [*UNCHANGED, *SIMPLER, *WRONG]
    results, names = ran(READ, links)
    assert set(names) == MOMENT, "the server leaves to the browser what is the browser's"
    expected = {each: (each, "") for each in UNCHANGED} | {each: (to, "") for each, to in SIMPLER.items()} | WRONG
    for text, (once, twice, said, still_wrong) in zip(links, results, strict=True):
        left, part = expected[text]
        assert once == left and twice == once and not still_wrong, text
        assert bool(said) == bool(part) and part in said, (text, said)
        if said:
            assert_one_sentence(said)
