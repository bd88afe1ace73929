import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { compileCel } from "../../lib/policy/cel/compile.ts";
import { createOpaPolicy } from "../../lib/policy/opa.ts";
import type { Decision, McpPolicyInput } from "../../lib/policy/policy.ts";

const PAGE = readFileSync(new URL("../../docs/policies.md", import.meta.url), "utf8");

interface Rule {
  readonly cel?: string;
}

/** What a row of an example changes in the input that the page shows. */
interface Difference {
  readonly tool?: string;
  readonly arguments?: unknown;
  readonly agent?: string;
  readonly claims?: McpPolicyInput["user"];
  readonly http?: McpPolicyInput["request"]["http"];
}

const blocks = (language: string, text = PAGE) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(([, block = ""]) => block);

/** The input as the page shows it, and the answers of OPA. */
const [SHOWN = "", ...answers] = blocks("json");
const INPUT = JSON.parse(SHOWN) as McpPolicyInput;

const [, examples = ""] = /### Examples\n(.*?)\n## /s.exec(PAGE) ?? [];
const EXAMPLES = examples.split(/(?=```yaml)/).slice(1);

describe("the page about policies", () => {
  test.each(EXAMPLES)("shows %s, which decides as it says", (example) => {
    const [document = ""] = blocks("yaml", example);
    const { inbound } = (parse(document) as { authorization: { inbound: Rule & { rules?: readonly Rule[] } } })
      .authorization;
    const policies = [inbound, ...(inbound.rules ?? [])]
      .flatMap(({ cel }) => cel ?? [])
      .map((text) => compileCel(text, ""));
    const rows = [...example.matchAll(/^\| `(.*)` +\| (\w+) +\|$/gm)];
    expect(rows.length).toBeGreaterThan(2);
    for (const [, difference = "", decision] of rows) {
      const input = inputWith(JSON.parse(difference) as Difference);
      const outcomes = policies.map(({ decide }) => decide(input).outcome).filter((outcome) => outcome !== "allowed");
      expect(outcomes[0] ?? "allowed", difference).toBe(decision);
    }
  });

  test("shows answers of OPA that mean what it says", async () => {
    const decisions: Decision[] = [];
    const results = answers.filter((text) => text.includes('"result"'));
    for (const text of results.slice(0, 2)) decisions.push(await policyThatAnswers(text).decide(INPUT));
    expect(decisions).toEqual([{ outcome: "allowed" }, { outcome: "denied", message: "Only on weekdays." }]);
    expect(await policyThatAnswers(answers.find((text) => text.includes('"allowed": [')) ?? "").list(INPUT)).toEqual(
      new Set(["getNote"]),
    );
  });

  test("begins with policies that can be read", () => {
    const [first = ""] = blocks("yaml");
    const { inbound } = (parse(first) as { authorization: { inbound: Rule & { rules: readonly Rule[] } } })
      .authorization;
    for (const { cel = "" } of [inbound, ...inbound.rules]) expect(compileCel(cel, "").decidesOnListing).toBe(true);
  });
});

function inputWith({ tool, arguments: given, agent, claims, http: request }: Difference): McpPolicyInput {
  const { http, mcp } = INPUT.request;
  const params = { ...mcp.tool?.params, ...(tool !== undefined && { name: tool }) };
  const { name = "", arguments: shown } = params;
  return {
    request: { http: { ...http, ...request }, mcp: { ...mcp, tool: { params: { name, arguments: given ?? shown } } } },
    user: INPUT.user,
    agent: agent === undefined ? INPUT.agent : { clientID: agent },
    token: { claims: { ...INPUT.token.claims, ...claims } },
  };
}

function policyThatAnswers(text: string) {
  const options = { name: "", url: "http://opa.example", timeout: 1_000, forwardToken: false, list: true };
  return createOpaPolicy(options, async () => new Response(text, { status: 200 }));
}
