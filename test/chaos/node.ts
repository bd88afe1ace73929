import { nodeServer } from "./node-server.ts";
import { chaosOptions } from "./options.ts";
import { runChaos } from "./run.ts";

// `node test/chaos/node.ts [-seconds 120] [-seed N]`: the embedded server under load, killed at random moments.
const options = chaosOptions(process.argv.slice(2));
process.exitCode = (await runChaos(await nodeServer(), options)) ? 0 : 1;
