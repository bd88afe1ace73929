import { markServing } from "../../infra/node/store-folder/serving-mark.ts";

// Marks the store in the folder of the first argument, prints whether it is alone, and keeps the mark until it is killed.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("The first argument names the store's folder.");
const mark = markServing(folder);
process.stdout.write(`${mark.alone}\n`);
process.on("SIGTERM", () => mark.release());
setInterval(() => undefined, 60_000);
