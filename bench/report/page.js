"use strict";
(function () {
  const root = document.documentElement;
  root.classList.add("has-js");

  const toggle = document.getElementById("theme");
  const dark = () => {
    const set = root.getAttribute("data-theme");
    return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const name = () => { toggle.textContent = dark() ? "Light theme" : "Dark theme"; };
  toggle.addEventListener("click", () => {
    root.setAttribute("data-theme", dark() ? "light" : "dark");
    name();
  });
  name();

  const csv = () => {
    const link = document.getElementById("csv").getAttribute("href");
    return decodeURIComponent(link.slice(link.indexOf(",") + 1));
  };
  const cells = (line) => {
    const found = [];
    for (const part of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g))
      found.push(part[1] !== undefined ? part[1].replaceAll('""', '"') : part[2]);
    return found;
  };
  const rows = () => csv().split("\n").filter((line) => line !== "").map(cells);

  document.getElementById("save").addEventListener("click", () => {
    const [heads, ...body] = rows();
    const objects = body.map((row) => Object.fromEntries(heads.map((h, i) => [h, row[i]])));
    const link = document.createElement("a");
    const text = JSON.stringify(objects, null, 1);
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "ordo-results.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });

  const box = document.getElementById("all");
  let data = null, order = null, falling = false;
  const draw = () => {
    if (data === null)
      data = rows();
    const [heads, ...body] = data;
    const typed = document.getElementById("filter").value.toLowerCase();
    const wanted = typed.split(/\s+/).filter(Boolean);
    let kept = body.filter((row) => {
      const text = row.join(" ").toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    if (order !== null) {
      const number = kept.every((row) => row[order] === "" || !isNaN(row[order]));
      kept = kept.slice().sort((a, b) => (falling ? -1 : 1) *
        (number ? Number(a[order]) - Number(b[order]) : a[order].localeCompare(b[order])));
    }
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    heads.forEach((words, i) => {
      const cell = document.createElement("th"), button = document.createElement("button");
      cell.scope = "col";
      button.textContent = words;
      button.addEventListener("click", () => {
        falling = order === i && !falling;
        order = i;
        draw();
      });
      cell.append(button);
      head.append(cell);
    });
    const rest = table.createTBody();
    for (const row of kept.slice(0, 300)) {
      const line = rest.insertRow();
      for (const words of row)
        line.insertCell().textContent = words;
    }
    document.getElementById("found").textContent =
      kept.length + " rows" + (kept.length > 300 ? ", the first 300 are shown" : "");
    box.replaceChildren(table);
  };
  document.getElementById("show").addEventListener("click", draw);
  document.getElementById("filter").addEventListener("input", draw);
})();
