// Without this script everything on the page can be read. With it the page is filtered, tables are sorted, and figures
// whose points are on the page can be explored. What is chosen is in the address, so that a view can be sent.

const filter = document.getElementById("filter");
const state = { at: "", values: {} };

function readAddress() {
  const [at, ...pairs] = location.hash.slice(1).split("&");
  state.at = at.includes("=") ? "" : decodeURIComponent(at);
  state.values = Object.fromEntries(new URLSearchParams((at.includes("=") ? [at, ...pairs] : pairs).join("&")));
}

function writeAddress() {
  const chosen = Object.entries(state.values).filter(([, value]) => value);
  const query = new URLSearchParams(chosen).toString();
  const hash = [encodeURIComponent(state.at), query].filter(Boolean).join("&");
  history.replaceState(null, "", "#" + hash);
}

function applyFilter() {
  const { q = "", paper = "", verdict = "", algorithm = "", operator = "" } = state.values;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  let statements = 0, experiments = 0;
  for (const article of document.querySelectorAll(".experiment")) {
    const has = (name, value) => !value || article.dataset[name].split(" ").includes(value);
    const fits = (!paper || article.dataset.paper === paper) && has("algorithms", algorithm) && has("operators", operator);
    const title = article.querySelector("h3").textContent.toLowerCase();
    let found = 0;
    for (const row of article.querySelectorAll(".claim")) {
      const text = title + " " + row.textContent.toLowerCase();
      row.hidden = !((!verdict || row.dataset.verdict === verdict) && words.every((word) => text.includes(word)));
      found += !row.hidden;
    }
    const ownTitle = !verdict && words.every((word) => title.includes(word));
    article.hidden = !(fits && (found || ownTitle));
    if (!article.hidden) { statements += found; experiments += 1; }
    const card = document.querySelector(`.card[data-for="${CSS.escape(article.id)}"]`);
    if (card) card.hidden = article.hidden;
  }
  for (const section of document.querySelectorAll("section.paper"))
    section.hidden = !section.querySelector(".experiment:not([hidden])");
  const active = q || paper || verdict || algorithm || operator;
  filter.querySelector("output").textContent = active ? `statements: ${statements}, experiments: ${experiments}` : "";
}

function fromAddress() {
  readAddress();
  for (const field of filter.elements) if (field.name) field.value = state.values[field.name] || "";
  applyFilter();
  const target = state.at && document.getElementById(state.at);
  if (!target) return;
  if (target.matches("details")) target.open = true;
  target.scrollIntoView();
}

filter.addEventListener("input", () => {
  for (const field of filter.elements) if (field.name) state.values[field.name] = field.value;
  applyFilter();
  writeAddress();
});
filter.addEventListener("reset", () => setTimeout(() => filter.dispatchEvent(new Event("input"))));
filter.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", fromAddress);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  state.at = decodeURIComponent(link.getAttribute("href").slice(1));
  const target = document.getElementById(state.at);
  if (target?.closest("[hidden]")) for (const field of filter.elements) delete state.values[field.name];
  writeAddress();
  fromAddress();
  if (!target) return;
  if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
  target.focus({ preventScroll: true });  // the keyboard and a reader of the screen go on from there
});

// ---------------------------------------------------------------------------------------------------------- tables

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const text = heading.textContent;
    heading.textContent = "";
    addButton(heading, text, () => sortBy(table, heading, column));
  });
}

function sortBy(table, heading, column) {
  const up = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = (row) => row.cells[column].textContent.trim();
  const order = (a, b) => key(a).localeCompare(key(b), "en", { numeric: true }) * (up ? 1 : -1);
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
}

// --------------------------------------------------------------------------------------------------------- figures

const SVG = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI;
const WIDTH = 330, HEIGHT = 240, LEFT = 56, RIGHT = 8, TOP = 20, BOTTOM = 40, TURNED = 64;

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const shown = (value) =>
  Math.abs(value) >= 1e5 || (value && Math.abs(value) < 1e-3) ? value.toExponential(2) : value.toLocaleString("en", { maximumSignificantDigits: 4 });

const exact = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : shown(value));

const raised = (power) => String(power).replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);

