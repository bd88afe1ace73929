import { compileCel } from "../lib/policy/cel/compile.ts";
import type { PolicyInput } from "../lib/policy/policy.ts";
import type { Finding } from "./support/finding.ts";
import { median, milliseconds } from "./support/statistics.ts";

/** Milliseconds of CPU a decision. */
const LIMIT = 0.02;
const DECISIONS = 20_000;
const ROUNDS = 9;

const RULES: Readonly<Record<string, string>> = {
  "CEL policy, a rule about caller and tool":
    '"editor" in token.claims.roles && request.mcp.tool.params.name in ["getNote", "createNote"]',
  "CEL policy, a rule about arguments":
    'request.mcp.tool.params.arguments.tags.all(tag, tag.startsWith("t")) && request.mcp.tool.params.arguments.noteId.matches("^[0-9]+$")',
};

/** CPU that a CEL policy takes to decide on a call: a compiled one, without the audit record and the rest of the call. */
export async function benchPolicy(): Promise<readonly Finding[]> {
  return Object.entries(RULES).map(([what, rule]) => {
    const { decide } = compileCel(rule, "cel");
    const cpu = median(Array.from({ length: ROUNDS }, () => round(() => decide(INPUT).outcome)));
    return {
      what,
      measured: milliseconds(cpu, 4),
      against: `the median of ${ROUNDS} times ${DECISIONS}`,
      target: `≤ ${milliseconds(LIMIT, 2)}`,
      met: cpu <= LIMIT,
    };
  });
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
  user: { sub: "a-person" },
  agent: { clientID: "an-agent" },
  token: { claims: { sub: "a-person", client_id: "an-agent", roles: ["reader", "editor"] } },
};
