/**
 * Events held against the contract, so that a damaged file gives a sentence instead of a half-drawn page.
 *
 * The server checks traces too; this is for files that a reader opens. It looks at types, ranges and lengths, not at what
 * the events add up to. Workings are looked at in workings.js: a run plays without them.
 */

import { say } from "../../shared/words.js";
import contract from "./contract.json" with { type: "json" };

/** @type {Record<string, any>} */
const { COLUMNS, EVENTS, FORMAT, VERSION } = contract;

/** @typedef {number | null | undefined} Maybe a number that may be unknown */
/** @typedef {Record<string, any>} Schema as contract.json has it, or a part of one */

/** @param {unknown} value @returns {value is number} */
export const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
/** @param {unknown} value @returns {value is string} */
export const isText = (value) => typeof value === "string";
/** @param {unknown} value @returns {value is Record<string, any>} */
export const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * True where a value has the type and the range that a schema of contract.json asks for.
 * @param {any} value
 * @param {Schema} schema
 * @returns {boolean}
 */
export function isValid(value, schema) {
  if (schema.anyOf) return schema.anyOf.some((/** @type {Schema} */ each) => isValid(value, each));
  if (value === null || value === undefined) return schema.maybe === true || schema.type === "null";
  if (schema.enum) return schema.enum.includes(value);
  const size = sizeOf(value, schema);
  return size !== null && size >= (schema.minItems ?? 0) && size <= (schema.maxItems ?? Infinity);
}

/**
 * By type: the number of entries of a value whose contents fit, 0 for what has none; null where it does not fit.
 * @type {Record<string, (value: any, schema: Schema) => number | null>}
 */
const SIZES = {
  boolean: (value) => (typeof value === "boolean" ? 0 : null),
  integer: (value, schema) => (Number.isInteger(value) && isWithin(value, schema) ? 0 : null),
  number: (value, schema) => (isNumber(value) && isWithin(value, schema) ? 0 : null),
  string: (value, schema) => (isText(value) && matches(value, schema) ? 0 : null),
  array: (value, { items }) =>
    Array.isArray(value) && value.every((each) => isValid(each, items)) ? value.length : null,
  object: (value, schema) => (isTable(value) && fitsTable(value, schema) ? 0 : null),
};

/** @param {any} value @param {Schema} schema */
const sizeOf = (value, schema) => (SIZES[schema.type] ?? SIZES.object)(value, schema);

/** @param {number} value @param {Schema} schema */
const isWithin = (value, { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity }) =>
  value >= minimum && value <= maximum && value > exclusiveMinimum;

/** @param {string} value @param {Schema} schema */
const matches = (value, { pattern, maxLength = Infinity }) =>
  value.length <= maxLength && (!pattern || new RegExp(pattern).test(value));

/** @param {Record<string, any>} value @param {Schema} schema */
function fitsTable(value, { properties, optional = [], additionalProperties: each, propertyNames: name }) {
  if (properties)
    return (
      Object.keys(value).every((field) => Object.hasOwn(properties, field)) &&
      Object.keys(properties).every((field) => !faultIn(value, field, properties[field], optional.includes(field)))
    );
  return Object.entries(value).every(
    ([key, inner]) => (!name || matches(key, name)) && (!each || isValid(inner, each)),
  );
}

/**
 * True where a field breaks its schema; one that may be left out may be null.
 * @param {Record<string, any>} table
 * @param {string} field
 * @param {Schema} schema
 * @param {boolean} isOptional
 */
const faultIn = (table, field, schema, isOptional) =>
  !(isOptional && (table[field] === undefined || table[field] === null)) && !isValid(table[field], schema);

/**
 * True where the columns of an event, or of a working, that speak of the same things have one length.
 * @param {string} name
 * @param {Record<string, any>} table
 */
export const haveEqualColumns = (name, table) =>
  (COLUMNS[name] || []).every(
    (/** @type {string[]} */ group) => new Set(group.map((field) => table[field].length)).size === 1,
  );

/** Returns why the event breaks the contract, or null when it keeps it. @param {unknown} event */
export function breach(event) {
  if (!isTable(event) || !Object.hasOwn(EVENTS, event.event))
    return say("error_unknown", { event: isTable(event) ? event.event : typeof event });
  const name = event.event;
  const { properties, optional = [] } = EVENTS[name];
  for (const field in properties)
    if (field !== "workings" && faultIn(event, field, properties[field], optional.includes(field)))
      return say("error_field", { event: name, field });
  return haveEqualColumns(name, event) && areAligned(event) ? null : say("error_length", { event: name });
}

/**
 * True where a column that may be left out has the length of the nodes, and the mask is as large as it says.
 * @param {Record<string, any>} event
 */
function areAligned({ nodes, parents, reason_values: values, mask, fed, columns }) {
  if ([parents, values].some((column) => column && column.length && column.length !== nodes.length)) return false;
  return (
    !mask || (mask.length === fed.length && mask.every((/** @type {unknown[]} */ row) => row.length === columns.length))
  );
}

/** Returns why a file is no trace of ours, or null. @param {unknown} trace */
export function breachOfFile(trace) {
  if (!isTable(trace) || trace.format !== FORMAT || !Array.isArray(trace.events)) return say("error_not_trace");
  if (trace.version !== VERSION) return say("error_version", { version: String(trace.version), read: String(VERSION) });
  return null;
}
