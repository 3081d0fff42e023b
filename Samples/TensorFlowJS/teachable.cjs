// Records a model that TensorFlow.js itself made and wrote, in the form of Teachable Machine: a frozen network that
// finds features of a picture, and dense layers, each a model of its own; with the metadata.json of Teachable Machine.
//
// usage: node teachable.cjs LIBRARY
//
// LIBRARY is tf.min.js. Writes, beside this script, teachable/model.json, weights.bin and metadata.json, and
// teachable.input.npy and teachable.output.npy: what TensorFlow.js computed.

const fs = require("fs");
const path = require("path");

const log = console.log;
console.log = console.warn = () => {}; // the library greets
const tf = require(path.resolve(process.argv[2]));

function file(name) {
  return path.join(__dirname, name);
}

function writeArray(name, tensor) {
  const shape = tensor.shape.join(", ") + (tensor.shape.length === 1 ? "," : "");
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape}), }`;
  const header = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + "\n";
  const magic = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  fs.writeFileSync(file(name), Buffer.concat([magic, Buffer.from(header), Buffer.from(tensor.dataSync().buffer)]));
}

function build() {
  const layers = tf.layers;
  const features = tf.sequential({ name: "features" });
  features.add(layers.conv2d({ inputShape: [8, 8, 3], filters: 4, kernelSize: 3, strides: 2, padding: "same", useBias: false, name: "conv" }));
  features.add(layers.batchNormalization({ name: "norm" }));
  features.add(layers.reLU({ maxValue: 6, name: "relu" }));
  features.add(layers.depthwiseConv2d({ kernelSize: 3, padding: "same", name: "depthwise" }));
  features.add(layers.globalAveragePooling2d({ name: "mean" }));
  for (const layer of features.layers) layer.trainable = false;
  const head = tf.sequential({ name: "head" });
  head.add(layers.dense({ inputShape: [4], units: 6, activation: "relu", name: "dense" }));
  head.add(layers.dense({ units: 3, activation: "softmax", useBias: false, name: "scores" }));
  const model = tf.sequential({ name: "teachable" });
  model.add(features);
  model.add(head);
  let seed = 1;
  model.setWeights(model.getWeights().map((weight) => tf.randomUniform(weight.shape, 0.1, 1, "float32", seed++)));
  return model;
}

async function main() {
  await tf.setBackend("cpu");
  const model = build();
  fs.mkdirSync(file("teachable"), { recursive: true });
  await model.save(tf.io.withSaveHandler(async (artifacts) => {
    const manifest = [{ paths: ["weights.bin"], weights: artifacts.weightSpecs }];
    fs.writeFileSync(file("teachable/model.json"), JSON.stringify({ modelTopology: artifacts.modelTopology, weightsManifest: manifest }));
    fs.writeFileSync(file("teachable/weights.bin"), Buffer.from(artifacts.weightData));
    return {};
  }));
  fs.writeFileSync(file("teachable/metadata.json"), JSON.stringify({
    tfjsVersion: "2.3.0", tmVersion: "2.4.5", packageVersion: "0.8.4", packageName: "@teachablemachine/image",
    timeStamp: "2026-11-28T10:00:00.000Z", userMetadata: {}, modelName: "tm-my-image-model", labels: ["cat", "dog", "bird"], imageSize: 8,
  }));
  const input = tf.randomUniform([2, 8, 8, 3], -1, 1, "float32", 99);
  writeArray("teachable.input.npy", input);
  writeArray("teachable.output.npy", model.predict(input));
  log("teachable", tf.version_core);
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
