import { lockServing } from "../../infra/node/store-folder/serving-lock.ts";

// Takes the store in the folder of the first argument, says so, and keeps it until it is killed.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("The first argument names the store's folder.");
const lock = lockServing(folder);
process.stdout.write("served\n");
process.on("SIGTERM", () => lock.release());
setInterval(() => undefined, 60_000);
