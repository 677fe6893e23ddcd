/** The words of taking away: of its menu, and in the pictures themselves. */

import { learn } from "../../shared/words.js";

learn({
  take_away: "Take away: a picture or a film (S)",
  take_title: "Take away",
  take_picture: "Picture of this step",
  take_picture_hint: "With signs, caption and what to cite. SVG for print and slides, PNG for everything else.",
  take_svg: "Save as SVG",
  take_png: "Save as PNG",
  take_saved: "Saved {file}.",
  take_failed: "The picture could not be made: {why}. Try the other kind, or another step.",
  take_film: "Film of some rounds",
  take_from: "From round",
  take_to: "to round",
  take_pace: "at",
  take_make: "Make the film (WebM)",
  take_lasts: "{seconds} s. It is recorded as it plays, so it takes as long to make.",
  take_too_long:
    "These rounds last {seconds} s at {speed}×, and a film has at most {most} s. Choose fewer rounds or a higher speed.",
  take_no_round: "This run has no round yet, so there is nothing to film.",
  take_range: "The run has the rounds 1 to {rounds}.",
  take_cannot: "This browser cannot record a film. Chrome, Edge, Firefox and newer versions of Safari can.",
  take_filming: "Recording {all} s. Leave this page in sight.",
  take_cancel: "Cancel",
  take_cancelled: "The film was cancelled.",
  take_filmed: "Saved {file}, {seconds} s.",
  take_film_failed: "The film could not be made: {why}. Try fewer rounds.",
  take_alt: "The picture as it will be saved",

  take_tuft: "tokens folded for want of room",
  take_run: "{title} ({settings}).",
  take_pair: "Target model: {target}; draft model: {draft}.",
  take_alone: "Target model: {target}; no draft model.",
  take_model: "{name}, {parameters} parameters",
  take_prompt: "Prompt: {prompt}.",
  take_step: "Step {step} of {steps}. Tokens kept: {tokens}, target calls: {calls}.",
  take_cite: "Cite: {paper}; {playground}.",
  take_cite_playground: "Cite: {playground}.",
  take_playground: "Speculative Decoding Playground {version}",
});
