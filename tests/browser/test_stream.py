"""A request of the moment at which the server's stream of answers ends is answered all the same."""

from playwright.sync_api import expect

from tests.browser.app_fixture import wait_for_player, wait_until

# The stream's last word comes late, as on a page that stands still; what is asked for meanwhile would get its number
# before that.
LATE_LAST_WORD = """(() => {
  const fetched = window.fetch.bind(window);
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  window.fetch = async (asked, options) => {
    const answer = await fetched(asked, options);
    if (!String(asked.url ?? asked).includes("/queue/data")) return answer;
    const late = new TransformStream({ async transform(bytes, stream) {
      const said = new TextDecoder().decode(bytes);
      const last = said.search(/data: .{0,20}close_stream/);
      if (last < 0) return stream.enqueue(bytes);
      if (last) stream.enqueue(new TextEncoder().encode(said.slice(0, last)));
      await pause(120);
      window.beforeTheLastWord?.();
      await pause(1000);
      window.lastWords = (window.lastWords ?? 0) + 1;
      stream.enqueue(new TextEncoder().encode(said.slice(last)));
    } });
    return new Response(answer.body.pipeThrough(late), answer);
  };
})()"""


def test_what_is_asked_for_while_a_stream_ends_is_answered(open_page, address):
    """A recorded run is asked for by its link; no second request may be needed to get the answer of the first."""
    page = open_page(reduced_motion="reduce", locale="en-US")  # a browser of its own, as the script stays in it
    page.add_init_script(LATE_LAST_WORD)
    page.goto(f"{address}/")
    wait_for_player(page)
    page.wait_for_function("window.lastWords >= 1")
    expect(page.locator("#run")).to_be_enabled()
    page.evaluate(
        """() => {
          window.beforeTheLastWord = () => {
            window.beforeTheLastWord = undefined;
            location.hash = "#run=dsbd&step=3";
          };
          location.hash = "#run=specinfer&step=2";
        }"""
    )
    wait_until(page, "p.trace.run.method === 'dsbd' && p.state().step === 3")
