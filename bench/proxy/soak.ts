import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { parseFlags } from "../../infra/node/flags.ts";
import { RESUME_WINDOW } from "../../lib/mcp/resumable-stream.ts";
import { freePort } from "../../test/support/free-port.ts";
import { openUpstream } from "../../test/support/one-answer-upstream.ts";
import { collectedMemory, type Held, heldMemory } from "../support/collected-memory.ts";
import { forEach } from "../support/crowd.ts";
import { cpuTime, residentMemory } from "../support/process-usage.ts";
import { NOTES } from "../support/rest-calls.ts";
import { mebibytes } from "../support/sizes.ts";
import { type Agents, type Call, openSessions, toolCall } from "./calls.ts";
import { type ServerProcess, startGateway, startIssuer, startUpstream, urlOf } from "./servers.ts";
import { APPS, REST, STREAMED_SIZE, TOOLS } from "./terms.ts";

/**
 * Whether the memory of a gateway grows under load that goes on: calls in sessions and without, of an MCP server and of a
 * REST API, lists of 1,000 tools, and results of 1 MB, at a fifth of a core. Once in a while its garbage is collected, and
 * what it then holds is printed.
 *
 *     node bench/proxy/soak.ts [-seconds 1800]
 *
 * Exit code 1 when what its JavaScript holds at the end is more than 2 % above what it held after five minutes.
 */
const SHARE_OF_A_CORE = 0.2;
const GROWTH = 1.02;
/** As production is advised to start (D191). */
const NEW_OBJECTS = "--max-semi-space-size=8";
/** So often memory is looked at, in a short soak less often. */
const LOOKS = { most: 12, least: 3 };
/** Seconds until a look counts: V8 has compiled most of what is used, and caches are filled. A shorter soak has its last but one. */
const SETTLED = 300;
const TOKENS = 64;
const SESSIONS = 16;
const AT_ONCE = 8;
/** Calls of a round, in which there is one list and one long result as well. */
const CALLS = 60;
/**
 * Milliseconds without load before a look: what was answered has been forgotten by then. Before that, memory depends on how many
 * calls the last half minute had, as clients may come back for the streams of those.
 */
const CALM = RESUME_WINDOW + 5_000;
/** Seconds between two looks, at least. */
const SHORTEST = 75;
/** Bytes, at least. */
const LIST_SIZE = 100_000;

const { seconds = "1800" } = parseFlags(process.argv.slice(2), { seconds: "string" });
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopped.abort());
process.exitCode = (await soak(Number(seconds))) ? 0 : 1;

async function soak(duration: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-soak-"));
  const running: Pick<ServerProcess, "stop">[] = [];
  const kept = <Server extends Pick<ServerProcess, "stop">>(server: Server): Server => {
    running.push(server);
    return server;
  };
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  try {
    const inspectorPort = await freePort();
    const issuer = kept(await startIssuer());
    const upstream = kept(await startUpstream(1_000));
    const flags = [NEW_OBJECTS, `--inspect=127.0.0.1:${inspectorPort}`];
    const api = await openUpstream(NOTES);
    kept({ stop: api.close });
    const policy = '"clerk" in token.claims.roles';
    const different = { policy, catalog: { search: "off" }, kinds: ["kept"], api: api.url } as const;
    const gateway = kept(await startGateway(folder, issuer, upstream, flags, different));
    const agents = await openSessions(gateway, await issuer.tokens(urlOf(gateway), TOKENS), SESSIONS);
    const looks: Held[] = [];
    const [start, cpu] = [performance.now(), cpuTime(gateway.pid)];
    const count = Math.min(LOOKS.most, Math.max(LOOKS.least, Math.floor(duration / SHORTEST)));
    for (let look = 1, round = 0; look <= count && !stopped.signal.aborted; look++) {
      const end = start + (duration * 1_000 * look) / count - CALM;
      const before = round;
      let most = 0;
      while (performance.now() < end && !stopped.signal.aborted) {
        await sendRound(gateway, agents, round++, agent);
        most = Math.max(most, residentMemory(gateway.pid));
        // Until what it used is a fifth of the time that passed.
        const ahead = (cpuTime(gateway.pid) - cpu) / 1_000 / SHARE_OF_A_CORE - (performance.now() - start);
        await passed(Math.min(Math.max(ahead, 0), Math.max(end - performance.now(), 0)));
      }
      await passed(CALM);
      const [resident, held] = [await collectedMemory(gateway.pid, inspectorPort), await heldMemory(inspectorPort)];
      looks.push(held);
      const minutes = ((performance.now() - start) / 60_000).toFixed(1);
      console.log(
        `${minutes} min, ${(round - before) * (CALLS + 2)} requests: at most ${mebibytes(most)}, after garbage collection ${mebibytes(resident)}, of it JavaScript ${mebibytes(held.heap)}, buffers ${mebibytes(held.buffers)}`,
      );
    }
    return looks.length === count && isFlat(looks, Math.ceil((SETTLED * count) / duration));
  } finally {
    agent.destroy();
    for (const server of running.toReversed()) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** @param settled the number of the first look that counts */
function isFlat(looks: readonly Held[], settled: number): boolean {
  const totals = looks.map(({ heap, buffers }) => heap + buffers);
  const from = Math.min(settled, looks.length - 1);
  const [first = 0, last = 0] = [totals[from - 1], totals.at(-1)];
  console.log(`Soak: held ${mebibytes(first)} at look ${from}, ${mebibytes(last)} at the end.`);
  return last <= GROWTH * first;
}

/** Calls of both generations and of the REST API, a list and a long result. */
async function sendRound(gateway: ServerProcess, agents: Agents, round: number, agent: Agent): Promise<void> {
  const id = round * CALLS;
  const called = (index: number): Call => {
    const generation = index % 2 === 0 ? "session" : "stateless";
    if (index % 3 === 0) return toolCall(id + index, { generation, tool: REST.tool, agents, given: {} });
    return toolCall(id + index, { generation, tool: `${APPS.kept}_${TOOLS.short}`, agents });
  };
  await forEach(CALLS, (index) => send(gateway.port, called(index), agent), AT_ONCE);
  const long = toolCall(id, { generation: "session", tool: `${APPS.kept}_${TOOLS.streamed}`, agents });
  await send(gateway.port, long, agent, STREAMED_SIZE);
  const list = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list", params: {} });
  await send(gateway.port, { ...long, body: list }, agent, LIST_SIZE);
}

/** Rejects what is no answer of that length. */
function send(port: number, { headers, body }: Call, agent: Agent, atLeast = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, "Content-Length": Buffer.byteLength(body) };
    const sent = request({ host: "localhost", port, path: "/mcp", method: "POST", headers: all, agent }, (response) => {
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
      });
      response.once("error", reject);
      response.once("end", () => {
        if (response.statusCode === 200 && length >= atLeast) resolve();
        else reject(new Error(`A request was answered with ${response.statusCode}, ${length} bytes.`));
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
