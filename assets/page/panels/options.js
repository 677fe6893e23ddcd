/**
 * The options of methods: a row of controls for each method shown, all of them one value.
 *
 * The value is {method: {option: value}}, of all methods; what is at its default is left out.
 */

import { element } from "../../shared/elements.js";
import { inItsLanguage, languageOf, optionName, phrase, say } from "../../shared/words.js";
import { follow } from "../panel.js";

let numFields = 0; // for ids of their own

/** @type {Record<string, string[]>} by panel, the methods that a menu has chosen */
const inMenu = {};

/** Show the options of these methods, or of this one, in the panel with this id, which may not be there yet. */
export function showOptions(id, methods) {
  inMenu[id] = [methods ?? []].flat();
  /** @type {any} */ (document.querySelector(`#${id} .options-host`))?.show?.();
}

/** Set one option of a method in the panel with this id. */
export const setOption = (id, method, name, value) =>
  /** @type {any} */ (document.querySelector(`#${id} .options-host`))?.choose(method, name, value);

/**
 * The panel `id`. All methods there are, {method: {title, options: [option]}}, an option being {name, key, label, unit,
 * help, min, max, step, value}, its value the default; and `first`, those that are shown until the menu says others.
 *
 * @param {import("../panel.js").Panel} panel
 */
export function mount(panel, { id, methods, first, texts }) {
  const { props } = panel;
  const host = panel.element.querySelector(".options-host");
  const field = texts ? textField : sliderField;

  function choose(method, option, value) {
    const values = JSON.parse(JSON.stringify(props.value || {})); // a new one, or Gradio sees no change
    const own = (values[method] = values[method] || {});
    if (value === option.value) delete own[option.name];
    else own[option.name] = value;
    if (!Object.keys(own).length) delete values[method];
    props.value = values;
  }

  host.choose = function (method, name, value) {
    const option = methods[method]?.options.find((each) => each.name === name);
    if (option) choose(method, option, value);
    host.show();
  };

  function row(method) {
    const values = (props.value || {})[method] || {};
    const { title, options } = methods[method];
    const controls = options.map((option) =>
      field(option, values[option.name] ?? option.value, (value) => choose(method, option, value)),
    );
    const head = texts ? [element("strong", "option-method", title)] : []; // of several, each is named
    return element("div", "option-row", [...head, ...controls]);
  }

  host.show = function () {
    const shown = (inMenu[id] || first).filter((method) => methods[method]?.options.length);
    inItsLanguage(host, () => host.replaceChildren(...shown.map(row)));
  };
  follow(panel, host.show);
}

/** One number, by slider or written: the slider decides which numbers there are. */
function sliderField(option, value, choose) {
  const { min, max, step } = option;
  const name = optionName(option);
  const slider = input("range", { min, max, step, "aria-label": say("option_slider", { name }) });
  const number = input("number", { min, max, step, "aria-label": say("option_number", { name }) });
  const reset = element("button", "option-reset", "↺", { type: "button", "aria-label": say("option_reset") });

  function set(wanted) {
    slider.value = wanted;
    slider.style.setProperty("--reached", `${(100 * (Number(slider.value) - min)) / (max - min)}%`);
  }
  function take(wanted) {
    set(wanted);
    choose(Number(slider.value));
  }
  slider.addEventListener("input", () => take((number.value = slider.value)));
  number.addEventListener("input", () => number.value !== "" && take(number.value));
  number.addEventListener("change", () => (number.value = slider.value)); // as what it was taken
  reset.addEventListener("click", () => take((number.value = option.value)));
  set((number.value = value));

  return element("div", "option", [
    element("div", "option-head", [named(option, slider), element("div", "option-number", [number, reset])]),
    element("div", "option-slider", [element("span", "", min), slider, element("span", "", max)]),
  ]);
}

/** Several values in one text. */
function textField(option, value, choose) {
  const text = input("text", { maxlength: 200 });
  text.value = value;
  text.addEventListener("input", () => choose(text.value));
  return element("div", "option", [named(option, text), text]);
}

/** The option's name and help; where it is a text of several values, with the range of each. */
function named(option, field) {
  const id = `option-${++numFields}`;
  const key = `option.${option.key}`;
  const range = option.range ? " " + say("option_range", option.range) : "";
  const help = phrase(`${key}.help`, option.help) + range;
  const info = element("div", "option-help", help, { id: `${id}-help`, ...languageOf(`${key}.help`) });
  field.id = id;
  field.setAttribute("aria-describedby", info.id);
  const label = element("label", "option-label", optionName(option), { for: id, ...languageOf(key) });
  return element("div", "option-name", [label, info]);
}

const input = (type, attributes) => element("input", "", null, { type, ...attributes });
