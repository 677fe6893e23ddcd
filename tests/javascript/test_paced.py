"""Drawing at most a quarter of the time, by Node.js alone, on a clock of the test's own."""

from tests.javascript.node import ran

DRAWN = """
    let clock = 0;
    const later = [];
    Object.defineProperty(globalThis, "performance", { value: { now: () => clock } });
    globalThis.setTimeout = (then, wait = 0) => later.push([clock + wait, then]);
    globalThis.clearTimeout = () => {};
    globalThis.requestAnimationFrame = (then) => later.push([clock, then]);
    const { Paced } = await load("shared/paced.js");
    const drawn = [];
    let value = 0;
    const paced = new Paced(() => {
      drawn.push([clock, value]);
      clock += 100; // a drawing takes so long
    });
    const wait = (until) => {
      for (;;) {
        later.sort((a, b) => a[0] - b[0]);
        if (!later.length || later[0][0] > until) break;
        const [due, then] = later.shift();
        clock = Math.max(clock, due);
        then();
      }
      clock = Math.max(clock, until);
    };
    for (value = 1; value <= 10; value++) {
      wait(60 * value);
      paced.want();
    }
    value = 10;
    wait(5000);
    value = 11;
    paced.want();
    value = 12;
    paced.now();
    print(drawn);
"""


def test_a_value_is_drawn_at_once_or_the_newest_of_them_after_a_rest_of_three_times_as_long():
    """A value every 60 ms, 100 ms a drawing: the first at once, the next ones 400 ms apart, the last one too."""
    drawn = ran(DRAWN)
    assert [value for _, value in drawn] == [1, 8, 10, 11, 12]
    times = [at for at, _ in drawn]
    assert times[:3] == [60, 460, 860] and times[3:] == [5000, 5100]
