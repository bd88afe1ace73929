import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";

// Holds the write lock of the database that the first argument names, from its first line of output until its input ends.
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("The first argument names the database.");
const connection = new DatabaseSync(file);
connection.exec("BEGIN IMMEDIATE");
process.stdout.write("held\n");
await once(process.stdin.resume(), "end");
connection.exec("ROLLBACK");
connection.close();
