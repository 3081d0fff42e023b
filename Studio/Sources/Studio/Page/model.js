import { ask, askJSON, checkSize, dropZone, element, say, trying } from "./studio.js";

const links = document.getElementById("links");
const place = document.getElementById("report");
let number = 0;

const studio = askJSON("api/studio");
trying(() => studio);
// Files can be dropped before the studio has answered.
dropZone(document.getElementById("drop"), (files) => trying(async () => open(files, await studio)));

async function open(files, studio) {
  const own = ++number;
  place.replaceChildren();
  links.hidden = true;
  checkSize(files, studio.modelLimit);
  const names = files.map((file) => file.name).join(", ");
  say(`Reading ${names} \u2026`);
  const query = files.map((file) => `name=${encodeURIComponent(file.name)}&size=${file.size}`);
  query.push(`verify=${document.getElementById("verify").checked ? 1 : 0}`);
  const response = await ask(
    `api/report?${query.join("&")}`, { method: "POST", body: new Blob(files) });
  const { id } = await response.json();
  // Something else may have been dropped meanwhile.
  if (own === number) show(`api/reports/${id}`, names);
}

function show(address, names) {
  place.replaceChildren(element(
    "iframe", { src: address, title: `Report of ${names}`, sandbox: "allow-scripts" }));
  document.getElementById("open").href = address;
  document.getElementById("save").href = address;
  links.hidden = false;
  say(`The report of ${names}:`);
}
