import { askJSON, chooseModel, element, loadImage, say, trying } from "./studio.js";
import { colorOf, drawBox, pictureWithBoxes } from "./boxes.js";

const byID = (id) => document.getElementById(id);
const canvas = byID("layout");
const smallest = 0.02;  // of the page; what is smaller was a slip of the hand
const shownAtOnce = 6;  // photos; the others come when they are loaded
let choice;
let boxes = [];
let number = 0;
let revision = null;

trying(async () => {
  choice = await chooseModel(
    byID("model"), ["detector"],
    "There is no detector among the models. weighbridge convert --detector makes a .wbm file of one.");
  byID("model").addEventListener("change", changeModel);
  byID("aspect").addEventListener("change", changeAspect);
  byID("add").addEventListener("click", () => add({ x: 0.3, y: 0.3, width: 0.4, height: 0.4 }));
  byID("clear").addEventListener("click", clear);
  watchPen();
  changeModel();
});

function clear() {
  boxes = [];
  update();
}

function changeModel() {
  byID("label").replaceChildren(...labelOptions());
  revision = null;
  clear();
  trying(watchFolder);
}

function labelOptions() {
  return choice.model().labels.map((label) => element("option", {}, label));
}

function changeAspect() {
  const aspect = Number(byID("aspect").value);
  canvas.width = aspect >= 1 ? 400 : Math.round(400 * aspect);
  canvas.height = aspect >= 1 ? Math.round(400 / aspect) : 400;
  update();
}

/** Draws a box while the mouse, a pen or a finger is down. */
function watchPen() {
  let start;
  const place = (event) => {
    const area = canvas.getBoundingClientRect();
    const inside = (share) => Math.min(1, Math.max(0, share));
    return {
      x: inside((event.clientX - area.left - canvas.clientLeft) / canvas.clientWidth),
      y: inside((event.clientY - area.top - canvas.clientTop) / canvas.clientHeight),
    };
  };
  const between = (a, b) => ({
    x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x),
    height: Math.abs(a.y - b.y),
  });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    start = place(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!start) return;
    draw();
    const label = byID("label").value;
    drawBox(canvas, between(start, place(event)), label, colorOf(label, choice.model().labels));
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!start) return;
    const box = between(start, place(event));
    start = undefined;
    if (box.width >= smallest && box.height >= smallest) add(box);
    else draw();
  });
  canvas.addEventListener("pointercancel", () => {
    start = undefined;
    draw();
  });
}

function add(box) {
  boxes.push({ label: byID("label").value, ...box });
  update();
}

function draw() {
  canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
  for (const box of boxes) {
    drawBox(canvas, box, box.label, colorOf(box.label, choice.model().labels));
  }
  const words = boxes.map((box) => box.label).join(", ") || "empty";
  canvas.setAttribute("aria-label", `The layout: ${words}`);
}

/** Shows the boxes as a list, and searches for them. */
function update() {
  draw();
  byID("boxes").replaceChildren(...boxes.map((box, position) => row(box, position)));
  trying(search);
}

function row(box, position) {
  const select = element("select", { "aria-label": "Label" }, ...labelOptions());
  select.value = box.label;
  select.addEventListener("change", () => {
    box.label = select.value;
    changed();
  });
  const names = { x: "left", y: "top", width: "width", height: "height" };
  const fields = Object.entries(names).map(([key, name]) => {
    const field = element("input", {
      type: "number", min: 0, max: 100, step: "any", value: Number((100 * box[key]).toFixed(1)),
    });
    field.addEventListener("change", () => {
      box[key] = Number(field.value) / 100;
      changed();
    });
    return element("label", {}, `${name} % `, field);
  });
  const remove = element("button", {
    type: "button", "aria-label": `Remove box ${position + 1}, ${box.label}`,
    onclick: () => {
      boxes.splice(position, 1);
      update();
      byID("add").focus();
    },
  }, "Remove");
  return element("li", {}, element("div", { class: "tools" }, select, ...fields, remove));
}

/** Searches again without taking the field away that is being typed in. */
function changed() {
  draw();
  trying(search);
}

async function search() {
  const own = ++number;
  if (boxes.length === 0) {
    byID("results").replaceChildren();
    say("Draw a box to search.");
    return;
  }
  const begin = performance.now();
  const model = choice.model();
  const found = await askJSON(
    `api/search?model=${encodeURIComponent(model.name)}`,
    { objects: boxes, aspect: canvas.width / canvas.height });
  const items = found.photos.map((photo) => result(photo, model));
  const first = await Promise.all(items.slice(0, shownAtOnce));
  if (own !== number) return;
  byID("results").replaceChildren(...first);
  const time = Math.round(performance.now() - begin);
  byID("results").dataset.milliseconds = time;
  const count = items.length === 1 ? "1 photo" : `${items.length} photos`;
  say(items.length > 0 ? `${count}, the best after ${time} ms` : "No photo matches.");
  showFolder(found.status);
  if (found.status.isUpdating) trying(watchFolder);
  const rest = await Promise.all(items.slice(shownAtOnce));
  if (own === number) byID("results").append(...rest);
}

async function result(photo, model) {
  let picture;
  try {
    const image = await loadImage(`api/photo?name=${encodeURIComponent(photo.name)}`);
    picture = pictureWithBoxes(image, 220, photo.objects, model.labels, photo.name);
  } catch (error) {
    picture = element("p", { class: "error" }, error.message);
  }
  const rows = photo.terms.map((term) => element(
    "tr", {}, element("td", {}, term.name),
    element("td", { class: "n" }, `${term.value.toFixed(3)} \u00d7 ${term.weight}`)));
  return element(
    "li", { "data-name": photo.name }, picture,
    element("p", {}, photo.name, element("br"), `cost ${photo.cost.toFixed(3)}`),
    element("table", { "aria-label": "Terms of the cost" }, element("tbody", {}, ...rows)));
}

let isWatching = false;

/** Follows how far looking at the folder is, and searches again when something was new. */
async function watchFolder() {
  if (isWatching) return;
  isWatching = true;
  try {
    let status;
    do {
      if (status) await new Promise((resolve) => setTimeout(resolve, 300));
      status = await askJSON(`api/photos?model=${encodeURIComponent(choice.model().name)}`);
      showFolder(status);
    } while (status.isUpdating);
    const isNew = revision !== null && revision !== status.revision;
    revision = status.revision;
    if (isNew && boxes.length > 0) trying(search);
  } finally {
    isWatching = false;
  }
}

function showFolder(status) {
  const words = [];
  if (status.failure) words.push(status.failure);
  if (status.isUpdating && status.count > status.doneCount) {
    words.push(`Looking at the photos: ${status.doneCount} of ${status.count}.`);
  }
  if (status.pictureCount !== undefined) words.push(`${status.pictureCount} photos are in the folder.`);
  if (status.problems.length > 0) {
    words.push(`${status.problems.length} cannot be read: ${status.problems.slice(0, 3).join("; ")}`);
  }
  byID("folder").textContent = words.join(" ");
}
