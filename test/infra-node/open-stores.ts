import { createInterface } from "node:readline";
import { openSqlite } from "../../infra/node/sqlite/open.ts";

// Opens and closes the store in each folder that a line of the input names, and prints a line about each.
for await (const folder of createInterface({ input: process.stdin })) {
  try {
    openSqlite(folder).close();
    process.stdout.write("opened\n");
  } catch (error) {
    process.stdout.write(`${String(error)}\n`);
  }
}
