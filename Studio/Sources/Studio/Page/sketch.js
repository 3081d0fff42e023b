import { askJSON, chooseModel, element, loadImage, percent, say, trying } from "./studio.js";

const byID = (id) => document.getElementById(id);
const canvas = byID("paper");
const context = canvas.getContext("2d");
const penWidth = 10;
const step = 8;  // points that an arrow key moves the pen
let choice;
let strokes = [];  // for each stroke x and y in turn
let stroke = null;  // the one that is being drawn
let picture = null;  // what replaced a drawing, and where it is
let pen = null;  // where the keyboard's pen is
let number = 0;

trying(async () => {
  choice = await chooseModel(
    byID("model"), ["classifier"],
    "There is no classifier among the models. weighbridge convert --labels makes a .wbm file of one.");
  byID("model").addEventListener("change", () => trying(classify));
  byID("undo").addEventListener("click", () => {
    if (strokes.length > 0) strokes.pop();
    else picture = null;
    changed();
  });
  byID("clear").addEventListener("click", () => {
    [strokes, picture] = [[], null];
    changed();
  });
  watchPen();
  canvas.addEventListener("keydown", keyDown);
  canvas.addEventListener("blur", () => {
    pen = null;
    endStroke();
  });
  changed();
});

function watchPen() {
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pen = null;
    beginStroke(...place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!stroke || pen) return;
    for (const one of event.getCoalescedEvents?.() ?? [event]) extendStroke(...place(one));
  });
  canvas.addEventListener("pointerup", (event) => {
    if (stroke) extendStroke(...place(event));
    endStroke();
  });
  canvas.addEventListener("pointercancel", () => {
    stroke = null;
    draw();
  });
}

/** A position in points of the canvas, whatever size it is shown in. */
function place(event) {
  const area = canvas.getBoundingClientRect();
  const inside = (value, size) => Math.min(size, Math.max(0, value));
  return [
    inside(((event.clientX - area.left - canvas.clientLeft) / canvas.clientWidth) * canvas.width, canvas.width),
    inside(((event.clientY - area.top - canvas.clientTop) / canvas.clientHeight) * canvas.height, canvas.height),
  ];
}

function keyDown(event) {
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const move = moves[event.key];
  if (event.key !== " " && !move) return;
  event.preventDefault();
  pen ??= [canvas.width / 2, canvas.height / 2];
  if (move) {
    pen = pen.map((value, axis) => Math.min(400, Math.max(0, value + step * move[axis])));
    if (stroke) extendStroke(...pen);
  } else if (stroke) {
    endStroke();
  } else {
    beginStroke(...pen);
  }
  draw();
}

function beginStroke(x, y) {
  stroke = [x, y];
  draw();
}

function extendStroke(x, y) {
  const [lastX, lastY] = stroke.slice(-2);
  if (Math.hypot(x - lastX, y - lastY) < 1) return;
  stroke.push(x, y);
  draw();
}

function endStroke() {
  if (!stroke) return;
  strokes.push(stroke);
  stroke = null;
  changed();
}

function changed() {
  draw();
  trying(classify);
}

function draw() {
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (picture) {
    const { x, y, width, height } = picture.place;
    context.drawImage(picture.image, x, y, width, height);
  }
  [context.lineWidth, context.lineCap, context.lineJoin] = [penWidth, "round", "round"];
  context.strokeStyle = "#000";
  for (const one of stroke ? [...strokes, stroke] : strokes) drawStroke(one);
  if (pen) drawPen();
  const words = [picture?.name, strokes.length > 0 ? `${strokes.length} strokes` : undefined];
  canvas.setAttribute("aria-label", `The drawing: ${words.filter(Boolean).join(" and ") || "empty"}`);
}

function drawStroke(numbers) {
  context.beginPath();
  context.moveTo(numbers[0], numbers[1]);
  for (let index = 0; index < numbers.length; index += 2) {
    context.lineTo(numbers[index], numbers[index + 1]);
  }
  context.stroke();
}

function drawPen() {
  context.lineWidth = 2;
  context.strokeStyle = stroke ? "#b3141d" : "#0757ba";
  context.beginPath();
  context.arc(pen[0], pen[1], penWidth / 2 + 2, 0, 2 * Math.PI);
  context.stroke();
}

async function classify() {
  const own = ++number;
  if (strokes.length === 0) {
    byID("results").replaceChildren();
    say(picture ? `${picture.name} replaces the drawing.` : "Draw something.");
    return;
  }
  const model = choice.model();
  const found = await askJSON(`api/sketch?model=${encodeURIComponent(model.name)}`, { strokes });
  if (own !== number) return;
  byID("results").replaceChildren(...found.labels.map((label) => result(label, found.box)));
  say([`${found.labels[0].label}, ${percent(found.labels[0].probability)}`, found.status?.failure]
    .filter(Boolean).join(". "));
  const isWaiting = found.status?.isUpdating && found.status.pictureCount === undefined;
  if (isWaiting) setTimeout(() => own === number && trying(classify), 300);
}

function result(label, box) {
  const pictures = label.pictures.map((one) => {
    const address = `api/sketch-picture?name=${encodeURIComponent(one.name)}`;
    return element("button", {
      type: "button", title: `${one.name}, distance ${one.distance.toFixed(4)}`,
      onclick: () => trying(() => replace(one.name, address, box)),
    }, element("img", { src: address, alt: `Replace the drawing by ${one.name}` }));
  });
  const none = element("p", { class: "soft" }, `There are no pictures in a folder ${label.label}.`);
  return element(
    "li", { "data-label": label.label },
    element("h2", {}, `${label.label} ${percent(label.probability)}`),
    pictures.length > 0 ? element("div", { class: "pair" }, ...pictures) : none);
}

/** Puts a picture where the drawing was, as large as it can be inside the strokes' box. */
async function replace(name, address, box) {
  const image = await loadImage(address);
  const scale = Math.min(box.width / image.naturalWidth, box.height / image.naturalHeight);
  const [width, height] = [scale * image.naturalWidth, scale * image.naturalHeight];
  picture = {
    name, image,
    place: { x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height },
  };
  canvas.dataset.place = JSON.stringify(picture.place);
  strokes = [];
  changed();
}
