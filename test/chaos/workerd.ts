import { chaosOptions } from "./options.ts";
import { runChaos } from "./run.ts";
import { workerdServer } from "./workerd/server.ts";

// `node test/chaos/workerd.ts [-seconds 120] [-seed N]`: the Worker on workerd under load, its objects ended and evicted,
// the whole process killed now and then.
const options = chaosOptions(process.argv.slice(2));
process.exitCode = (await runChaos(await workerdServer(options.seed), options)) ? 0 : 1;
