// Works the page's drop-down lists and copy buttons. Figures are drawn by draw.js, which comes next.
"use strict";

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

const LATEX = {
  "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "{": "\\{", "}": "\\}", "&": "\\&",
  "%": "\\%", $: "\\$", "#": "\\#", _: "\\_", "±": "$\\pm$", "−": "$-$", "→": "$\\to$", "…": "\\ldots{}", "\u00a0": "~",
};
const latex = (cell) => [...cell].map((sign) => LATEX[sign] ?? sign).join("");

const writers = {
  csv: (rows) => rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\n"),
  latex: (rows) => {
    const [head, ...body] = rows.map((row) => `${row.map(latex).join(" & ")} \\\\`);
    const columns = `l${"r".repeat(rows[0].length - 1)}`;
    return [`\\begin{tabular}{${columns}}`, "\\hline", head, "\\hline", ...body, "\\hline", "\\end{tabular}"].join("\n");
  },
};

const copied = (button) => {
  const { rows } = button.closest("div").querySelector("table");
  return writers[button.dataset.copy]([...rows].map((row) => [...row.cells].map((cell) => cell.textContent)));
};

document.addEventListener("click", async ({ target }) => {
  if (!target.dataset?.copy) return;
  await navigator.clipboard.writeText(copied(target));
  target.dataset.done = "yes";
});
