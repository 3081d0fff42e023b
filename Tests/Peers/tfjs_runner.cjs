// Runs a layers model in TensorFlow.js, on the CPU.
//
// usage: node tfjs_runner.cjs LIBRARY FOLDER < inputs > outputs
//
// LIBRARY is tf.min.js. The inputs are JSON: a list of {shape, dtype, data}, in the order of the model; the outputs
// are as well, with the name of each.

const fs = require("fs");
const path = require("path");

const [library, folder] = process.argv.slice(2);
const log = console.log;
console.log = console.warn = () => {}; // the library greets
const tf = require(path.resolve(library));

function artifacts() {
  const model = JSON.parse(fs.readFileSync(path.join(folder, "model.json"), "utf8"));
  const specs = model.weightsManifest.flatMap((group) => group.weights);
  const bytes = Buffer.concat(
    model.weightsManifest.flatMap((group) => group.paths).map((name) => fs.readFileSync(path.join(folder, name))));
  return {
    modelTopology: model.modelTopology, format: model.format, weightSpecs: specs,
    weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  };
}

async function main() {
  await tf.setBackend("cpu");
  const model = await tf.loadLayersModel({ load: async () => artifacts() });
  const inputs = JSON.parse(fs.readFileSync(0, "utf8")).map(({ shape, dtype, data }) => tf.tensor(data, shape, dtype));
  const results = [model.predict(inputs.length === 1 ? inputs[0] : inputs)].flat();
  log(JSON.stringify(results.map((tensor, index) => (
    { name: model.outputNames[index], shape: tensor.shape, data: Array.from(tensor.dataSync(), String) }))));
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
