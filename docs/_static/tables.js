// SPDX-License-Identifier: Apache-2.0
// Long tables get a box that filters their rows; rows of tables with sentences are cards on narrow
// screens (site.css).
"use strict";

const LONG = 20; // rows
const SENTENCE = 60; // letters of the cells of a column, on average

for (const table of document.querySelectorAll("article table.docutils")) {
  const rows = [...table.tBodies[0].rows];
  const names = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
  for (const row of rows) {
    for (const [number, cell] of [...row.cells].entries()) cell.dataset.column = names[number];
  }
  if (names.length > 2 && names.some((_, number) => lettersOf(rows, number) > SENTENCE)) {
    table.classList.add("cards");
  }
  if (rows.length >= LONG) table.before(filterOf(rows));
}

function lettersOf(rows, number) {
  const letters = rows.map((row) => row.cells[number]?.textContent.length ?? 0);
  return letters.reduce((sum, count) => sum + count, 0) / letters.length;
}

function filterOf(rows) {
  const box = document.createElement("input");
  const count = document.createElement("output");
  box.type = "search";
  box.placeholder = `Filter ${rows.length} rows`;
  box.setAttribute("aria-label", "Show only rows with these words");
  const texts = rows.map((row) => row.textContent.toLowerCase());
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/);
    rows.forEach((row, number) => {
      row.hidden = !words.every((word) => texts[number].includes(word));
    });
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  });
  const filter = document.createElement("div");
  filter.className = "filter";
  filter.append(box, count);
  return filter;
}
