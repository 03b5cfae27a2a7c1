"use strict";

// Everything that came from a file is written with textContent, or cleaned for Plotly's labels (see `plain`).
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const FONT = { family: getComputedStyle(document.body).fontFamily, size: 12, color: "#66727f" };
const CONFIG = {
  responsive: true, displaylogo: false, scrollZoom: true, displayModeBar: true,
};
const MAP_BUTTONS = [["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]];
const SURFACE_BUTTONS = [["toImage", "orbitRotation", "pan3d", "resetCameraDefault3d"]];
const END = 1.0005; // height above which a value is beyond the scale; numbers here are rounded
const CAP = 1.06; // height at which the red of values beyond the scale ends
const SURFACE_CELLS = 128;
const MOST_NUMBERS = 18; // rows

let shown = data.start;
let surface = data.surface;

// ---- values -------------------------------------------------------------------------------------------------------

function decoded(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const numbers = new Uint16Array(bytes.length / 2);
  for (let i = 0; i < numbers.length; i++) numbers[i] = view.getUint16(2 * i, true);
  return numbers;
}

function cellOf(view, row, column) {
  if (!view.symmetric) return row * view.cells + column;
  const [low, high] = row <= column ? [row, column] : [column, row];
  return low * view.cells - (low * (low - 1)) / 2 + (high - low);
}

function codes(view) {
  view.codes ??= decoded(view.values);
  return view.codes;
}

/** The value of a cell in us or MB/s; NaN if there is none. */
function valueAt(view, row, column) {
  const code = codes(view)[cellOf(view, row, column)];
  return code ? view.low * Math.pow(view.high / view.low, (code - 1) / 65534) : NaN;
}

/** The places of the worst pair of a cell. */
function pairAt(view, row, column) {
  if (view.together === 1) return [row, column];
  view.places ??= decoded(view.where);
  const place = view.places[cellOf(view, row, column)];
  const inside = [Math.floor(place / view.together), place % view.together];
  if (view.symmetric && row > column) inside.reverse();
  const last = data.ranks.length - 1;
  return [row, column].map((cell, end) => Math.min(cell * view.together + inside[end], last));
}

/** 0 for fast, 1 for slow, more for beyond the scale. */
function height(view, value) {
  return Math.max(Math.log(value / view.fast) / Math.log(view.slow / view.fast), 0);
}

function digits(value) {
  if (!Number.isFinite(value)) return "–";
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toPrecision(3);
}

/** For Plotly, which reads a few tags in labels. */
function plain(text, longest = 22) {
  const cut = text.length > longest ? `${text.slice(0, longest - 9)}…${text.slice(-8)}` : text;
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

// ---- colours ------------------------------------------------------------------------------------------------------

const COLOURS = [
  ...data.palette.map((colour, place) => [place / (data.palette.length - 1) / CAP, colour]),
  [1 / CAP, data.beyond], [1, data.beyond],
];

function colourOf(view, value) {
  const at = height(view, value);
  if (!(at <= END)) return data.beyond;
  const place = at * (data.palette.length - 1);
  const low = Math.min(Math.floor(place), data.palette.length - 2);
  const parts = [0, 1].map((step) => data.palette[low + step].match(/\w\w/g).map((part) => parseInt(part, 16)));
  const mixed = parts[0].map((start, part) => Math.round(start + (place - low) * (parts[1][part] - start)));
  return `rgb(${mixed.join(",")})`;
}

function colourBar(view) {
  const ends = view.cut ? [[(1 + CAP) / 2, `${view.smallest ? "<" : ">"} ${digits(view.slow)}`]] : [];
  const marks = [...view.ticks.map(([value, text]) => [height(view, value), text]), ...ends];
  const kept = marks.filter(([at], place) => place === marks.length - 1 || !view.cut || at < 0.97);
  return {
    thickness: 14, len: 1, y: 0.5, outlinewidth: 0, ticklen: 3, tickcolor: "#cbd2d9", xpad: 8, ypad: 0,
    tickvals: kept.map(([at]) => at), ticktext: kept.map(([, text]) => text), tickfont: FONT,
    title: { text: view.unit, side: "top", font: FONT },
  };
}

// ---- heat map -----------------------------------------------------------------------------------------------------

const size = data.ranks.length;
const hostAt = (place) => data.hosts[data.hostOf[place]];

function rowsOf(view, most, step = 1) {
  const rows = [];
  for (let row = 0; row < most; row++) {
    const line = new Array(most);
    for (let column = 0; column < most; column++) {
      let worst = NaN;
      for (let r = row * step; r < Math.min((row + 1) * step, view.cells); r++) {
        for (let c = column * step; c < Math.min((column + 1) * step, view.cells); c++) {
          const at = height(view, valueAt(view, r, c));
          if (!Number.isNaN(at) && !(at < worst)) worst = at;
        }
      }
      line[column] = Number.isNaN(worst) ? null : worst > END ? (1 + CAP) / 2 : worst;
    }
    rows.push(line);
  }
  return rows;
}

/** White lines between groups; levels inside nodes only around their own pairs. */
function lineTraces() {
  const nodes = data.divisions.find((division) => division.name === "node");
  return data.divisions.filter((division) => division.blocks.length <= 80).map((division) => {
    const inner = nodes && division.blocks.length > nodes.blocks.length;
    const x = [], y = [];
    division.blocks.slice(1).forEach(([start, stop], place) => {
      const ends = inner ? [division.blocks[place][0] - 0.5, stop - 0.5] : [-0.5, size - 0.5];
      x.push(ends[0], ends[1], null, start - 0.5, start - 0.5, null);
      y.push(start - 0.5, start - 0.5, null, ends[0], ends[1], null);
    });
    const width = division.blocks.length <= 4 ? 2 : division.blocks.length <= 16 ? 1.2 : 0.6;
    return { type: "scatter", mode: "lines", x, y, hoverinfo: "skip", showlegend: false, line: { color: "#fff", width } };
  });
}

/** Names of ranks where they have room, else of nodes, else of some nodes. */
function axisTicks(range, pixels, needed) {
  const [low, high] = [Math.max(0, Math.min(...range)), Math.min(size - 1, Math.max(...range))];
  const pitch = pixels / Math.max(Math.abs(range[1] - range[0]), 1e-9);
  const marks = [];
  if (pitch >= needed) {
    for (let place = Math.ceil(low); place <= high; place++) {
      marks.push([place, `${plain(data.shortHosts[data.hostOf[place]], 16)} <b>${data.ranks[place]}</b>`]);
    }
  } else {
    const nodes = data.divisions.find((division) => division.name === "node") ?? data.divisions.at(-1);
    const blocks = nodes ? nodes.blocks : data.ranks.map((rank, place) => [place, place + 1, `rank ${rank}`]);
    let last = -Infinity;
    for (const [start, stop, label] of blocks) {
      const middle = (start + stop - 1) / 2;
      if (middle < low - 0.5 || middle > high + 0.5 || (middle - last) * pitch < needed) continue;
      marks.push([middle, plain(label)]);
      last = middle;
    }
  }
  return { tickvals: marks.map(([at]) => at), ticktext: marks.map(([, text]) => text) };
}

/** Names of the groups that are larger than nodes, above their columns. */
function groupNames(pixels) {
  const nodes = data.divisions.findIndex((division) => division.name === "node");
  const larger = data.divisions.slice(0, Math.max(nodes, 0));
  return larger.slice(-1).flatMap((division) => division.blocks.map(([start, stop, label]) => ({
    x: (start + stop - 1) / 2, y: 1, yref: "paper", yanchor: "bottom", yshift: 3, showarrow: false,
    text: plain(label, Math.max(3, Math.floor(((stop - start) / size) * pixels / 7))), font: FONT,
  })));
}

function mapLayout() {
  const width = $("map").clientWidth || 800;
  const longest = Math.max(...data.shortHosts.map((name) => Math.min(name.length, 22)));
  const margin = { l: Math.min(180, 46 + 7 * longest), r: 78, t: 54, b: Math.min(150, 40 + 6 * longest) };
  const side = width - margin.l - margin.r;
  const axis = { showgrid: false, zeroline: false, ticks: "outside", ticklen: 3, tickcolor: "#cbd2d9", tickfont: { ...FONT, size: 11 } };
  const whole = [-0.5, size - 0.5];
  return {
    height: side + margin.t + margin.b, margin, font: FONT, paper_bgcolor: "#fff", plot_bgcolor: data.missing,
    xaxis: { ...axis, range: whole, tickangle: -90, ...axisTicks(whole, side, 14) },
    yaxis: { ...axis, range: [...whole].reverse(), ...axisTicks(whole, side, 14) },
    annotations: groupNames(side), showlegend: false, hovermode: "closest", dragmode: "zoom",
  };
}

function drawMap() {
  const view = data.views[shown];
  const start = (view.together - 1) / 2;
  const heat = {
    type: "heatmap", z: rowsOf(view, view.cells), x0: start, dx: view.together, y0: start, dy: view.together,
    zmin: 0, zmax: view.cut ? CAP : 1, colorscale: view.cut ? COLOURS : data.palette.map((colour, place) => [place / (data.palette.length - 1), colour]),
    hoverinfo: "none", colorbar: colourBar(view),
  };
  if (view.cells <= MOST_NUMBERS) {
    const places = [...Array(view.cells).keys()];
    heat.text = places.map((row) => places.map((column) => digits(valueAt(view, row, column)).replace("–", "")));
    heat.texttemplate = "%{text}";
  }
  const own = { // a rank and itself: not missing, but nothing
    type: "heatmap", hoverinfo: "skip", showscale: false, colorscale: [[0, "#fff"], [1, "#fff"]],
    x0: 0, dx: 1, y0: 0, dy: 1, z: view.together > 1 ? [[null]] : data.ranks.map((_, row) => data.ranks.map((_, column) => row === column ? 0 : null)),
  };
  const traces = size <= 1024 && view.together === 1 ? [own, heat, ...lineTraces()] : [heat, ...lineTraces()];
  const first = !$("map").data;
  const zoom = first ? null : [[...$("map").layout.xaxis.range], [...$("map").layout.yaxis.range]];
  const layout = mapLayout();
  if (zoom) {
    layout.xaxis.range = zoom[0];
    layout.yaxis.range = zoom[1];
  }
  Plotly.react("map", traces, layout, { ...CONFIG, modeBarButtons: MAP_BUTTONS }).then(() => zoom && relabel());
  if (!first) return;
  $("map").on("plotly_relayout", (change) => {
    if (Object.keys(change).some((key) => key.includes("range") || key === "autosize")) relabel();
  });
  $("map").on("plotly_hover", (event) => showTip(event));
  $("map").on("plotly_unhover", () => { $("tip").hidden = true; });
}

let labels = "";
function relabel() {
  const { xaxis, yaxis } = $("map")._fullLayout;
  const changes = {};
  for (const [name, axis] of [["xaxis", xaxis], ["yaxis", yaxis]]) {
    const marks = axisTicks(axis.range, axis._length, 14);
    changes[`${name}.tickvals`] = marks.tickvals;
    changes[`${name}.ticktext`] = marks.ticktext;
  }
  const now = JSON.stringify(changes);
  if (now === labels) return;
  labels = now;
  Plotly.relayout("map", changes);
}

// ---- what is told about a pair ------------------------------------------------------------------------------------

function element(kind, text, name) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

function line(cells, now) {
  const row = element("tr", undefined, now ? "now" : "");
  row.append(...cells);
  return row;
}

/** The name of the innermost level at which two places are in one group. */
function levelOf(one, other) {
  const place = data.levels.findIndex((groups) => groups[one] === groups[other]);
  return data.classes[place < 0 ? data.classes.length - 1 : place];
}

function showTip(event) {
  const point = event.points.find((candidate) => candidate.data.type === "heatmap");
  if (!point) return;
  const view = data.views[shown];
  const row = Math.floor((point.y + 0.5) / view.together), column = Math.floor((point.x + 0.5) / view.together);
  const [one, other] = pairAt(view, row, column);
  const tip = $("tip");
  if (view.together === 1 && row === column) {
    tip.hidden = true;
    return;
  }
  const head = element("strong", `rank ${data.ranks[one]} on ${hostAt(one)}  –  rank ${data.ranks[other]} on ${hostAt(other)}`);
  const many = view.together > 1 ? `; the worst of ${view.together} × ${view.together} pairs` : "";
  const table = element("table");
  for (const candidate of data.views.filter((found) => found.size === view.size)) {
    const value = valueAt(candidate, row, column);
    const cells = [element("td", candidate.name), element("td", `${digits(value)} ${candidate.unit}`, "number")];
    if (candidate.smallest) {
      cells[0].textContent += " there";
      table.append(line(cells, candidate === view));
      const back = valueAt(candidate, column, row);
      table.append(line([element("td", `${candidate.name} back`), element("td", `${digits(back)} ${candidate.unit}`, "number")]));
    } else {
      table.append(line(cells, candidate === view));
    }
  }
  tip.replaceChildren(head, element("p", `${levelOf(one, other)}, ${view.sizeName}${many}`), table);
  tip.hidden = false;
  const mouse = event.event ?? { clientX: 0, clientY: 0 };
  const room = [window.innerWidth - tip.offsetWidth - 8, window.innerHeight - tip.offsetHeight - 8];
  tip.style.left = `${Math.max(8, mouse.clientX + 18 > room[0] ? mouse.clientX - tip.offsetWidth - 18 : mouse.clientX + 18)}px`;
  tip.style.top = `${Math.max(8, Math.min(mouse.clientY + 14, room[1]))}px`;
}

// ---- surface ------------------------------------------------------------------------------------------------------

function drawSurface() {
  const view = data.views[shown];
  const step = Math.ceil(view.cells / SURFACE_CELLS);
  const cells = Math.ceil(view.cells / step);
  const z = rowsOf(view, cells, step);
  if (view.together * step === 1) z.forEach((line, place) => { line[place] = 0; });
  const places = z.map((_, place) => place * view.together * step);
  const axis = { gridcolor: "#e4e8ec", zeroline: false, showbackground: false, tickfont: FONT, title: { text: "" } };
  const marks = axisTicks([-0.5, size - 0.5], 300, 26);
  const bar = colourBar(view);
  const trace = {
    type: "surface", x: places, y: places, z, cmin: 0, cmax: view.cut ? CAP : 1, hoverinfo: "none",
    colorscale: view.cut ? COLOURS : data.palette.map((colour, place) => [place / (data.palette.length - 1), colour]),
    colorbar: { ...bar, len: 0.7 }, lighting: { ambient: 0.75, diffuse: 0.5, specular: 0.05 },
  };
  const layout = {
    height: Math.round(0.82 * ($("surface").clientWidth || 800)), margin: { l: 0, r: 60, t: 10, b: 0 }, font: FONT,
    scene: {
      xaxis: { ...axis, ...marks }, yaxis: { ...axis, ...marks, autorange: "reversed" },
      zaxis: { ...axis, tickvals: bar.tickvals, ticktext: bar.ticktext, title: { text: view.unit } },
      aspectratio: { x: 1, y: 1, z: 0.45 }, camera: { eye: { x: 1.0, y: -1.25, z: 1.15 } },
    },
    uirevision: "keep",
  };
  Plotly.react("surface", [trace], layout, { ...CONFIG, modeBarButtons: SURFACE_BUTTONS });
}

// ---- histogram, nodes, outliers ------------------------------------------------------------------------------------

function logAxis(view, low, high) {
  const marks = [];
  const steps = high / low < 5 ? [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8] : [1, 2, 3, 5];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of steps) marks.push(Number(`${step}e${power}`));
  }
  const inside = marks.filter((mark) => mark >= low * 0.999 && mark <= high * 1.001);
  const few = inside.length > 7 ? inside.filter((mark) => /^[13]/.test(String(mark).replace(/[0.]/g, ""))) : inside;
  const kept = few.length ? few : [low, high].map((value) => Number(value.toPrecision(3)));
  return { type: "log", tickvals: kept, ticktext: kept.map(String), gridcolor: "#edf0f3", zeroline: false, tickfont: FONT };
}

function drawHistogram() {
  const view = data.views[shown];
  const { edges, counts, medians } = view.histogram;
  const middle = edges.slice(1).map((edge, place) => (edge + edges[place]) / 2);
  const width = edges.slice(1).map((edge, place) => edge - edges[place]);
  const traces = counts.map((heights, place) => ({
    type: "bar", x: middle, y: heights.map((count) => count || null), width, name: plain(data.classes[place]),
    marker: { color: data.classColours[place % data.classColours.length], line: { width: 0 } }, opacity: 0.85,
    customdata: edges.slice(1).map((edge, at) => `${digits(edges[at])} – ${digits(edge)} ${view.unit}`),
    hovertemplate: "%{customdata}<br>%{y:,} pairs<extra>%{fullData.name}</extra>",
  }));
  const most = Math.max(...counts.flat(), 1);
  Plotly.react("histogram", traces, {
    height: 230, margin: { l: 52, r: 6, t: 6, b: 42 }, font: FONT, barmode: "overlay", bargap: 0, showlegend: false,
    xaxis: { ...logAxis(view, edges[0], edges.at(-1)), title: { text: view.quantity, font: FONT, standoff: 6 }, showgrid: false },
    yaxis: { type: "log", range: [Math.log10(0.7), Math.log10(2 * most)], dtick: 1, gridcolor: "#edf0f3", tickformat: "~s", title: { text: "pairs", font: FONT } },
    hoverlabel: { font: { family: FONT.family, size: 12 } },
  }, { ...CONFIG, displayModeBar: false, scrollZoom: false });
  const head = line(["level", view.smallest ? "pairs, each way" : "pairs", "median"].map((text, place) => element("th", text, place ? "number" : "")));
  const rows = data.classes.flatMap((name, place) => {
    const sum = counts[place].reduce((total, count) => total + count, 0);
    if (!sum) return [];
    const first = element("td", undefined, "name");
    const dot = element("span", undefined, "dot");
    dot.style.background = data.classColours[place % data.classColours.length];
    first.append(dot, name);
    return [line([first, element("td", sum.toLocaleString("en"), "number"), element("td", `${digits(medians[place])} ${view.unit}`, "number")])];
  });
  $("medians").replaceChildren(head, ...rows);
}

function drawNodes() {
  const view = data.views[shown];
  const { kind, labels: names, median, worst } = view.nodes;
  $("nodes-title").textContent = `Each ${kind} with the others: median and worst pair`;
  const x = names.map((_, place) => place);
  const bars = { type: "scatter", mode: "lines", hoverinfo: "skip", line: { color: "#d5dbe1", width: Math.max(1, Math.min(4, 400 / names.length)) },
    x: x.flatMap((place) => [place, place, null]), y: x.flatMap((place) => [median[place], worst[place], null]) };
  const dots = (values, symbol, name, sizeOf) => ({
    type: "scatter", mode: "markers", x, y: values, name, text: names.map((label) => plain(label, 60)),
    hovertemplate: `%{text}<br>${name} %{y:.4~g} ${view.unit}<extra></extra>`,
    marker: { symbol, size: sizeOf, color: values.map((value) => value === null ? data.missing : colourOf(view, value)), line: { width: symbol.includes("open") ? 2.5 : 0 } },
  });
  const all = [...median, ...worst].filter((value) => value !== null);
  const ends = all.length ? [Math.min(...all) * 0.9, Math.max(...all) / 0.9] : [1, 2];
  const more = Math.max(1, Math.sqrt((2.5 * ends[0]) / ends[1])); // noise shall not look like a difference
  const [low, high] = [ends[0] / more, ends[1] * more];
  const pixels = Math.max(300, $("nodes").clientWidth - 80);
  const every = Math.max(1, Math.ceil((15 * names.length) / pixels));
  const at = x.filter((place) => place % every === 0);
  const longest = Math.max(...names.map((name) => Math.min(name.length, 22)));
  const slanted = longest * 7 > (pixels / names.length) * every;
  Plotly.react("nodes", [bars, dots(worst, "line-ew-open", "worst", Math.max(4, Math.min(14, 600 / names.length))), dots(median, "circle", "median", Math.max(4, Math.min(11, 600 / names.length)))], {
    height: 210 + (slanted ? 6 * longest : 14), margin: { l: 62, r: 10, t: 6, b: 24 + (slanted ? 6 * longest : 6) }, font: FONT, showlegend: false,
    xaxis: { range: [-0.7, names.length - 0.3], tickvals: at, ticktext: at.map((place) => plain(names[place])), tickangle: slanted ? -90 : 0, showgrid: false, zeroline: false, tickfont: { ...FONT, size: 11 } },
    yaxis: { ...logAxis(view, low, high), range: [Math.log10(low), Math.log10(high)], title: { text: view.unit, font: FONT } },
    hovermode: "closest", hoverlabel: { font: { family: FONT.family, size: 12 } },
  }, { ...CONFIG, displayModeBar: false, scrollZoom: false });
}

function drawOutliers() {
  const table = element("table");
  const heads = ["what", "size", "measured", "others"];
  table.append(line(heads.map((text, place) => element("th", text, place > 0 ? "number" : ""))));
  for (const [kind, where, sizeName, value, expected, verdict] of data.outliers) {
    const what = element("td", undefined, "name");
    what.append(element("strong", where), element("div", verdict ? `${kind}, ${verdict}` : kind, "none"));
    table.append(line([what, ...[sizeName, value, expected].map((text) => element("td", text, "number"))]));
  }
  $("outlier-title").textContent = `What does not fit${data.outliers.length ? ` (${data.outliers.length})` : ""}`;
  const nothing = data.hierarchy ? "Nothing: all pairs are as their level." : "Not looked for: no levels are known.";
  $("outliers").replaceChildren(data.outliers.length ? table : element("p", nothing, "none"));
}

// ---- controls -----------------------------------------------------------------------------------------------------

function buttons(id, choices, choose) {
  $(id).replaceChildren(...choices.map(({ text, pressed, disabled }, place) => {
    const button = element("button", text);
    button.type = "button";
    button.setAttribute("aria-pressed", pressed);
    button.disabled = Boolean(disabled);
    button.onclick = () => choose(place);
    return button;
  }));
}

function controls() {
  const view = data.views[shown];
  const statistics = [...new Set(data.views.map((found) => found.statistic))];
  const sizes = [...new Set(data.views.map((found) => found.size))];
  const find = (statistic, bytes) => data.views.findIndex((found) => found.statistic === statistic && found.size === bytes);
  buttons("statistics", statistics.map((statistic) => ({
    text: data.views.find((found) => found.statistic === statistic).name, pressed: statistic === view.statistic,
  })), (place) => {
    const same = find(statistics[place], view.size); // not every statistic is there for every size
    show(same >= 0 ? same : data.views.findLastIndex((found) => found.statistic === statistics[place]));
  });
  buttons("sizes", sizes.map((bytes) => ({
    text: data.views.find((found) => found.size === bytes).sizeName, pressed: bytes === view.size,
    disabled: find(view.statistic, bytes) < 0,
  })), (place) => show(find(view.statistic, sizes[place])));
  buttons("kinds", ["Heat map", "Surface"].map((text, place) => ({ text, pressed: Boolean(place) === surface })), (place) => {
    surface = Boolean(place);
    show(shown);
  });
  $("hint").textContent = surface ? "drag to turn, scroll to zoom" : "drag or scroll to zoom, double click for all";
}

function captions() {
  const view = data.views[shown];
  const direction = view.smallest ? ", from row to column" : `, ${view.name}`;
  $("title").textContent = `${view.smallest ? "Bandwidth" : "Latency"} between all pairs: ${view.sizeName} messages${direction}`;
  const pooled = view.together > 1 ? [`each cell: the worst of ${view.together} × ${view.together} pairs`] : [];
  $("about").replaceChildren(...[data.about[0], ...pooled, ...data.about.slice(1)].map((text) => element("span", text)));
  $("warnings").hidden = !data.warnings.length;
  $("warnings").textContent = `Beware: ${data.warnings.join("; ")}`;
}

function show(place) {
  shown = place;
  captions();
  controls();
  $("map").hidden = surface;
  $("surface").hidden = !surface;
  if (surface) drawSurface();
  else drawMap();
  drawHistogram();
  drawNodes();
}

drawOutliers();
show(shown);

let waiting = 0;
window.addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => show(shown), 150);
});
