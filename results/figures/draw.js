// Draws the figures of a page: specifications in #specs, the look of both palettes in #looks, Vega above.
"use strict";

const data = (id) => JSON.parse(document.getElementById(id).textContent);
const specs = data("specs");
const looks = data("looks");
const dark = matchMedia("screen and (prefers-color-scheme: dark)");
const linear = document.getElementById("linear"); // a check box, where the page has one

function draw(holder) {
  const spec = structuredClone(specs[holder.dataset.figure]);
  if (linear?.checked) straighten(spec);
  const config = looks[dark.matches ? "dark" : "light"];
  const options = { actions: false, renderer: "svg", ast: true, config, defaultStyle: false, tooltip: { disableDefaultStyle: true } };
  vegaEmbed(holder, spec, options).catch((error) => {
    holder.classList.add("failed");
    holder.textContent = `This figure could not be drawn: ${error.message}`;
  });
}

// Logarithmic axes become linear ones.
function straighten(spec) {
  for (const { encoding } of spec.layer ?? []) {
    if (encoding?.x?.scale?.type !== "log") continue;
    Object.assign(encoding.x.scale, { type: "linear", base: undefined });
    delete encoding.x.axis?.values;
  }
}

// A chart takes the width of its holder, so one that is hidden is drawn when it is first shown.
function drawVisible(again = false) {
  for (const holder of document.querySelectorAll(".chart")) {
    if (holder.offsetParent === null || !specs[holder.dataset.figure]) {
      if (again) delete holder.dataset.drawn;
    } else if (again || !holder.dataset.drawn) {
      holder.dataset.drawn = "yes";
      draw(holder);
    }
  }
}

dark.addEventListener("change", () => drawVisible(true));
linear?.addEventListener("change", () => drawVisible(true));
drawVisible();
