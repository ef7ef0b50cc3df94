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
  // a quote before what a spreadsheet would run: names in tables may come from anybody
  csv: (rows) => rows.map((row) => row.map((cell) => `"${cell.replace(/^(?:[=@]|[+-].*[|!]|[+-]\D.*\()/, "'$&").replaceAll('"', '""')}"`).join(",")).join("\n"),
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

// One question at a time. What models wrote is only ever set as text.
function element(tag, text = "", parent = null, className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  parent?.append(made);
  return made;
}

const LOWEST_FIRST = { gain: (one) => one.gain, close: (one) => Math.abs(one.margin), right: (one) => one.right };
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const by = (id) => document.getElementById(id);

function voteSpec(question, way) {
  const values = question.settings.flatMap(({ setting, vote }) => vote.map(([N, value]) => ({ setting, N, value })));
  const settings = question.settings.map(({ setting }) => setting);
  return {
    description: `Accuracy of ${way} on the question against N`, width: "container", height: 260, autosize: { type: "fit-x", contains: "padding" }, data: { values },
    mark: { type: "line", point: true, tooltip: true, style: "curve" },
    encoding: {
      x: { field: "N", type: "quantitative", scale: { type: "log", base: 2, nice: false }, axis: { format: "d", values: [...new Set(values.map(({ N }) => N))] }, title: "answers per question, N" },
      y: { field: "value", type: "quantitative", scale: { domain: [0, 1] }, axis: { format: ".0%", tickCount: 6 }, title: `${way} is right` },
      color: { field: "setting", type: "ordinal", sort: settings, scale: { domain: settings, range: "ramp" }, legend: settings.length > 1 ? { columns: 4 } : null },
    },
  };
}

function answerTable(question, parent) {
  const table = element("table", "", element("div", "", parent, "scroll"), "wordy");
  const head = table.createTHead().insertRow();
  for (const word of ["setting", "answers", "answers given (how often)"]) element("th", word, head);
  const body = table.createTBody();
  for (const { setting, pool, unreadable, others, answers } of question.settings) {
    const row = body.insertRow();
    const given = answers.map(([text, count, right]) => `${right ? "✓ " : ""}${text}\u00a0(${count})`);
    if (others) given.push(`others\u00a0(${others})`);
    if (unreadable) given.push(`unreadable\u00a0(${unreadable})`);
    for (const cell of [setting, String(pool), given.join(" · ")]) element("td", cell, row);
  }
}

function showQuestion(question, way = "a vote") {
  const [answers, texts] = ["answers-of-question", "texts-of-question"].map(by);
  answers.replaceChildren();
  texts.replaceChildren();
  answerTable(question, answers);
  element("p", `${question.id}: ${percent(question.right)} of the answers${question.settings.length > 1 ? " at the dearest setting" : ""} are right; ${way} changes that by ${(100 * question.gain).toFixed(1).replace("-", "−")} points.`, answers, "table-note");
  if (question.texts.length) element("p", `${question.texts.length} of ${question.texts_total.toLocaleString("en")} texts:`, texts, "facts");
  for (const [setting, answer, text, length, reasoning] of question.texts) {
    const box = element("details", "", texts);
    element("summary", `setting ${setting}: ${answer}`, box);
    if (reasoning !== undefined) {
      element("p", "Thinking:", box, "facts");
      element("pre", reasoning, box);
      element("p", "Answer:", box, "facts");
    }
    element("pre", text, box);
    if (length > text.length) element("p", `The first characters of ${length.toLocaleString("en")}.`, box, "facts");
  }
  specs.question = voteSpec(question, way);
  draw(by("vote-of-question"));
  by("vote-of-question").parentElement.querySelector("figcaption").textContent = `Exact accuracy of ${way} on this question.`;
}

function questions() {
  const models = JSON.parse(by("question-data").textContent);
  const [ofModel, sortBy, pick] = ["of-model", "sort-by", "pick-question"].map(by);
  models.forEach(({ name }, index) => (element("option", name, ofModel).value = index));
  const find = () => models[ofModel.value].questions.find(({ id }) => id === pick.value);
  const show = (permalink = true) => {
    if (permalink) history.replaceState(null, "", `#question=${ofModel.value}:${encodeURIComponent(pick.value)}`);
    showQuestion(find(), models[ofModel.value].way);
  };
  const list = (permalink) => {
    const { questions, total, way } = models[ofModel.value];
    sortBy.options[0].textContent = way ? "least gain" : "vote loses"; // verdicts do not vote
    const value = LOWEST_FIRST[sortBy.value];
    pick.replaceChildren();
    for (const one of questions.toSorted((a, b) => value(a) - value(b))) {
      element("option", `${one.id}, ${percent(one.right)} right`, pick).value = one.id;
    }
    const most = questions.length < total ? `${questions.length} of ${total.toLocaleString("en")} questions: those that ${way ? "gain least" : "the vote loses"}, close calls, and those least often right` : `${total} questions`;
    by("of-total").textContent = `${most}.`;
    show(permalink);
  };
  const jump = () => {
    const [, model, id] = location.hash.match(/^#question=(\d+):(.*)$/) ?? [];
    if (!models[model]) return;
    ofModel.value = model;
    list(false);
    if (!models[model].questions.some((one) => one.id === decodeURIComponent(id))) {
      by("of-total").textContent += ` The page does not hold the answers to ${decodeURIComponent(id)}.`;
      return by("of-total").scrollIntoView();
    }
    pick.value = decodeURIComponent(id);
    show();
    by("questions").scrollIntoView();
  };
  for (const control of [ofModel, sortBy]) control.addEventListener("change", () => list());
  pick.addEventListener("change", () => show());
  addEventListener("hashchange", jump);
  list(false);
  jump();
}

// draw.js, which this needs, is read after this script.
document.addEventListener("DOMContentLoaded", () => by("question-data") && questions());
