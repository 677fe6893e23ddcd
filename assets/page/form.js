/**
 * What the server says of a form is what the form is. Gradio asks at each change, but of many changes of one moment it
 * may ask with what stood there before the last: as its script reads, a control that has just come into sight has the
 * value that it was made with until a moment later, and its change to another one is not always told of. So the page
 * asks again a moment later, until the form has come to rest.
 */

import { setUp } from "./tabs.js";

const REST_MS = 400;

/** @type {Record<string, string>} the values for which was asked, by tab */
const sentValues = {};
/** @type {Record<string, string>} those of the answer before */
const before = {};

/** The server is asked about a form. */
export function asksOfForm(tab, ...values) {
  sentValues[tab] = JSON.stringify(values);
  return values;
}

/** It has answered, with the form as a query for the address. */
export function toldOfForm(tab, query) {
  setUp(tab, query);
  if (before[tab] === sentValues[tab]) return;
  before[tab] = sentValues[tab];
  setTimeout(() => document.getElementById(`${tab}-ask-again`)?.click(), REST_MS);
}
