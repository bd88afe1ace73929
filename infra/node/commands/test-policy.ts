import { readFile } from "node:fs/promises";
import * as z from "zod";
import { withStandIns } from "../../../lib/config/artifact.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { createLocator } from "../../../lib/config/locator.ts";
import { ConfigurationError, readable } from "../../../lib/config/messages.ts";
import type { Path } from "../../../lib/config/path.ts";
import { resolveConfiguration } from "../../../lib/config/resolve.ts";
import { section } from "../../../lib/config/schema/section.ts";
import { decodeYaml } from "../../../lib/config/yaml/decode.ts";
import { readYaml } from "../../../lib/config/yaml/read.ts";
import { explainCall } from "../../../lib/gateway/explain/explain-call.ts";
import type { ExplainedDecision } from "../../../lib/gateway/explain/explanation.ts";
import type { ExplainPorts } from "../../../lib/gateway/explain/without-store.ts";
import { systemClock } from "../../../lib/kernel/clock.ts";
import { explainRequest } from "../../../lib/web-apps/explain-request.ts";
import { configurationFile } from "../configuration-file.ts";
import { fileErrorReason } from "../files/file-error.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { loadConfiguration } from "../load-configuration.ts";
import { outboundFetch } from "../net/open-fetch.ts";
import { UsageError } from "../usage-error.ts";
import { wholeConfiguration } from "./embedded-store.ts";

const FLAGS = { config: "string", cases: "string", secretProvider: "string", json: "boolean" } as const;

const claims = z.record(z.string(), z.unknown(), { error: "a mapping of claims" });
const text = (what: string) => z.string({ error: what }).min(1, { error: what });

const caseSchema = section({
  name: text("text that names the case"),
  tool: text("the name of a tool, as agents see it").optional(),
  arguments: z.record(z.string(), z.unknown(), { error: "a mapping of arguments" }).optional(),
  app: text("the name of a web app").optional(),
  method: text("a method of HTTP").optional(),
  path: text("what is asked of the web app, as a client writes it").optional(),
  host: text("the host that the request is sent to").optional(),
  connector: text("the connector where the person signed in").optional(),
  claims: claims.optional(),
  expect: z.enum(["allowed", "denied"], { error: "allowed or denied" }),
  step: text("the name of the first step that denies, as countersign explain prints it").optional(),
});

const casesSchema = section({
  defaults: section({ claims: claims.default({}) }).prefault({}),
  cases: z.array(caseSchema, { error: "a list of cases" }).min(1, { error: "at least one case" }),
});

type Cases = z.infer<typeof casesSchema>;
type Case = Cases["cases"][number];

interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly expected: string;
  readonly found: string;
  readonly why?: string;
}

/**
 * `countersign test-policy -config FILE -cases FILE [-secretProvider URL] [-json]`: decides on each case as `explain` does, and says
 * which decisions are not those that are expected. Exit 0 when all are. Policies are asked, servers of policies among them; nothing is
 * exchanged, called or recorded. Secrets are needed only where one decides on more than itself.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { config, cases: file, secretProvider, json } = parseFlags(args, FLAGS);
  if (!file) throw new UsageError("-cases is required: a YAML file with what is expected of whom.");
  const { defaults, cases } = await readCases(file);
  const configuration = await configurationOf({ config, secretProvider }, io);
  const ports = { fetch: outboundFetch(io.environment), clock: systemClock };
  const results: Result[] = [];
  for (const one of cases) results.push(await decided(one, defaults, configuration, ports));
  const failed = results.filter(({ passed }) => !passed).length;
  io.stdout(
    json ? `${JSON.stringify({ results })}\n` : `${results.map(line).join("")}${summary(results.length, failed)}\n`,
  );
  return failed === 0 ? 0 : 1;
}

/** Without secrets where these decide on nothing: policies are tested where nobody has any. */
async function configurationOf(
  { config, secretProvider }: { readonly config?: string | undefined; readonly secretProvider?: string | undefined },
  io: CommandIo,
): Promise<Configuration> {
  const flags = { ...(config !== undefined && { config }), ...(secretProvider !== undefined && { secretProvider }) };
  if (secretProvider !== undefined) return wholeConfiguration(flags, io);
  const whole = withStandIns(await loadConfiguration(configurationFile(config, io.environment)));
  if (whole === undefined) return wholeConfiguration(flags, io);
  const secrets = { get: (reference: string) => Promise.reject(new Error(`<${reference}> is not looked at`)) };
  return (await resolveConfiguration(whole, { environment: {}, secrets, runtime: "node" })).configuration;
}