function scaleOf(values, kind, from, to, categories = []) {
  if (kind === "category") {
    const names = categories.filter((name) => values.includes(name));
    const step = (to - from) / names.length;
    return { place: (x) => from + (names.indexOf(x) + 0.5) * step, ticks: names.map((name) => [name, name]) };
  }
  const base = { log2: 2, log10: 10 }[kind];
  if (!base) {
    let low = Math.min(0, ...values), high = Math.max(...values);
    if (high === low) high = low + 1;
    const power = 10 ** Math.floor(Math.log10((high - low) / 4));
    const step = power * [1, 2, 5, 10].find((factor) => (high - low) / (factor * power) <= 6);
    const ticks = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push([tick, shown(tick)]);
    return { place: (x) => from + ((x - low) / (high - low)) * (to - from), ticks };
  }
  const positive = values.filter((value) => value > 0).map((value) => Math.log(value) / Math.log(base));
  const zero = values.some((value) => value <= 0);  // 0 has a place of its own, below all others
  let low = Math.min(...positive), high = Math.max(...positive);
  if (high === low) { low -= 0.5; high += 0.5; }
  const begin = zero ? from + 0.08 * (to - from) : from;
  const place = (x) => (x > 0 ? begin + ((Math.log(x) / Math.log(base) - low) / (high - low)) * (to - begin) : from);
  const every = Math.max(1, Math.ceil((high - low) / 6));
  const ticks = zero ? [[0, "0"]] : [];
  for (let power = Math.floor(low); power <= high + 1e-9; power += every)
    for (const factor of base === 10 && high - low < 3 ? [1, 2, 5] : [1]) {  // few decades have two or three each
      const tick = factor * base ** power, exponent = Math.log(tick) / Math.log(base);
      if (exponent < low - 1e-9 || exponent > high + 1e-9) continue;
      ticks.push([tick, factor === 1 && Math.abs(power) > 3 ? base + raised(power) : shown(tick)]);
    }
  return { place, ticks };
}

