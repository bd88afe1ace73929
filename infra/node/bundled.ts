#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { changedSource } from "./bundle-sources.ts";

/** The command as `npm run build:node` bundles it. In a checkout it runs only what the sources say. */
async function start(): Promise<void> {
  const changed = changedSource(fileURLToPath(new URL("../../", import.meta.url)), BUNDLE);
  if (changed !== undefined) {
    const advice = "Run npm run build:node, or start infra/node/countersign.js, which runs the sources.";
    process.stderr.write(`dist/node was built before ${changed} changed. ${advice}\n`);
    process.exitCode = 1;
    return;
  }
  // Beside the bundle, where only those can write who may change the bundle itself: what is read from there is run. Where
  // the folder cannot be written, the command starts all the same. Threads read the variable.
  process.env.NODE_COMPILE_CACHE ||= `${BUNDLE}/.compiled`;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import("./cli.ts");
}

const BUNDLE = fileURLToPath(new URL("../../dist/node", import.meta.url));

await start();
