import { ask, checkSize, chooseModel, dropZone, element, say, trying } from "./studio.js";

const select = document.getElementById("model");
const place = document.getElementById("pictures");
let picture;
let number = 0;
let addresses = [];

trying(async () => {
  const choice = await chooseModel(
    select, ["style"], "There is no model among them that makes a picture of a picture.");
  const stylize = () => trying(() => stylizePicture(choice));
  dropZone(document.getElementById("drop"), (files) => {
    picture = files[0];
    stylize();
  });
  select.addEventListener("change", () => picture && stylize());
});

async function stylizePicture({ studio, model }) {
  const own = ++number;
  const chosen = model();
  place.replaceChildren();
  addresses.forEach((address) => URL.revokeObjectURL(address));
  addresses = [];
  checkSize([picture], studio.pictureLimit);
  say(`${chosen.name} works on ${picture.name} \u2026`);
  const response = await ask(
    `api/style?model=${encodeURIComponent(chosen.name)}`, { method: "POST", body: picture });
  const made = await response.blob();
  if (own === number) show(made, chosen);
}

function show(made, model) {
  addresses = [picture, made].map((file) => URL.createObjectURL(file));
  const name = `${stem(picture.name)}-${stem(model.name)}.png`;
  place.replaceChildren(
    figure(addresses[0], picture.name, picture.name),
    figure(addresses[1], `${picture.name} by ${model.name}`, element(
      "a", { href: addresses[1], download: name }, `Save ${name}`)));
  say(`${picture.name} by ${model.name}:`);
}

function stem(name) {
  return name.replace(/\.[^.]*$/, "");
}

function figure(address, words, caption) {
  return element(
    "figure", {}, element("img", { src: address, alt: words }), element("figcaption", {}, caption));
}
