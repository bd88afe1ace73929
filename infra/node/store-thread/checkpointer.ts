import { parentPort, workerData } from "node:worker_threads";
import { connectSqlite } from "../sqlite/open.ts";
import { copyLog } from "./copy-log.ts";
import type { ThreadData } from "./messages.ts";

/**
 * The thread that `startCheckpoints` starts: at each message it copies the log, and answers once little of it is left;
 * at `end` it ends.
 */
if (parentPort === null) throw new Error("This module runs as a worker thread only.");
const port = parentPort;
const connection = connectSqlite((workerData as ThreadData).folder);
port.on("message", (message: "copy" | "end") => {
  if (message === "end") {
    connection.close();
    port.close();
    return;
  }
  copyLog(connection);
  port.postMessage("copied");
});
