/** Words of the panels that the page draws beside Gradio's. */

import { learn } from "../shared/words.js";

learn({
  method_label: "Method",
  methods_label: "Methods",
  option_slider: "range slider for {name}",
  option_number: "number input for {name}",
  option_reset: "Reset to default value",
  option_range: "{low} to {high}.",
});
