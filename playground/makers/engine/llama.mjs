// Times of llama.cpp by node-llama-cpp: for each line [threads, tokens, sizes] of JSON on stdin one line of answers.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
const [folder, file] = process.argv.slice(2);
const { getLlama } = await import(pathToFileURL(`${folder}/node_modules/node-llama-cpp/dist/index.js`));
const llama = await getLlama({ gpu: false, build: "never", maxThreads: 8, logLevel: "error" });
const model = await llama.loadModel({ modelPath: file }),
  prompt = model.tokenize("Once upon a time, there was a little rabbit");
const timed = async (generator) => {
  const start = performance.now();
  await generator.next();
  return performance.now() - start;
};
console.log(JSON.stringify({ release: llama.llamaCppRelease.release }));
for await (const line of createInterface({ input: process.stdin })) {
  const [threads, tokens, sizes] = JSON.parse(line),
    context = await model.createContext({ contextSize: 512, threads });
  const sequence = context.getSequence(),
    generator = sequence.evaluate(prompt, { temperature: 0 }),
    rates = [],
    calls = {};
  await generator.next();
  for (let i = 0; i < tokens; i++) rates.push(await timed(generator));
  for (const n of sizes) {
    const times = [];
    for (let i = 0; i < 5; i++)
      times.push(await timed(sequence.evaluate(prompt.concat(prompt).slice(0, n), { temperature: 0 })));
    calls[n] = Math.min(...times);
  }
  await context.dispose();
  console.log(JSON.stringify({ ms: rates.sort((a, b) => a - b)[rates.length >> 1], calls }));
}
