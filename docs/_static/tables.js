// SPDX-License-Identifier: Apache-2.0
// Long tables get a box that filters their rows; on narrow screens their rows become cards (site.css).
"use strict";

const LONG = 20; // rows

for (const table of document.querySelectorAll("article table.docutils")) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < LONG) continue;
  const names = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
  for (const row of rows) {
    for (const [number, cell] of [...row.cells].entries()) cell.dataset.column = names[number];
  }
  table.classList.add("long");
  table.before(filterOf(rows));
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
