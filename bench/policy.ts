import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outboundFetch } from "../infra/node/net/open-fetch.ts";
import { compileCel } from "../lib/policy/cel/compile.ts";
import { createOpaPolicy } from "../lib/policy/opa.ts";
import type { LocalPolicy, PolicyInput } from "../lib/policy/policy.ts";
import { createRegoPolicy } from "../lib/policy/rego/policy.ts";
import { DATA, FOLDER, readPlan } from "../test/policy/rego/documents.ts";
import { freePort } from "../test/support/free-port.ts";
import type { Finding } from "./support/finding.ts";
import { optionalPeer } from "./support/optional-peers.ts";
import type { BenchOptions } from "./support/options.ts";
import { startProcess } from "./support/process.ts";
import { cpuTime } from "./support/process-usage.ts";
import { median, milliseconds } from "./support/statistics.ts";

/** Milliseconds of CPU a decision. */
const LIMIT = 0.02;
const REGO_LIMIT = 0.05;
const DECISIONS = 20_000;
const ROUNDS = 9;
/** Decisions that OPA's server is asked for. */
const ASKED = 3_000;

const RULES: Readonly<Record<string, string>> = {
  "CEL policy, a rule about caller and tool":
    '"editor" in token.claims.roles && request.mcp.tool.params.name in ["getNote", "createNote"]',
  "CEL policy, a rule about arguments":
    'request.mcp.tool.params.arguments.tags.all(tag, tag.startsWith("t")) && request.mcp.tool.params.arguments.noteId.matches("^[0-9]+$")',
};

/** CPU that a policy takes to decide on a call: a compiled one, without the audit record and the rest of the call. */
export async function benchPolicy(bench: BenchOptions): Promise<readonly Finding[]> {
  const expressions = Object.entries(RULES).map(([what, rule]) => finding(what, compileCel(rule, "cel"), LIMIT));
  const options = { name: "rego", data: DATA, forwardToken: false, list: false };
  const rego = createRegoPolicy({ ...options, plan: readPlan("roles") });
  if (rego.cost !== "local") throw new Error("the policy checks signatures");
  const inProcess = cpuOf(rego);
  return [
    ...expressions,
    about("Rego policy of 20 lines, roles and their tools in its data", inProcess, REGO_LIMIT),
    ...(await besideServer(bench, inProcess)),
  ];
}

/** The same policy and data behind `opa run` on this machine: CPU of both processes. */
async function besideServer({ folder }: BenchOptions, inProcess: number): Promise<readonly Finding[]> {
  const program = await optionalPeer("opa");
  if (program === undefined) return [];
  const data = join(mkdtempSync(join(folder, "opa-")), "data.json");
  writeFileSync(data, JSON.stringify(DATA));
  const origin = `http://127.0.0.1:${await freePort()}`;
  const args = ["run", "--server", "--log-level", "error", "--addr", origin.slice("http://".length)];
  const server = await startProcess(program, [...args, join(FOLDER, "roles.rego"), data], `${origin}/health`);
  try {
    const url = `${origin}/v1/data/orchestrator/result`;
    const { decide } = createOpaPolicy(
      { name: "opa", url, timeout: 5_000, forwardToken: false, list: false },
      outboundFetch({}),
    );
    const once = async (decisions: number) => {
      const before = [process.cpuUsage(), cpuTime(server.pid)] as const;
      for (let count = 0; count < decisions; count += 1)
        if ((await decide(INPUT)).outcome !== "allowed") throw new Error("the policy denies");
      const { user, system } = process.cpuUsage(before[0]);
      return {
        here: (user + system) / 1_000 / decisions,
        there: (cpuTime(server.pid) - before[1]) / 1_000 / decisions,
      };
    };
    await once(ASKED);
    const { here, there } = await once(ASKED);
    return [
      {
        what: "The same policy asked of opa run over loopback, both processes",
        measured: milliseconds(here + there, 4),
        against: `in this process ${milliseconds(inProcess, 4)}; ${milliseconds(here, 4)} here and ${milliseconds(there, 4)} in OPA`,
        ratio: `${((here + there) / inProcess).toFixed(1)} ×`,
      },
    ];
  } finally {
    await server.stop();
  }
}

function finding(what: string, policy: LocalPolicy, limit: number): Finding {
  return about(what, cpuOf(policy), limit);
}

function cpuOf({ decide }: LocalPolicy): number {
  return median(Array.from({ length: ROUNDS }, () => round(() => decide(INPUT).outcome)));
}

function about(what: string, cpu: number, limit: number): Finding {
  return {
    what,
    measured: milliseconds(cpu, 4),
    against: `the median of ${ROUNDS} times ${DECISIONS}`,
    target: `≤ ${milliseconds(limit, 2)}`,
    met: cpu <= limit,
  };
}

function round(decide: () => string): number {
  const before = process.cpuUsage();
  for (let count = 0; count < DECISIONS; count += 1) if (decide() !== "allowed") throw new Error("the policy denies");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / DECISIONS;
}

const INPUT: PolicyInput = {
  request: {
    http: { method: "GET", path: "/notes/1234", query: { tags: ["t1", "t2", "t3"] }, headers: {} },
    mcp: {
      method: "tools/call",
      app: "notes",
      http: { method: "POST", path: "/mcp", headers: { "User-Agent": "agent/1", Accept: "application/json" } },
      tool: { params: { name: "getNote", arguments: { noteId: "1234", tags: ["t1", "t2", "t3"] } } },
    },
  },
  user: { sub: "a-person", roles: ["reader", "editor"] },
  agent: { clientID: "an-agent" },
  token: { claims: { sub: "a-person", client_id: "an-agent", roles: ["reader", "editor"] } },
};
