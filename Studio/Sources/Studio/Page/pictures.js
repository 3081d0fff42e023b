import { ask, checkSize, chooseModel, dropZone, element, loadImage, percent, say, trying } from "./studio.js";
import { pictureWithBoxes } from "./boxes.js";

const select = document.getElementById("model");
const missing = "There is no detector and no classifier among the models. weighbridge convert makes a .wbm "
  + "file that says how pictures become its input and what its outputs mean.";
let picture;
let number = 0;

trying(async () => {
  const choice = await chooseModel(select, ["detector", "classifier"], missing);
  const look = () => trying(() => lookAtPicture(choice));
  dropZone(document.getElementById("drop"), (files) => {
    picture = files[0];
    look();
  });
  select.addEventListener("change", () => picture && look());
});

async function lookAtPicture({ studio, model }) {
  const own = ++number;
  const chosen = model();
  document.getElementById("stage").replaceChildren();
  document.getElementById("found").replaceChildren();
  checkSize([picture], studio.pictureLimit);
  say(`${chosen.name} looks at ${picture.name} \u2026`);
  const response = await ask(
    `api/look?model=${encodeURIComponent(chosen.name)}`, { method: "POST", body: picture });
  const found = await response.json();
  const address = URL.createObjectURL(picture);
  try {
    const image = await loadImage(address);
    if (own === number) show(found, image, chosen);
  } finally {
    URL.revokeObjectURL(address);
  }
}

function show(found, image, model) {
  const objects = found.objects ?? [];
  document.getElementById("stage").replaceChildren(
    pictureWithBoxes(image, 420, objects, model.labels, picture.name));
  const rows = found.objects
    ? objects.map((object) => row(object.label, object.confidence))
    : found.classes.map((one) => row(one.label, one.probability));
  document.getElementById("found").replaceChildren(element(
    "table", {},
    element("thead", {}, element(
      "tr", {}, element("th", { scope: "col" }, found.objects ? "Object" : "Class"),
      element("th", { scope: "col", class: "n" }, found.objects ? "Confidence" : "Probability"))),
    element("tbody", {}, ...rows)));
  const count = objects.length === 1 ? "1 object" : `${objects.length} objects`;
  say(`${picture.name}: ${found.objects ? count : found.classes[0].label}`);
}

function row(label, share) {
  return element(
    "tr", {}, element("td", {}, label), element("td", { class: "n" }, percent(share)));
}
