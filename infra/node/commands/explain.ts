import { readFile } from "node:fs/promises";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { connectsAccounts } from "../../../lib/config/oauth-features.ts";
import { allOverrides } from "../../../lib/config/overrides/overrides.ts";
import { withOverrides } from "../../../lib/config/overrides/with-overrides.ts";
import { pathText } from "../../../lib/config/path.ts";
import { type KeySource, keysNear, namesNear, parseKeyPath, sourceOf } from "../../../lib/deployment/layers.ts";
import { explainCall } from "../../../lib/gateway/explain/explain-call.ts";
import type { ExplainedDecision, ExplainedStep } from "../../../lib/gateway/explain/explanation.ts";
import type { ExplainPorts } from "../../../lib/gateway/explain/without-store.ts";
import { createOrganizationOf } from "../../../lib/gateway/organization.ts";
import { mcpApps } from "../../../lib/gateway/tool-index.ts";
import { systemClock } from "../../../lib/kernel/clock.ts";
import { type JsonObject, parseJsonObject } from "../../../lib/kernel/json.ts";
import { storedPins } from "../../../lib/pins/instance-pins.ts";
import { parseExact } from "../../../lib/upstream/wire/exact-json.ts";
import { explainRequest } from "../../../lib/web-apps/explain-request.ts";
import { webAppsOf } from "../../../lib/web-apps/web-apps.ts";
import { EXIT } from "../exit-codes.ts";
import { fileErrorReason } from "../files/file-error.ts";
import { type Flags, parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { outboundFetch } from "../net/open-fetch.ts";
import { UsageError } from "../usage-error.ts";
import { hasStore, loaded, storeConfiguration, wholeConfiguration, withEmbeddedStore } from "./embedded-store.ts";

const FLAGS = {
  config: "string",
  secretProvider: "string",
  source: "string",
  tool: "string",
  arguments: "string",
  app: "string",
  method: "string",
  path: "string",
  host: "string",
  connector: "string",
  claims: "string",
  json: "boolean",
} as const;

type Given = Flags<typeof FLAGS>;

/** What is told beside `-tool` or `-app` alone. */
const OF_TOOLS = ["arguments"] as const;
const OF_APPS = ["method", "path", "host", "connector"] as const;

/**
 * `countersign explain -config FILE -source KEY [-json]`: where the value of a key comes from, layer by layer. What is stored is read
 * from the store of this machine, where there is one.
 *
 * `countersign explain -config FILE (-tool NAME -claims FILE [-arguments FILE] | -app NAME -path PATH [-method METHOD] [-host HOST]
 * [-claims FILE [-connector NAME]]) [-json]`: what would be decided on a call of a tool or a request for a web app, and why. Exit 0
 * when it would be made, 4 when not. Policies are asked; nothing is exchanged, called or recorded. Whether people have connected
 * accounts, what is approved of tools that are pinned, and what organizations override is read from the store of this machine, where
 * there is one.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, FLAGS);
  if (flags.source !== undefined) return aboutKey(flags, flags.source, io);
  if ((flags.tool === undefined) === (flags.app === undefined))
    throw new UsageError(
      "One of -tool and -app is required: the name of a tool, as agents see it, or of a web app; or -source and a key.",
    );
  const explain = flags.tool === undefined ? await aboutRequest(flags) : await aboutCall(flags, flags.tool);
  const whole = await wholeConfiguration(flags, io);
  const configuration = flags.tool === undefined ? whole : await overridden(flags, io, whole);
  const { subject, explanation } = await withStored(flags, io, configuration, (stored) =>
    explain(configuration, { fetch: outboundFetch(io.environment), clock: systemClock, ...stored }),
  );
  const { steps, decision } = explanation;
  io.stdout(flags.json ? `${JSON.stringify(explanation)}\n` : `${lines(steps)}${subject}: ${decision}\n`);
  return decision === "allowed" ? EXIT.ok : EXIT.refused;
}

async function aboutKey(flags: Given, key: string, io: CommandIo): Promise<number> {
  const other = (["tool", "app", "claims", ...OF_TOOLS, ...OF_APPS] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined) throw new UsageError(`-${other} does not go with -source.`);
  const artifact = await loaded(flags, io);
  const path = parseKeyPath(key, artifact.document);
  if (path === undefined) throw new UsageError("-source takes a key such as limits or apps[ledger].timeout.");
  const listed = namesNear(path, artifact.document);
  if (listed !== undefined)
    throw new UsageError(
      `-source: there is no such entry; at ${pathText(listed.around)} there are: ${listed.names.join(", ") || "none with a name"}.`,
    );
  const near = keysNear(path);
  if (near !== undefined) {
    const at = near.around.length === 0 ? "at the top" : `at ${pathText(near.around)}`;
    throw new UsageError(`-source: there is no such key; ${at} there are: ${near.keys.join(", ") || "none"}.`);
  }
  const stored = await storeConfiguration(flags, io);
  const record = hasStore(stored.store.path)
    ? await withEmbeddedStore(flags, io, ({ stores }) => stores.settings.readSettings())
    : undefined;
  const { leftOut } = withOverrides(stored, record === undefined ? new Map() : allOverrides(record));
  const source = sourceOf(path, artifact, record, leftOut);
  io.stdout(flags.json ? `${JSON.stringify(source)}\n` : sourceText(source, record !== undefined));
  return 0;
}

function sourceText({ path, layers, counts }: KeySource, hasRecord: boolean): string {
  const texts = layers.map(({ layer, organizationId, value, leftOut = [] }) => {
    const unused = leftOut.length === 0 ? "" : ` (not in use: ${leftOut.join("; ")})`;
    const shown = value === undefined ? "says nothing" : `${JSON.stringify(value)}${unused}`;
    return `${layer.padEnd("organization".length)}  ${organizationId === undefined ? "" : `${organizationId} adds `}${shown}\n`;
  });
  const unread = hasRecord ? "" : " (there is no store on this machine)";
  return `${texts.join("")}${path}: ${counts === "none" ? "no layer says anything" : `${counts} counts`}${unread}\n`;
}

/** With what organizations have set, where they may set anything and this machine has a store. */
async function overridden(flags: Given, io: CommandIo, configuration: Configuration): Promise<Configuration> {
  if ((configuration.overridable ?? []).length === 0) return configuration;
  if (!hasStore(configuration.store.path)) {
    io.stderr("overrides of organizations: not looked at, as there is no store on this machine\n");
    return configuration;
  }
  const record = await withEmbeddedStore(flags, io, ({ stores }) => stores.settings.readSettings());
  return withOverrides(configuration, allOverrides(record)).configuration;
}

type Stored = Pick<ExplainPorts, "connections" | "pins">;

/** Does work with the connections of people and what is pinned, where calls need such and this machine has a store; otherwise without. */
async function withStored<T>(
  flags: Given,
  io: CommandIo,
  configuration: Configuration,
  work: (stored: Stored) => Promise<T>,
): Promise<T> {
  const isNeeded =
    connectsAccounts(configuration) || mcpApps(configuration.apps).some(({ pins }) => pins !== undefined);
  if (!isNeeded || !hasStore(configuration.store.path)) return work({});
  return withEmbeddedStore(flags, io, ({ stores }) => {
    const organizationOf = createOrganizationOf({ stores });
    const find: NonNullable<ExplainPorts["connections"]>["find"] = async (app, key) =>
      stores.connections.connection({ ...key, organizationId: (await organizationOf(app)) ?? "" });
    return work({ connections: { find }, pins: storedPins({ stores, organizationOf }) });
  });
}

/** Explains, once the configuration is read: what is wrong with the flags is told before. */
type Explain = (
  configuration: Configuration,
  ports: ExplainPorts,
) => Promise<{ readonly subject: string; readonly explanation: ExplainedDecision }>;

async function aboutCall(flags: Given, tool: string): Promise<Explain> {
  refuse(flags, OF_APPS, "-app");
  const { claims, arguments: given } = flags;
  if (tool === "") throw new UsageError("-tool is required: the name of a tool, as agents see it.");
  if (!claims)
    throw new UsageError("-claims is required: a file with the claims of the agent's token, one JSON object.");
  const call = {
    tool,
    claims: parsed("-claims", claims, await read(claims)),
    arguments: given ? exactly("-arguments", given, await read(given)) : {},
  };
  return async (configuration, ports) => {
    if (configuration.mcpProvider === undefined)
      throw new UsageError("The configuration has no gateway: mcpProvider is not enabled.");
    return { subject: tool, explanation: await explainCall(call, configuration, ports) };
  };
}

async function aboutRequest(flags: Given): Promise<Explain> {
  refuse(flags, OF_TOOLS, "-tool");
  const { app = "", path, host, connector, claims } = flags;
  const method = (flags.method ?? "GET").toUpperCase();
  if (!path) throw new UsageError("-path is required: what is asked of the web app, as a client writes it.");
  if (!/^[A-Z][A-Z-]*$/.test(method)) throw new UsageError("-method is no method of HTTP.");
  if (connector !== undefined && !claims)
    throw new UsageError("-claims is required with -connector: what the connector says of the person.");
  const request = {
    ...{ app, method, path, host, connector },
    ...(claims && { claims: parsed("-claims", claims, await read(claims)) }),
  };
  return async (configuration, ports) => {
    const explanation = await explainRequest(request, configuration, ports);
    if (explanation !== undefined) return { subject: `${method} ${path}`, explanation };
    const names = webAppsOf(configuration).map(({ name }) => name);
    throw new UsageError(
      names.length === 0
        ? "The configuration has no web apps: apps of the type proxy."
        : `-app: there is no web app of this name; there are: ${names.join(", ")}.`,
    );
  };
}

function refuse(flags: Given, names: readonly (keyof Given)[], goesWith: string): void {
  const wrong = names.find((name) => flags[name] !== undefined);
  if (wrong !== undefined) throw new UsageError(`-${wrong} goes with ${goesWith} alone.`);
}

function lines(steps: readonly ExplainedStep[]): string {
  const width = Math.max(...steps.map(({ step }) => step.length));
  return steps.map((step) => line(step, width)).join("");
}

function line({ step, name, decision, why }: ExplainedStep, width: number): string {
  return `${step.padEnd(width)}  ${decision.padEnd("allowed".length)}  ${name === undefined ? "" : `${name}: `}${why}\n`;
}

function read(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${fileErrorReason(error)}.`);
  });
}

function parsed(flag: string, path: string, bytes: Buffer): JsonObject {
  const value = parseJsonObject(bytes);
  if (value === undefined) throw new UsageError(`${flag}: ${path} is not one JSON object.`);
  return value;
}

/** Numbers stay as they are written: some are more than a policy can read. */
function exactly(flag: string, path: string, bytes: Buffer): unknown {
  parsed(flag, path, bytes);
  return parseExact(bytes.toString());
}
