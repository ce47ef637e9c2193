"use strict";
/* Runs in the page under test and writes what is wrong to the attribute data-check of the body. */
(function () {
  const wrong = [];
  const report = (words) => { if (wrong.length < 40) wrong.push(words); };
  const visible = (element) => element.getClientRects().length > 0;
  const name = (element) => {
    const card = element.closest("[id]");
    const words = element.textContent.slice(0, 40);
    return element.tagName + " in #" + (card ? card.id : "?") + ": " + words;
  };

  const colour = (text) => {
    const parts = text.match(/[\d.]+/g).map(Number);
    return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => {
      const s = v / 255;
      return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const background = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const found = colour(getComputedStyle(e).backgroundColor);
      if (found.alpha === 1)
        return found.rgb;
    }
    return [255, 255, 255];
  };

  const seen = new Map();
  const check_text = (element) => {
    const style = getComputedStyle(element);
    const drawn = element.namespaceURI.endsWith("svg");
    const ink = colour(drawn ? style.fill : style.color);
    const ground = background(drawn ? element.ownerSVGElement : element);
    const key = ink.rgb + "/" + ground;
    if (!seen.has(key))
      seen.set(key, contrast(ink.rgb, ground));
    if (ink.alpha < 1 || seen.get(key) < 4.5)
      report("contrast " + seen.get(key).toFixed(2) + " of " + name(element));
  };
  const check_mark = (element) => {
    const ink = colour(getComputedStyle(element).stroke).rgb;
    const ratio = contrast(ink, background(element.ownerSVGElement));
    if (ratio < 3)
      report("contrast " + ratio.toFixed(2) + " of a line in " + element.ownerSVGElement.id);
  };

  const check_labels = (svg) => {
    const frame = svg.getBoundingClientRect();
    const labels = [...svg.querySelectorAll("text")];
    const boxes = labels.map((t) => [t.textContent, t.getBoundingClientRect()]);
    boxes.forEach(([words, box], i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
          box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        report("label outside of " + svg.id + ": " + words);
      for (const [other, b] of boxes.slice(i + 1))
        if (box.left < b.right - 1 && b.left < box.right - 1 &&
            box.top + 2 < b.bottom - 2 && b.top + 2 < box.bottom - 2)
          report("labels overlap in " + svg.id + ": " + words + " and " + other);
    });
  };

  const check_width = () => {
    const limit = document.documentElement.clientWidth + 1;
    if (document.documentElement.scrollWidth > limit)
      report("the page is " + document.documentElement.scrollWidth + " wide");
    for (const element of document.body.querySelectorAll("*")) {
      if (element.closest(".scroll, pre, nav, .skip, script") || !visible(element))
        continue;
      if (element.getBoundingClientRect().right > limit)
        report("too wide: " + name(element));
    }
  };

  const check_interaction = () => {
    const root = document.documentElement;
    const before = getComputedStyle(document.body).backgroundColor;
    document.getElementById("theme").click();
    if (getComputedStyle(document.body).backgroundColor === before)
      report("the button does not switch the theme");
    document.getElementById("theme").click();
    root.removeAttribute("data-theme");
    document.getElementById("show").click();
    const rows = () => document.querySelectorAll("#all tbody tr").length;
    const all = rows();
    const filter = document.getElementById("filter");
    filter.value = "no such row anywhere";
    filter.dispatchEvent(new Event("input"));
    if (all === 0 || rows() !== 0)
      report("the filter shows " + rows() + " of " + all + " rows");
    filter.value = "";
    filter.dispatchEvent(new Event("input"));
    const heads = [...document.querySelectorAll("#all thead button")];
    const place = heads.findIndex((b) => b.textContent === "median_s");
    heads[place].click();
    const sorted = [...document.querySelectorAll("#all tbody tr")];
    const times = sorted.map((r) => Number(r.cells[place].textContent));
    if (times.some((t, i) => i > 0 && t < times[i - 1]))
      report("the table is not sorted by median_s");
    document.getElementById("save").click();
    document.getElementById("all").replaceChildren();
  };

  for (const details of document.querySelectorAll("details"))
    details.open = true;
  if (document.documentElement.classList.contains("has-js"))
    check_interaction();
  else if ([...document.querySelectorAll(".js")].some(visible))
    report("tools that need JavaScript are visible without it");
  let charts = 0;
  for (const svg of document.querySelectorAll("svg.chart")) {
    const title = svg.querySelector("title"), desc = svg.querySelector("desc");
    if (!title || !title.textContent || !desc || !desc.textContent)
      report("no title or description: " + svg.id);
    if (!visible(svg))
      continue;
    charts++;
    const box = svg.getBoundingClientRect();
    if (box.width < 200 || box.height < 50 || svg.querySelectorAll(".mark").length === 0)
      report("not drawn: " + svg.id);
    check_labels(svg);
    svg.querySelectorAll(".mark, .line, .guide").forEach(check_mark);
  }
  for (const card of document.querySelectorAll(".cards > .card:not(.gap)"))
    if (![...card.querySelectorAll("svg.chart")].some(visible))
      report("no chart in " + card.id);
  check_width();
  for (const element of document.body.querySelectorAll("*:not(script)")) {
    const nodes = [...element.childNodes];
    const own = nodes.some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
    if (own && visible(element) && !["title", "desc"].includes(element.tagName))
      check_text(element);
  }
  const dark = luminance(background(document.body)) < 0.2;
  const found = { wrong, charts, dark, width: innerWidth };
  document.body.setAttribute("data-check", JSON.stringify(found));
})();
