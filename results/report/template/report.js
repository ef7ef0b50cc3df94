// Draws the figures of the page (specifications in #specs, Vega inlined above) and works its drop-downs.
"use strict";

const specs = JSON.parse(document.getElementById("specs").textContent);

function draw(holder) {
  if (holder.dataset.drawn) return;
  holder.dataset.drawn = "yes";
  vegaEmbed(holder, specs[holder.dataset.figure], { actions: false, renderer: "svg" }).catch((error) => {
    holder.classList.add("failed");
    holder.textContent = `This figure could not be drawn: ${error.message}`;
  });
}

// A chart takes the width of its holder, so one that is hidden is drawn when it is first shown.
function drawVisible() {
  for (const holder of document.querySelectorAll(".chart")) {
    if (holder.offsetParent !== null) draw(holder);
  }
}

for (const picker of document.querySelectorAll("select[data-choices]")) {
  const choices = document.querySelectorAll(`[data-choice-of="${picker.dataset.choices}"]`);
  const choose = () => {
    for (const choice of choices) choice.hidden = choice.id !== picker.value;
  };
  picker.addEventListener("change", () => {
    choose();
    drawVisible();
  });
  choose();
}

drawVisible();
