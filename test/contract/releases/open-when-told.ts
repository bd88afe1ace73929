import { once } from "node:events";
import { openSqlite } from "../../../infra/node/sqlite/open.ts";

// Opens the store of the first argument's folder as soon as a line of input says so, and ends with its input.
const [folder = ""] = process.argv.slice(2);
process.stdout.write("ready\n");
await once(process.stdin, "data");
const executor = openSqlite(folder);
process.stdout.write("opened\n");
await once(process.stdin, "end");
executor.close();
