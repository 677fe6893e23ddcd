import { element as make } from "../shared/elements.js";
import { inItsLanguage, say, worded } from "../shared/words.js";

/**
 * What Gradio gives to a panel. Every module in panels/ is one: `mount(panel, settings)` draws it.
 *
 * @typedef {object} Panel
 * @property {any} element its part of the page; the host in it, of the class `<kind>-host`, carries what is mounted
 * @property {{value: any}} props
 * @property {(event: string, data: object) => void} trigger sends an event that the server listens to
 * @property {(name: string, heard: () => void) => void} watch
 * @property {Record<string, (message: import("./messages.js").FromPage) => Promise<any>>} server functions of it
 */

/**
 * Send what the reader did to the server, as an event of the message's name.
 *
 * @param {Pick<Panel, "trigger">} panel
 * @param {import("./messages.js").FromPage} message
 */
export const send = ({ trigger }, message) => trigger(message.type, message);

/**
 * Show the panel's value now, and whenever it changes.
 *
 * @param {Pick<Panel, "element" | "props" | "watch">} panel
 * @param {(value: any) => void} show
 */
export function follow({ element, props, watch }, show) {
  const again = () => inItsLanguage(element, () => show(props.value));
  watch("value", again);
  again();
}

/**
 * The value of a panel that is large, which goes over as JSON; Gradio's own for nothing is an empty text.
 *
 * @param {Panel["props"]} props
 * @returns {any}
 */
export const written = ({ value }) => worded(JSON.parse(value || "null"));

/**
 * The same as `follow`, for a panel that is large.
 *
 * @param {Pick<Panel, "element" | "props" | "watch">} panel
 * @param {(value: any) => void} show
 */
export function followWritten(panel, show) {
  follow(panel, () => show(written(panel.props)));
}

/**
 * Ask for the recording that is kept with the page, and say that it is being read, over what the panel shows without
 * one: until `recordingRead`.
 *
 * @param {Panel} panel
 */
export function askForRecording(panel) {
  const sentence = inItsLanguage(panel.element, () => say("recording_read"));
  panel.element.append(
    make("div", "spec-player reading", [make("p", "sp-waiting-title", sentence)], { role: "status" }),
  );
  send(panel, { type: "open_recorded" });
}
