// Draws a game as a film (simlab.questions.replay.page): for the page that stands alone, and for the app.
//
// const film = simlabFilm(element, head, {onFrame, onChoose, onChances});
// film.add(piece); film.go(12); film.setFigures(12, "chances", [[share, low, high], ..]);
"use strict";

function simlabFilm(root, head, calls = {}) {
  const values = [], frames = [];
  let at = 0, whole = false, rows = [], wanted = null;
  const listening = new AbortController();
  if (root.simlabFilm) root.simlabFilm.end();  // of the film that was here before: keys are for one alone

  // --- Small helpers ---

  function make(tag, name, ...inside) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...inside);
    return element;
  }
  function button(label, title, press, name = "") {
    const element = make("button", name, label);
    element.type = "button";
    element.title = title;
    element.setAttribute("aria-label", title);
    element.addEventListener("click", press);
    return element;
  }
  function svg(tag, attributes, ...inside) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...inside);
    return element;
  }
  function dot(place) {
    const mark = make("span", "dot");
    mark.style.background = head.colors[place];
    return mark;
  }
  function seatNamed(name) {
    return head.seats.findIndex((seat) => name === seat || name.startsWith(seat + "'") || name.startsWith(seat + " "));
  }
  const percent = (share) => `${Math.round(100 * share)} %`;
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const textOf = (number) => values[number];
  const valueOf = (number) => {
    const value = values[number];
    return Array.isArray(value) ? value.map(textOf) : value;
  };

  // --- Data ---

  function add(piece) {
    for (const value of piece.values) values.push(value);
    for (const frame of piece.frames) {
      frame.seen = new Map(frame.pos);
      frame.lying = new Map(frame.hexes);
      frame.tracks = frame.tracks || [];
      frame.number = frames.length;
      frames.push(frame);
    }
    whole = piece.whole;
    listMoves();
    slider.max = frames.length - 1;
    fillTurns();
    if (wanted !== null && wanted < frames.length) go(wanted);
    else show();
  }

  // Takes the frames from a number on away, for another line of the game: the next piece begins there.
  function cut(number, choices) {
    head.choices = choices;
    frames.length = Math.min(number, frames.length);
    whole = false;
    while (rows.length > frames.length) rows.pop();
    while (moves.lastChild && moves.lastChild !== rows[rows.length - 1]) moves.lastChild.remove();
    wanted = at;
    at = Math.min(at, Math.max(0, frames.length - 1));
  }

  function leader(frame) {
    const standing = head.lead.map((track) => frame.tracks[track]);
    const most = Math.max(...standing);
    return standing.filter((value) => value === most).length === 1 ? standing.indexOf(most) : -1;
  }

  // --- Controls ---

  const slider = make("input", "slider");
  slider.type = "range";
  slider.min = 0;
  slider.setAttribute("aria-label", "frame");
  slider.addEventListener("input", () => go(Number(slider.value)));
  const where = make("span", "where");
  where.setAttribute("aria-live", "polite");
  const turns = make("select", "turns");
  turns.setAttribute("aria-label", `go to a ${head.turnName}`);
  turns.addEventListener("change", () => go(Number(turns.value)));
  const rules = make("select", "rules");
  rules.setAttribute("aria-label", "rule");
  const buttons = make("span", "steps",
    button("|◀", "first frame (Home)", () => go(0), "first"),
    button("◀", "back (←)", () => go(at - 1), "back"),
    button("▶", "forward (→)", () => go(at + 1), "forward"),
    button("▶|", "last frame (End)", () => go(frames.length - 1), "last"));
  const jumps = make("span", "jumps", turns,
    make("span", "pair", rules, button("next firing", "next frame in which this rule fires", nextFiring, "next-rule")));
  if (head.lead.length > 1) {
    jumps.append(button("next change of lead", "next frame at which another seat leads", nextLeader, "next-lead"));
  }
  const bar = make("div", "bar", buttons, slider, where, jumps);

  function fillTurns() {
    const first = new Map();
    for (const frame of frames) if (!first.has(frame.turn)) first.set(frame.turn, frame.number);
    turns.replaceChildren(...[...first].map(([turn, number]) => new Option(`${head.turnName} ${turn}`, number)));
    const chosen = rules.value;
    const fired = new Set(frames.flatMap((frame) => (frame.rules || []).map(([rule]) => rule)));
    rules.replaceChildren(...[...fired].sort((a, b) => a - b).map((rule) => new Option(head.rules[rule][0], rule)));
    for (const option of rules.options) option.title = head.rules[option.value][1];
    if (chosen) rules.value = chosen;
  }
  function nextFiring() {
    const rule = Number(rules.value);
    const next = frames.find((f) => f.number > at && (f.rules || []).some(([fired]) => fired === rule));
    if (next) go(next.number); else say(`${head.rules[rule][0]} does not fire after this frame.`);
  }
  function nextLeader() {
    let now = -1;
    for (const frame of frames) {
      const leads = leader(frame);
      if (frame.number > at && leads >= 0 && now >= 0 && leads !== now) return go(frame.number);
      if (leads >= 0) now = leads;
    }
    say("The lead does not change after this frame.");
  }
  function say(text) {
    where.textContent = text;
  }
  document.addEventListener("keydown", (event) => {
    if (!root.isConnected || root.offsetParent === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest && event.target.closest("input, select, textarea, [contenteditable]")) return;
    const turn = frames[at] ? frames[at].turn : 0;
    const steps = {
      ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(frames.length - 1),
      PageUp: () => go((frames.find((f) => f.turn === turn && f.number < at) ||
        frames.find((f) => f.turn === (frames[at - 1] || frames[0]).turn) || frames[0]).number),
      PageDown: () => go((frames.find((f) => f.number > at && f.turn !== turn) || frames[frames.length - 1]).number),
    };
    if (steps[event.key]) {
      event.preventDefault();
      steps[event.key]();
    }
  }, { signal: listening.signal });

  // --- The list of moves ---

  const moves = make("ol", "moves");
  moves.setAttribute("aria-label", "moves");

  function label(frame) {
    return frame.did ? textOf(frame.did[3]) : frame.part !== undefined && frame.number ? textOf(frame.part) : "set-up";
  }
  function listMoves() {
    for (const frame of frames.slice(rows.length)) {
      const turn = frame.did ? frame.did[0] : frame.turn;
      const before = frames[frame.number - 1];
      if (!before || turn !== (before.did ? before.did[0] : before.turn)) {
        moves.append(make("li", "turn", `${head.turnName} ${turn}`));
      }
      const press = button("", label(frame), () => go(frame.number));
      if (frame.did) press.append(dot(frame.did[1]), make("b", "", head.seats[frame.did[1]]), " ");
      press.append(label(frame));
      if (frame.instead !== undefined) press.append(make("em", "other", " *"));
      const row = make("li", frame.did ? "" : "phase", press);
      rows.push(row);
      moves.append(row);
    }
  }

  // --- The board ---

  const board = make("section", "board");
  const map = head.map ? makeMap() : null;
  const things = make("div", "things");
  if (map) board.append(map.element);
  board.append(things);

  function makeMap() {
    const corner = [...Array(6).keys()].map((k) => [Math.cos(((60 * k - 30) * Math.PI) / 180),
      Math.sin(((60 * k - 30) * Math.PI) / 180)]);
    const xs = head.map.hexes.map((h) => h[0]), ys = head.map.hexes.map((h) => h[1]);
    const [left, top] = [Math.min(...xs) - 1, Math.min(...ys) - 1.1];
    const wide = Math.max(...xs) + 1 - left, high = Math.max(...ys) + 1.1 - top;
    const drawing = svg("svg", { viewBox: `${left} ${top} ${wide} ${high}`, role: "img", "aria-label": "map" });
    const cells = new Map();
    for (const [x, y, number, name, ground, words] of head.map.hexes) {
      const points = corner.map(([dx, dy]) => `${(x + 0.95 * dx).toFixed(2)},${(y + 0.95 * dy).toFixed(2)}`).join(" ");
      const title = svg("title", {}, words);
      const shape = svg("polygon", { points, class: `hex ${number < 0 ? ground : "open"}` }, title);
      const place = svg("text", { x, y: y - 0.42, class: "place" }, name);
      const text = svg("text", { x, y: y + 0.3, class: "lying" });
      drawing.append(shape, place, text);
      if (number >= 0) cells.set(number, { shape, text, title, words });
    }
    for (const [x1, y1, x2, y2] of head.map.borders) drawing.append(svg("line", { x1, y1, x2, y2, class: "border" }));
    const sides = [];  // between two hexes, each once
    const numbered = head.map.hexes.filter((h) => h[2] >= 0);
    for (const one of numbered) for (const other of numbered) {
      const [dx, dy] = [other[0] - one[0], other[1] - one[1]];
      if (one[2] >= other[2] || Math.hypot(dx, dy) > 1.8) continue;
      const [x, y] = [one[0] + dx / 2, one[1] + dy / 2], long = 0.5 / Math.hypot(dx, dy);
      const ends = { x1: x - dy * long, y1: y + dx * long, x2: x + dy * long, y2: y - dx * long };
      const side = svg("line", { ...ends, class: "border" });
      sides.push([one[2], other[2], side]);
      drawing.append(side);
    }
    const legend = head.map.legend ? [make("p", "small", head.map.legend)] : [];
    return { sides, element: make("div", "map", drawing, ...legend), cells };
  }
  function drawMap(frame, before) {
    for (const [number, cell] of map.cells) {
      const what = frame.lying.get(number);
      const [text, owner, help, , fill] = what === undefined ? ["", "", "", "", ""] : valueOf(what);
      const place = head.seats.indexOf(owner);
      cell.text.textContent = text;
      cell.text.style.fontSize = `${Math.min(0.72, 2.1 / Math.max(text.length, 1)).toFixed(2)}px`;
      cell.title.textContent = help ? `${cell.words}: ${help}` : cell.words;
      cell.shape.style.fill = place >= 0 ? head.colors[place] : fill;
      const changed = before && what !== before.lying.get(number);
      cell.shape.setAttribute("class", `hex open${owner === "enemy" ? " enemy" : ""}${changed ? " new" : ""}`);
      if (changed) cell.shape.parentNode.insertBefore(cell.shape, cell.shape.parentNode.querySelector("text, line"));
    }
  }
  function drawAreas(frame) {
    const area = (number) => (frame.lying.has(number) ? valueOf(frame.lying.get(number))[3] : "");
    for (const [one, other, side] of map.sides) {
      side.style.display = area(one) === area(other) ? "none" : "";
    }
  }
  function parted(text, old) {
    const parts = text.split(/(, | \| |; )/), were = old === undefined ? [] : old.split(/(, | \| |; )/);
    if (old === undefined || parts.length !== were.length) return [text];
    return parts.map((part, i) => (part === were[i] ? part : make("mark", "", part)));
  }
  function line(text, isNew) {
    const [first, ...rest] = text.split(" | ");
    const element = make("li", isNew ? "new" : "", first);
    if (rest.length) element.append(make("small", "", ` ${rest.join(" | ")}`));
    return element;
  }
  function marked(text, old) {
    return [...text].map((sign, i) => (sign === old[i] ? sign : make("mark", "", sign)));
  }
  // A board or a map drawn in text, a line for each row.
  function isDrawing(rows) {
    const even = rows.length > 2 && rows.every((row) => row.length === rows[0].length && row.length > 2);
    return rows.some((row) => row.includes("   ")) || (even && rows.some((row) => /[.#_]/.test(row)));
  }
  function drawThings(frame, before) {
    const made = [];
    for (const [name, number] of frame.seen) {
      const title = textOf(name);
      if (title === "pending") continue;  // stands with the decision
      const value = valueOf(number), old = before ? before.seen.get(name) : undefined;
      const changed = before !== null && old !== number;
      const heading = make("dt", changed ? "new" : "");
      const place = seatNamed(title);
      if (place >= 0) heading.append(dot(place));
      heading.append(title);
      const body = make("dd", changed ? "new" : "");
      if (!Array.isArray(value)) {
        const was = old === undefined ? undefined : valueOf(old);
        body.append(...(changed && typeof was === "string" ? parted(value, was) : [value]));
      } else if (!value.length) {
        body.append(make("span", "none", "none"));
      } else {
        const gone = changed && old !== undefined ? [].concat(valueOf(old)) : null;
        const drawing = isDrawing(value);
        const short = value.every((item) => item.length <= 26);
        const were = gone ? gone.slice() : [];
        body.append(make("ul", drawing ? "drawing" : short ? "chips" : "lines", ...value.map((item, row) => {
          if (drawing && were.length === value.length) return make("li", "", ...marked(item, were[row]));
          const place = gone ? gone.indexOf(item) : 0;
          if (gone && place >= 0) gone.splice(place, 1);
          return line(item, changed && (gone === null || place < 0));
        })));
        if (!short) body.classList.add("wide");
      }
      const length = Array.isArray(value) ? 3 * value.length + value.join("").length : value.length;
      const size = body.classList.contains("wide") ? "wide" : length > 60 ? "large" : length > 14 ? "middle" : "";
      made.push(make("div", size, heading, body));
    }
    things.replaceChildren(make("dl", "", ...made));
  }

  // --- What happened, and what is decided next ---

  const story = make("section", "story");

  function panel(title, name, ...inside) {
    return make("div", `panel ${name}`, make("h3", "", title), ...inside);
  }
  function some(items, most, word) {
    if (items.length <= most + 1) return items;  // one more takes no more room than to say so
    return [...items.slice(0, most), make("li", "more", make("details", "",
      make("summary", "", `${items.length - most} more ${word}`), make("ul", "", ...items.slice(most))))];
  }
  // What a decision is about, where its options do not say it: games call that entry of the position "pending".
  function pending(frame) {
    for (const [name, value] of (frame ? frame.seen : [])) {
      if (textOf(name) === "pending") return [make("p", "pending", valueOf(value))];
    }
    return [];
  }
  function happened(frame) {
    const told = make("div", "panel did");
    if (frame.did) {
      const [, place, kind, text] = frame.did;
      told.append(make("h3", "", dot(place), head.seats[place], make("small", "", ` ${head.decisions[kind][1]}`)),
        ...pending(frames[frame.number - 1]), make("p", "move", textOf(text)));
      if (frame.instead !== undefined) {
        told.append(make("p", "other", `Chosen by hand; the bot would have done: ${textOf(frame.instead)}.`));
      }
      if (frame.comment !== undefined) told.append(make("p", "comment", textOf(frame.comment)));
    } else {
      told.append(make("h3", "", capital(label(frame))));
    }
    for (const text of frame.asides || []) told.append(make("p", "aside", textOf(text)));
    if (frame.changes) {
      told.append(make("ul", "changes", ...some(frame.changes.map(([name, change]) =>
        make("li", "", make("b", "", textOf(name)), ` ${textOf(change)}`)), 12, "changes")));
    } else if (frame.did && !frame.asides) {
      told.append(make("p", "none", "Nothing changes on the table yet."));
    }
    if (frame.luck) {
      told.append(make("p", "luck", "Luck drawn: ", frame.luck.map(([name, n]) =>
        textOf(name) + (n > 1 ? ` ×${n}` : "")).join(", ")));
    }
    return told;
  }
  function fired(frame) {
    if (!frame.rules) return [];
    const items = frame.rules.map(([rule, n]) => {
      const [id, text, where] = head.rules[rule];
      const item = make("li", "", make("code", "", id), n > 1 ? ` ×${n} ` : " ", text);
      item.title = where;
      return item;
    });
    return [panel("Rules that fired", "fired", make("ul", "", ...some(items, 8, "rules")))];
  }
  function asks(frame) {
    if (!frame.asks) return [];
    const [place, kind, labels, actions, chosen, why] = frame.asks;
    const title = make("h3", "", dot(place), head.seats[place], " decides", make("small", "", ` ${head.decisions[kind][1]}`));
    if (!labels) return [make("div", "panel asks", title, make("p", "none", "Only that seat sees the options."))];
    const most = why ? Math.max(...why.map(([visits]) => visits), 1) : 1;
    const order = [...labels.keys()];
    const worth = frame.worth && frame.worth.length ? frame.worth : null;
    const top = worth ? Math.max(...worth.map(([value]) => Math.abs(value)), 1e-9) : 1;
    if (worth) order.sort((a, b) => worth[b][0] - worth[a][0]);
    else if (why) order.sort((a, b) => why[b][0] - why[a][0]);
    else order.sort((a, b) => (b === chosen) - (a === chosen));
    const items = order.map((i) => {
      const item = make("li", i === chosen ? "chosen" : "");
      item.dataset.action = actions[i];
      if (worth) {
        const [value, gain, low, high] = worth[i];
        const sign = (x) => `${x > 0 ? "+" : x < 0 ? "−" : ""}${Math.abs(x).toFixed(2)}`;
        const bar = make("span", "tried");
        bar.style.width = `${(100 * Math.max(value, 0)) / top}%`;
        item.append(bar, make("span", "figure", gain === null ? `${value.toFixed(2)} (taken)` : `${value.toFixed(2)}: ${sign(gain)} (${sign(low)} to ${sign(high)})`));
      } else if (why) {
        const [visits, value] = why[i];
        const bar = make("span", "tried");
        bar.style.width = `${(100 * visits) / most}%`;
        item.append(bar, make("span", "figure", visits ? `${value.toFixed(2)} in ${visits}` : "not tried"));
      }
      item.append(make("span", "option", (i === chosen ? "▸ " : "") + textOf(labels[i])));
      if (calls.onChoose && i !== chosen) {
        const press = () => calls.onChoose(at, actions[i]);
        item.append(button("choose this", "take the game back to here and choose this", press, "choose"));
      }
      return item;
    });
    const note = worth ? [make("p", "small", "Worth of each option to the seat, by playing on, and how much more that is than the one taken (95 %, all options of the decision together).")] : why ? [make("p", "small", "Bars: playouts in which the bot tried it. Numbers: their mean value to the bot.")] : [];
    return [make("div", "panel asks", title, ...pending(frame), make("ul", "options", ...some(items, 12, "options")), ...note)];
  }
  function chances(frame) {
    let known = frame;
    while (known && !known.chances) known = frames[known.number - 1];
    const inside = [];
    if (known) {
      const from = known === frame ? "" : `, as of frame ${known.number}`;
      inside.push(make("h3", "", `Chance to win${from}`));
      known.chances.forEach(([share, low, high], i) => {
        const place = head.seats.indexOf(head.sides[i]);
        const fill = make("span", "fill"), ends = make("span", "ends");
        fill.style.width = `${100 * share}%`;
        if (place >= 0) fill.style.background = head.colors[place];
        ends.style.left = percent(low);
        ends.style.width = percent(high - low);
        const text = high > low ? `${percent(share)} (${Math.round(100 * low)}–${Math.round(100 * high)})` : percent(share);
        inside.push(make("p", "chance", make("span", "", head.sides[i]), make("span", "meter", fill, ends), make("span", "n", text)));
      });
      if (head.eyes === null) inside.push(make("p", "small", "For an observer who sees everything, also the order of shuffled decks."));
    }
    if (calls.onChances && (frame.asks || frame.end) && !frame.chances) {
      inside.push(button("chance to win from here", "play this position on many times with other luck", (event) => {
        event.target.disabled = true;
        event.target.textContent = "playing on …";
        calls.onChances(at);
      }, "ask-chances"));
    }
    if (calls.onWorth && frame.asks && frame.asks[2] && frame.asks[2].length > 1 && frame.asks[4] >= 0 && !frame.worth) {
      inside.push(button("what each option is worth", "play every option of this decision on", (event) => {
        event.target.disabled = true;
        event.target.textContent = "playing on …";
        calls.onWorth(at);
      }, "ask-worth"));
    }
    return inside.length ? [make("div", "panel chances", ...inside)] : [];
  }

  // --- The course of the game ---

  const course = make("div", "course");

  function drawCourse() {
    const known = frames.filter((frame) => frame.chances);
    const seats = head.lead.length > 1 && known.length < 3;
    const lines = seats ? head.lead.map((track) => frames.map((f) => [f.number, f.tracks[track]]))
      : known.length > 2 ? head.sides.map((_, i) => known.map((f) => [f.number, f.chances[i][0]])) : [];
    if (!lines.length || frames.length < 3) return course.replaceChildren();
    const all = lines.flat().map(([, y]) => y);
    const low = seats ? Math.min(...all) : 0, high = seats ? Math.max(...all, low + 1) : 1;
    const wide = frames.length - 1;
    const y = (value) => (56 - (52 * (value - low)) / (high - low)).toFixed(1);
    const drawing = svg("svg", { viewBox: `0 0 ${wide} 60`, preserveAspectRatio: "none" });
    lines.forEach((points, i) => {
      const steps = points.map(([x, value], k) => (k ? `H${x}V${y(value)}` : `M${x} ${y(value)}`)).join("") + `H${wide}`;
      const place = seats ? i : head.seats.indexOf(head.sides[i]);
      drawing.append(svg("path", { d: steps, stroke: place >= 0 ? head.colors[place] : "currentColor", class: "lead" }));
    });
    drawing.append(svg("line", { x1: at, x2: at, y1: 0, y2: 60, class: "now" }));
    drawing.addEventListener("click", (event) => {
      const box = drawing.getBoundingClientRect();
      go(Math.round(((event.clientX - box.left) / box.width) * wide));
    });
    const names = seats ? head.lead.map((track) => head.tracks[track][0].replaceAll("_", " ")) : head.sides;
    const legend = names.map((name, i) => {
      const place = seats ? i : head.seats.indexOf(name);
      return make("span", "", ...(place >= 0 ? [dot(place)] : []), name);
    });
    course.replaceChildren(drawing, make("p", "legend", make("b", "", seats ? "Who leads: " : "Chance to win: "), ...legend));
  }

  // --- All of it ---

  function show() {
    const frame = frames[at];
    if (!frame) return;
    const before = at ? frames[at - 1] : null;
    slider.value = at;
    where.textContent = `frame ${at} of ${frames.length - 1}${whole ? "" : " …"} · ${head.turnName} ${frame.turn}` +
      (frame.part !== undefined ? `, ${textOf(frame.part)}` : "");
    buttons.querySelector(".first").disabled = buttons.querySelector(".back").disabled = at === 0;
    buttons.querySelector(".forward").disabled = buttons.querySelector(".last").disabled = at === frames.length - 1;
    for (const option of turns.options) option.selected = frames[Number(option.value)].turn === frame.turn;
    moves.querySelectorAll(".here").forEach((row) => row.classList.remove("here"));
    rows[at].classList.add("here");
    const place = rows[at].offsetTop - moves.clientHeight / 2;
    moves.scrollTop = Math.max(0, place);
    if (map) {
      drawMap(frame, before);
      drawAreas(frame);
    }
    drawThings(frame, before);
    const end = frame.end ? [panel("The end", "end", ...frame.end.map((text) => make("p", "", text)))] : [];
    story.replaceChildren(...end, happened(frame), ...asks(frame), ...chances(frame), ...fired(frame));
    drawCourse();
  }
  function go(number) {
    if (!frames.length || Number.isNaN(number)) return;
    wanted = number >= frames.length && !whole ? number : null;
    const next = Math.max(0, Math.min(number, frames.length - 1));
    const moved = next !== at;
    at = next;
    show();
    if (moved && calls.onFrame) calls.onFrame(at);
  }
  function setFigures(number, name, figures) {
    if (!frames[number]) return;
    frames[number][name] = figures;
    show();
  }

  const bots = make("p", "bots", ...head.seats.map((seat, i) => make("span", "", dot(i), make("b", "", seat), ` ${head.bots[i]}`)));
  const about = `Game ${head.game} of seed ${head.seed}; knobs: ${head.knobs}` +
    (head.eyes === null ? "" : `; as ${head.seats[head.eyes]} sees it`) + ".";
  const side = make("details", "list", make("summary", "", "Moves"), moves);
  side.open = root.clientWidth > 1000;
  side.addEventListener("toggle", show);
  root.classList.add("film");
  root.replaceChildren(make("p", "about", about), bots, bar, course, make("div", "columns", side, story, board));
  const end = () => listening.abort();
  const film = { add, go, cut, setFigures, end, get at() { return at; }, get length() { return frames.length; } };
  root.simlabFilm = film;
  return film;
}

function simlabFilmFromPage() {
  const data = JSON.parse(document.getElementById("film-data").textContent);
  const film = simlabFilm(document.getElementById("film"), data.head, {
    onFrame: (number) => history.replaceState(null, "", `#${number}`),
  });
  for (const piece of data.pieces) film.add(piece);
  film.go(Number(location.hash.slice(1)) || 0);
  window.addEventListener("hashchange", () => film.go(Number(location.hash.slice(1)) || 0));
}