function drawPanel(data, panel, look, say) {
  const series = data.series.filter((line) => line.panel === panel && !look.hidden.has(line.name));
  const xs = data.series.filter((line) => line.panel === panel).flatMap((line) => line.x);
  const ys = series.flatMap((line) => [...line.low, ...line.high]);
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": data.panels[panel] || data.y });
  svg.append(element("text", { x: WIDTH / 2, y: 12, "text-anchor": "middle", "font-weight": 600 }, data.panels[panel]));
  if (!ys.length) return svg;
  const x = scaleOf(xs, look.x, LEFT, WIDTH - RIGHT, data.categories);
  const crowded = x.ticks.reduce((sum, [, text]) => sum + text.length + 1, 0) > 50;  // characters side by side
  const floor = HEIGHT - (crowded ? TURNED : BOTTOM), y = scaleOf(ys, look.y, floor, TOP);
  for (const [tick, text] of y.ticks) {
    const at = y.place(tick);
    svg.append(element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at, class: "grid" }));
    svg.append(element("text", { x: LEFT - 4, y: at + 4, "text-anchor": "end" }, text));
  }
  for (const [tick, text] of x.ticks) {
    const at = x.place(tick), below = floor + (crowded ? 10 : 14);
    const turned = crowded ? { transform: `rotate(-25 ${at} ${below})`, "text-anchor": "end", "font-size": 8 } : { "text-anchor": "middle" };
    svg.append(element("text", { x: at, y: below, ...turned }, text));
  }
  svg.append(element("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, data.x));
  svg.append(element("text", { transform: `translate(10 ${HEIGHT / 2 - 10}) rotate(-90)`, "text-anchor": "middle" }, data.y));
  svg.append(element("rect", { x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: floor - TOP, class: "frame" }));
  for (const line of series) {
    const at = (i, values) => `${x.place(line.x[i]).toFixed(1)} ${y.place(values[i]).toFixed(1)}`;
    const order = line.x.map((_, i) => i);
    line.pieces.forEach((begin, number) => {
      const piece = order.slice(begin, line.pieces[number + 1]);
      const path = piece.map((i) => at(i, line.middle)).join("L");
      const band = [...piece.map((i) => at(i, line.high)), ...piece.reverse().map((i) => at(i, line.low))];
      svg.append(element("path", { d: `M${band.join("L")}Z`, fill: line.color, opacity: 0.15 }));
      svg.append(element("path", { d: `M${path}`, fill: "none", stroke: line.color, "stroke-width": 1.6, "stroke-dasharray": line.dash }));
    });
    line.x.forEach((value, i) => {
      const dot = element("circle", { cx: x.place(value), cy: y.place(line.middle[i]), r: 3, fill: line.color, tabindex: 0, role: "img" });
      const interval = `${shown(line.low[i])} to ${shown(line.high[i])}`;
      const times = line.n[i] === 1 ? "1 repetition" : `${line.n[i]} repetitions`;
      const text = `${line.name}, ${typeof value === "number" ? exact(value) : value}: ${shown(line.middle[i])} (${interval}; ${times})`;
      dot.setAttribute("aria-label", text);
      dot.append(element("title", {}, text));
      for (const kind of ["mouseenter", "focus"]) dot.addEventListener(kind, () => say(text, dot));
      for (const kind of ["mouseleave", "blur"]) dot.addEventListener(kind, () => say(""));
      svg.append(dot);
    });
  }
  return svg;
}

function explore(figure, data) {
  const picture = figure.querySelector(".picture"), name = figure.id;
  const look = { x: data.x_scale, y: data.y_scale, hidden: new Set() };
  const box = document.createElement("div");
  box.className = "explorer";
  const keys = document.createElement("div"), panels = document.createElement("div"), tip = document.createElement("div");
  keys.className = "keys"; panels.className = "panels"; tip.className = "tip"; tip.hidden = true;
  const names = [...new Map(data.series.map((line) => [line.name, line.color]))];
  const say = (text, dot) => {
    tip.hidden = !text;
    tip.textContent = text;
    if (!text) return;
    const around = box.getBoundingClientRect(), at = dot.getBoundingClientRect();
    tip.style.left = `${Math.min(at.left - around.left + 10, around.width - 200)}px`;
    tip.style.top = `${at.top - around.top + 12}px`;
  };
  const draw = () => {
    panels.replaceChildren(...data.panels.map((_, panel) => drawPanel(data, panel, look, say)));
    for (const button of keys.children) button.setAttribute("aria-pressed", !look.hidden.has(button.dataset.name));
    state.values[name] = [look.x, look.y, ...look.hidden].join("~");
    writeAddress();
  };
  for (const [label, color] of names) {
    const button = addButton(keys, label, () => { look.hidden.delete(label) || look.hidden.add(label); draw(); });
    button.dataset.name = label;
    button.title = "click: hide or show; double click: this one alone";
    const mark = document.createElement("span");
    mark.style.cssText = `display:inline-block;width:1.2em;height:0.25em;vertical-align:middle;margin-right:0.3em;background:${color}`;
    button.prepend(mark);
    button.addEventListener("dblclick", () => {
      const alone = names.every(([other]) => other === label || look.hidden.has(other));
      look.hidden = new Set(alone ? [] : names.map(([other]) => other).filter((other) => other !== label));
      draw();
    });
  }
  const before = state.values[name];
  if (before) { const [x, y, ...hidden] = before.split("~"); Object.assign(look, { x, y, hidden: new Set(hidden) }); }
  box.append(keys, panels, tip);
  picture.hidden = true;
  picture.after(box);
  draw();
  return { look, draw, close() { box.remove(); picture.hidden = false; delete state.values[name]; writeAddress(); } };
}

function download(name, data) {
  const quoted = (value) => `"${String(value).replaceAll('"', '""')}"`;
  const lines = ["panel,series,x,low,middle,high,repetitions"];
  for (const line of data.series)
    line.x.forEach((x, i) => lines.push([data.panels[line.panel], line.name, x, line.low[i], line.middle[i], line.high[i], line.n[i]].map(quoted).join(",")));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
  link.download = `${name}.csv`;
  link.click();
}

for (const script of document.querySelectorAll("script.points")) {
  const figure = script.closest("figure"), switches = document.createElement("div");
  const data = JSON.parse(script.textContent);
  switches.className = "switches";
  let open = null;
  const button = (text, act) => addButton(switches, text, act);
  const toggle = () => {
    if (open) { open.close(); open = null; } else open = explore(figure, data);
    main.textContent = open ? "printed figure" : "explore";
    for (const other of scales) other.hidden = !open;
  };
  const main = button("explore", toggle);
  const turn = (axis, own) => button(`${axis}: linear or log`, () => {
    open.look[axis] = open.look[axis] === "linear" ? (own === "linear" ? "log10" : own) : "linear";
    open.draw();
  });
  const scales = data.x_scale === "category" ? [] : [turn("x", data.x_scale)];
  const negative = data.series.some((line) => line.low.some((value) => value < 0));  // which has no logarithm
  if (!negative) scales.push(turn("y", data.y_scale));
  for (const other of scales) other.hidden = true;
  button("points as CSV", () => download(figure.id.replace(/^figure-/, ""), data));
  figure.querySelector("figcaption").before(switches);
  readAddress();
  if (state.values[figure.id]) toggle();
}

// -------------------------------------------------------------------------------------------------- worked examples

for (const example of document.querySelectorAll("details.frames")) {
  const key = example.closest("figure").id + "-state";
  const show = stepper(example, (number) => { state.values[key] = String(number); writeAddress(); });
  readAddress();
  example.open = key in state.values;
  show(Number(state.values[key] || 1) - 1);
}

filter.hidden = false;
fromAddress();
