"""The page. Gradio lives here and nowhere else; handlers call, then show, and hold no algorithm."""
