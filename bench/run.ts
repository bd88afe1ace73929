import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchTokenEndpoint } from "./token-endpoint.ts";

/** `npm run bench [-- --requests 20000 --connections 16]`. Prints ratios against a peer in the same run, not bare numbers. */
const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "5000" },
    connections: { type: "string", default: "16" },
  },
});

await benchTokenEndpoint({ requests: count(values.requests), connections: count(values.connections) });
for (const name of ["workerd.ts", "lambda.ts"]) {
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(name, import.meta.url))], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`"${text}" is not a positive whole number.`);
  return value;
}
