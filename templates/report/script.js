"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  const list = $("list");
  const rows = list ? [...list.querySelectorAll("details.row")] : [];
  for (const each of document.querySelectorAll("[data-script]")) each.hidden = false;

  // How old the page is: told by the reader's clock, loud past two schedules.
  const age = $("age");
  const made = Date.parse(age.dataset.made);
  const every = Number(age.dataset.every);
  const words = (hours) => {
    const days = Math.floor(hours / 24);
    if (days >= 2) return `${days} days`;
    if (hours >= 1) return Math.floor(hours) === 1 ? "an hour" : `${Math.floor(hours)} hours`;
    return "less than an hour";
  };
  const tell = () => {
    const hours = (Date.now() - made) / 3600000;
    const old = hours > 2 * every;
    const text = old
      ? `Out of date: this page is ${words(hours)} old, though one is due every ${words(every)}. Whatever makes it has stopped.`
      : `Made ${words(hours)} ago.`;
    if (hours >= -1 && age.textContent !== text) {
      age.textContent = text;
      age.classList.toggle("loud", old);
    }
  };
  tell();
  setInterval(tell, 60000);

  // Dark or light, remembered where the browser lets a file remember anything.
  const theme = $("theme");
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const paint = () => theme.setAttribute("aria-pressed", String(dark()));
  try { const kept = localStorage.getItem("syncbot-theme"); if (kept === "dark" || kept === "light") root.dataset.theme = kept; } catch { /* not here */ }
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("syncbot-theme", root.dataset.theme); } catch { /* not here */ }
    paint();
  });
  paint();

  const reveal = () => {
    let target = null;
    try { target = $(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    const row = target && target.closest("details.row");
    if (!row) return;
    row.hidden = false;
    row.open = true;
    row.scrollIntoView();
    row.querySelector("summary").focus({ preventScroll: true });
  };
  addEventListener("hashchange", reveal);

  const opened = [];
  addEventListener("beforeprint", () => {
    const closed = rows.filter((row) => !row.open && !row.hidden);
    for (const row of closed) row.open = true;
    opened.push(...closed);
  });
  addEventListener("afterprint", () => { for (const row of opened.splice(0)) row.open = false; });

  if (rows.length) {
    const search = $("search"), stage = $("stage"), decision = $("decision"), owner = $("owner"), sort = $("sort"), late = $("late");
    const facts = new Map(rows.map((row) => [row, {
      stage: row.querySelector(".stage").firstChild.data,
      decision: row.querySelector(".stage small").textContent,
      owner: row.querySelector(".meta small").textContent,
      id: row.querySelector(".body").id,
    }]));
    const fill = (select, key) => {
      for (const value of [...new Set(rows.map((row) => facts.get(row)[key]))].sort()) select.add(new Option(value, value));
    };
    fill(stage, "stage"); fill(decision, "decision"); fill(owner, "owner");
    const texts = new Map();
    const text = (row) => {
      if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
      return texts.get(row);
    };
    const number = (row, key) => Number(row.dataset[key] ?? -1);
    const orders = {
      urgency: () => 0,
      pin: (one, other) => number(other, "pin") - number(one, "pin"),
      carried: (one, other) => number(other, "carried") - number(one, "carried"),
      id: (one, other) => facts.get(one).id.localeCompare(facts.get(other).id, "en", { numeric: true }),
    };
    let order = "urgency";
    const update = () => {
      const asked = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const { stage: at, decision: says, owner: whose } = facts.get(row);
        const fits = (!stage.value || at === stage.value) && (!decision.value || says === decision.value)
          && (!owner.value || whose === owner.value) && (!late.checked || "late" in row.dataset)
          && asked.every((word) => text(row).includes(word));
        if (row.hidden === fits) row.hidden = !fits;
        shown += fits;
      }
      if (order !== sort.value) {
        order = sort.value;
        list.append(...rows.map((row, place) => [row, place]).sort((one, other) => orders[order](one[0], other[0]) || one[1] - other[1]).map(([row]) => row));
      }
      $("shown").textContent = `${shown} of ${rows.length} shown`;
    };
    let waiting = 0;
    search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(update, 120); });
    for (const each of [stage, decision, owner, sort, late]) each.addEventListener("change", update);
    $("clear").addEventListener("click", () => {
      search.value = stage.value = decision.value = owner.value = "";
      late.checked = false;
      sort.value = "urgency";
      update();
      search.focus();
    });
    const open = $("open");
    open.addEventListener("click", () => {
      const all = open.getAttribute("aria-pressed") !== "true";
      open.setAttribute("aria-pressed", String(all));
      for (const row of rows) if (!row.hidden) row.open = all;
    });
    update();
  }
  reveal();
})();
