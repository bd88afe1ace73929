import cluster from "node:cluster";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { keepHandedConnections } from "../../../infra/node/workers/handed-connections.ts";

/**
 * A process with two workers, eight callers who open a connection for each request, and an end of one worker that the process does not
 * see at once. It ends when every request has an answer or an error.
 */
if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  for (const worker of workers) keepHandedConnections(worker);
  const [listening] = await Promise.all(workers.map((worker) => once(worker, "listening")));
  const [{ port }] = listening as [AddressInfo];
  const counted = { answered: 0, failed: 0 };
  let isOver = false;
  const call = () =>
    new Promise<void>((resolve) => {
      const end = (kind: keyof typeof counted) => () => {
        counted[kind] += 1;
        resolve();
      };
      const sent = request({ port, host: "127.0.0.1", agent: false }, (answer) => {
        answer.resume().once("end", end("answered"));
      });
      sent.once("error", end("failed")).end();
    });
  const callOn = async (): Promise<void> => {
    while (!isOver) await call();
  };
  const calling = Promise.all(Array.from({ length: 8 }, callOn));
  while (counted.answered < 50) await call();
  const [killed, other] = workers;
  killed?.process.kill("SIGKILL");
  const before = counted.answered;
  // Whoever is busy hears of it late.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
  while (counted.answered < before + 50) await call();
  isOver = true;
  await calling;
  process.stdout.write(JSON.stringify(counted));
  other?.process.kill("SIGKILL");
} else {
  createServer((_, answer) => answer.end("x")).listen(0, "127.0.0.1");
}
