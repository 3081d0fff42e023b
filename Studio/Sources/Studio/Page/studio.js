// What all pages share: asking the studio, dropping files, making elements.

/** Makes an element with attributes and children; what is text stays text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Asks the studio; an error has the words that it answers. */
export async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The studio does not answer. Is weighbridge-studio still running?");
  }
  if (response.ok) return response;
  let words = `The studio answers ${response.status}.`;
  try {
    words = (await response.json()).error;
  } catch { /* It answered something else. */ }
  throw new Error(words);
}

/** Asks for JSON; `body` is sent as JSON when there is one. */
export async function askJSON(path, body) {
  const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await ask(path, options)).json();
}

/** Says something where screen readers hear it. */
export function say(words, isError = false) {
  const status = document.getElementById("status");
  status.textContent = words;
  status.classList.toggle("error", isError);
}

/** Runs work and says what goes wrong. */
export async function trying(work) {
  try {
    return await work();
  } catch (error) {
    say(error.message, true);
  }
}

/** Fills a selection with the models of some kinds; says what is missing when there is none. */
export async function chooseModel(select, kinds, missing) {
  const studio = await askJSON("api/studio");
  const models = studio.models.filter((model) => kinds.includes(model.kind));
  select.replaceChildren(...models.map((model) => element("option", {}, model.name)));
  if (models.length === 0) {
    select.disabled = true;
    throw new Error(missing);
  }
  return { studio, model: () => models[select.selectedIndex] };
}

/** Hands files over that are dropped on an area or chosen in its field. */
export function dropZone(area, onFiles) {
  const field = area.querySelector("input[type=file]");
  for (const name of ["dragenter", "dragover"]) {
    area.addEventListener(name, (event) => {
      event.preventDefault();
      area.classList.add("over");
    });
  }
  area.addEventListener("dragleave", () => area.classList.remove("over"));
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    area.classList.remove("over");
    if (event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files]);
  });
  field.addEventListener("change", () => {
    const files = [...field.files];
    field.value = "";  // so that the same file can be chosen again
    if (files.length > 0) onFiles(files);
  });
  // A file that misses the area does not replace the page.
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => event.preventDefault());
  }
}

/** Refuses files that the studio would refuse, before they are sent. */
export function checkSize(files, limit) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > limit) {
    throw new Error(`This is ${Math.ceil(size / 2 ** 20)} MiB; the limit is ${limit / 2 ** 20} MiB.`);
  }
}

/** A number as people read it. */
export function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

/** A picture that is loaded. */
export function loadImage(address) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error("The picture is not there any more, or cannot be shown."));
    image.src = address;
  });
}
