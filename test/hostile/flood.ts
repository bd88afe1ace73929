import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, fetch } from "undici";

/** Requests that a hostile caller sends without an end. */
export interface Flood {
  readonly connections: number;
  /** Each connection sends these in turn, one after another. */
  readonly requests: readonly FloodRequest[];
}

export interface FloodRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How many answers there were of each status; 0 stands for connections that broke. */
export type Answers = Readonly<Record<string, number>>;

/** Sends a flood from a process of its own while something is measured, so that the measurement waits for the server alone. */
export async function whileFlooded<T>(
  flood: Flood,
  measure: () => Promise<T>,
): Promise<{ readonly measured: T; readonly answers: Answers }> {
  const child = fork(import.meta.filename, { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exit = once(child, "exit");
  try {
    child.send(flood);
    await Promise.race([once(child, "message"), exit.then(() => Promise.reject(new Error("the flood did not start")))]);
    const measured = await measure();
    child.send("end");
    const [answers] = (await once(child, "message")) as [Answers];
    return { measured, answers };
  } finally {
    child.kill("SIGKILL");
    await exit;
  }
}

if (process.argv[1] === import.meta.filename && process.send !== undefined) {
  const [flood] = (await once(process, "message")) as [Flood];
  const answers: Record<string, number> = {};
  const ending = new AbortController();
  process.once("message", () => {
    ending.abort();
    process.send?.(answers, () => process.exit(0));
  });
  for (let index = 0; index < flood.connections; index++) void connection(flood, ending.signal, answers);
}

async function connection({ requests }: Flood, signal: AbortSignal, answers: Record<string, number>): Promise<void> {
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  for (let index = 0; !signal.aborted; index++) {
    const request = requests[index % requests.length];
    if (request === undefined) throw new Error("a flood needs requests");
    const status = await send(request, dispatcher, signal);
    answers[status] = (answers[status] ?? 0) + 1;
    // The first answer of all says that the flood has begun.
    if (Object.values(answers).reduce((sum, count) => sum + count, 0) === 1) process.send?.("begun");
  }
}

async function send({ url, ...request }: FloodRequest, dispatcher: Agent, signal: AbortSignal): Promise<number> {
  try {
    const response = await fetch(url, { ...request, dispatcher, signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
