"""The project's figures, as Vega-Lite specifications and as image files."""
