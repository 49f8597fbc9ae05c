"use strict";
// Titles of sortable tables become buttons that sort by their column: numbers the largest first, texts by letter.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const titles = [...table.tHead.rows[0].cells];
  titles.forEach((title, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = title.textContent;
    title.replaceChildren(button);
    button.addEventListener("click", () => {
      const isNumber = title.classList.contains("n");
      const before = title.getAttribute("aria-sort");
      const order = before ? (before === "ascending" ? "descending" : "ascending") : isNumber ? "descending" : "ascending";
      const sign = order === "ascending" ? 1 : -1;
      const key = (row) => {
        const cell = row.cells[column];
        return isNumber ? parseFloat(cell.dataset.value ?? "NaN") : cell.textContent;
      };
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        if (!isNumber) return sign * x.localeCompare(y);
        // Rows without a number are last either way.
        if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
        return sign * (x - y);
      };
      body.append(...[...body.rows].sort(compare));
      titles.forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", order);
    });
  });
}
