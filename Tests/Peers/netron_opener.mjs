// Opens models with Netron's own readers, without its window.
//
// usage: node netron_opener.mjs FOLDER-OF-NETRON
//
// Takes a path per line from the standard input and answers each with a line of JSON: the format that
// Netron names, how many nodes and tensors it found, and which of the tensors it could not read; or the
// error.

import fs from 'node:fs/promises';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const folder = path.resolve(process.argv[2]);
const part = (name) => import(pathToFileURL(path.join(folder, name)).href);
const [view, base] = await Promise.all([part('view.js'), part('base.js')]);

// What the readers ask of the program around them.
const host = {
    environment: () => null,
    require: (id) => part(`${id}.js`),
    asset: (name) => fs.readFile(path.join(folder, name), 'utf-8'),
    exception: () => {},
    event: () => {},
};

const source = async (file) => ({
    identifier: path.basename(file),
    entries: new Map(),
    stream: new base.BinaryStream(await fs.readFile(file)),
    require: host.require,
    asset: host.asset,
    error: () => {},
    fetch: async (name) =>
        new base.BinaryStream(await fs.readFile(path.join(path.dirname(file), name))),
});

const factory = new view.ModelFactoryService(host);

const isReadable = (initializer) => {
    try {
        const tensor = new base.Tensor(initializer);
        return !tensor.empty && tensor.toString().length > 0;
    } catch {
        return false;
    }
};

const look = async (file) => {
    const model = await factory.open(await source(file));
    const found = { format: model.format, nodes: 0, tensors: 0, unread: [] };
    const seen = new Set();
    for (const graph of model.modules) {
        for (const node of graph.nodes) {
            found.nodes += 1;
            for (const argument of node.inputs) {
                const values = Array.isArray(argument.value) ? argument.value : [];
                for (const initializer of values.map((value) => value?.initializer)) {
                    if (!initializer || seen.has(initializer)) continue;
                    seen.add(initializer);
                    found.tensors += 1;
                    if (!isReadable(initializer)) {
                        found.unread.push(`${node.type.name} ${argument.name}`);
                    }
                }
            }
        }
    }
    return found;
};

for await (const file of readline.createInterface({ input: process.stdin })) {
    let answer;
    try {
        answer = await look(file);
    } catch (error) {
        answer = { error: `${error.name}: ${error.message}` };
    }
    console.log(JSON.stringify(answer));
}
