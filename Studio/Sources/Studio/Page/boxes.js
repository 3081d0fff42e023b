// Boxes with labels on pictures.

const colors = ["#c2185b", "#0b6bcb", "#2e7d32", "#b45f06", "#6a3fb5", "#00767a", "#8d6e00", "#a52a2a"];

/** A color for each label. */
export function colorOf(label, labels) {
  return colors[Math.max(0, labels.indexOf(label)) % colors.length];
}

/** Draws a box of the unit square on a canvas, with its label where it can be read. */
export function drawBox(canvas, box, words, color) {
  const context = canvas.getContext("2d");
  const [x, y] = [box.x * canvas.width, box.y * canvas.height];
  const [width, height] = [box.width * canvas.width, box.height * canvas.height];
  context.lineWidth = 2;
  context.strokeStyle = color;
  context.strokeRect(x, y, width, height);
  context.font = "13px system-ui, sans-serif";
  const textWidth = context.measureText(words).width + 6;
  const left = Math.max(0, Math.min(x, canvas.width - textWidth));
  const top = y >= 17 ? y - 17 : Math.min(y, canvas.height - 17);
  context.fillStyle = color;
  context.fillRect(left, top, textWidth, 17);
  context.fillStyle = "#fff";
  context.fillText(words, left + 3, top + 13);
}

/** A canvas with a picture, so wide, and what was found in it. */
export function pictureWithBoxes(image, width, objects, labels, name) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = Math.max(1, Math.round((width * image.naturalHeight) / image.naturalWidth));
  canvas.setAttribute("role", "img");
  const words = objects.map((object) => object.label).join(", ") || "nothing";
  canvas.setAttribute("aria-label", `${name}, in which is found: ${words}`);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  for (const object of objects) {
    drawBox(canvas, object.box, object.label, colorOf(object.label, labels));
  }
  return canvas;
}
