import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "../../support/eventually.ts";
import type { RunningRegion } from "../../support/runtime.ts";

/** Addresses of the two workers of a server: whatever is sent to one goes to that worker alone. */
export interface PinnedWorkers {
  readonly one: RunningRegion;
  readonly two: RunningRegion;
  /** Ends all connections. */
  close(): void;
}

/**
 * A connection belongs to one worker for as long as it is open, and new ones go to the workers in turn. Which one has it is in
 * the access log, by the id of a request.
 */
export async function pinWorkers(region: RunningRegion): Promise<PinnedWorkers> {
  const free = new Map<number, Agent[]>([1, 2].map((worker) => [worker, []]));
  const all: Agent[] = [];
  const connectionTo = async (worker: number): Promise<Agent> => {
    for (;;) {
      const known = free.get(worker)?.pop();
      // The server ends connections that nobody used for seconds; another one might go to the other worker.
      if (known !== undefined && Object.keys(known.freeSockets).length > 0) return known;
      if (known !== undefined) continue;
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      all.push(agent);
      free.get(await workerOf(region, agent))?.push(agent);
    }
  };
  const serve = (worker: number) => async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const agent = await connectionTo(worker);
    const headers = { ...incoming.headers, host: new URL(region.url).host };
    const sent = request(`${region.url}${incoming.url}`, { agent, method: incoming.method ?? "GET", headers });
    sent.once("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers).flushHeaders();
      answer.pipe(outgoing);
      answer.once("end", () => free.get(worker)?.push(agent));
      answer.once("error", () => outgoing.destroy());
    });
    sent.once("error", () => outgoing.destroy());
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) sent.destroy();
    });
    incoming.pipe(sent);
  };
  const servers = [createServer(serve(1)), createServer(serve(2))];
  const [one, two] = (await Promise.all(servers.map(listening))).map((url) => ({ ...region, url }));
  if (one === undefined || two === undefined) throw new Error("not listening");
  return {
    one,
    two,
    close: () => {
      for (const agent of all) agent.destroy();
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function workerOf(region: RunningRegion, agent: Agent): Promise<number> {
  const id = await new Promise<string>((resolve, reject) => {
    const sent = request(`${region.url}/status`, { agent });
    sent.once("error", reject);
    sent.once("response", (answer) => {
      answer.resume();
      answer.once("end", () => resolve(String(answer.headers["x-request-id"])));
    });
    sent.end();
  });
  const line = await eventually(
    async () => region.logs().find((entry) => entry.includes(id)),
    (found) => found !== undefined,
  );
  return (JSON.parse(line ?? "{}") as { readonly worker: number }).worker;
}