/** @throws ConfigurationError with every mistake, at its line */
async function readCases(file: string): Promise<Cases> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${fileErrorReason(error)}.`);
  });
  const decoded = decodeYaml(bytes, file);
  if ("errors" in decoded) throw new ConfigurationError(decoded.errors);
  const { document, positions, keyPositions, errors } = readYaml(decoded.text, file);
  if (errors.length > 0) throw new ConfigurationError(errors);
  const read = casesSchema.safeParse(document);
  const locate = createLocator(file, positions, { keyPositions });
  if (!read.success) {
    const messages = read.error.issues.flatMap((issue) => {
      const path = issue.path as Path;
      if (issue.code !== "unrecognized_keys") return [locate({ path, message: `accepted: ${issue.message}` })];
      const texts = issue.message.split("\n");
      return issue.keys.map((key, index) => locate({ path: [...path, key], atKey: true, message: texts[index] ?? "" }));
    });
    throw new ConfigurationError(readable(messages));
  }
  const wrong = read.data.cases.flatMap((one, index) => {
    const message = misfit(one);
    return message === undefined ? [] : [locate({ path: ["cases", index], message })];
  });
  if (wrong.length > 0) throw new ConfigurationError(wrong);
  return read.data;
}

function misfit({ tool, app, path, ...rest }: Case): string | undefined {
  if ((tool === undefined) === (app === undefined)) return "needs one of tool and app: what is asked for";
  if (app !== undefined && path === undefined) return "needs a path: what is asked of the web app";
  const foreign = tool === undefined ? ["arguments" as const] : (["method", "host", "connector"] as const);
  const wrong = foreign.find((key) => rest[key as keyof typeof rest] !== undefined);
  return wrong === undefined ? undefined : `${wrong} goes with ${tool === undefined ? "tool" : "app"} alone`;
}

async function decided(
  one: Case,
  defaults: Cases["defaults"],
  configuration: Configuration,
  ports: ExplainPorts,
): Promise<Result> {
  const { name, expect, step } = one;
  const explanation = await explained(one, defaults, configuration, ports);
  if (typeof explanation === "string")
    return { name, passed: false, expected: expect, found: "nothing", why: explanation };
  const { decision, steps } = explanation;
  const first = steps.find((each) => each.decision === "denied");
  const passed = decision === expect && (step === undefined || first?.step === step);
  const [expected, found] = [place(expect, step), place(decision, step === undefined ? undefined : first?.step)];
  return { name, passed, expected, found, ...(first !== undefined && { why: `${first.step}: ${first.why}` }) };
}

function place(decision: string, step: string | undefined): string {
  return step === undefined ? decision : `${decision} by ${step}`;
}

/** A text: why nothing can be said. */
async function explained(
  { tool, app = "", method = "GET", path = "", host, connector, arguments: given = {}, claims: own }: Case,
  defaults: Cases["defaults"],
  configuration: Configuration,
  ports: ExplainPorts,
): Promise<ExplainedDecision | string> {
  const all = { ...defaults.claims, ...own };
  if (tool !== undefined) {
    if (configuration.mcpProvider === undefined) return "the configuration has no gateway: mcpProvider is not enabled";
    return explainCall({ tool, claims: all, arguments: given }, configuration, ports);
  }
  // Without claims of its own nobody is signed in.
  const request = {
    app,
    method: method.toUpperCase(),
    path,
    host,
    connector,
    ...(own !== undefined && { claims: all }),
  };
  return (await explainRequest(request, configuration, ports)) ?? `there is no web app ${app}`;
}

function line({ name, passed, expected, found, why }: Result): string {
  if (passed) return `ok    ${name}\n`;
  return `FAIL  ${name}: expected ${expected}, found ${found}${why === undefined ? "" : ` (${why})`}\n`;
}

function summary(all: number, failed: number): string {
  return `${all} ${all === 1 ? "case" : "cases"}: ${all - failed} as expected, ${failed} not`;
}
