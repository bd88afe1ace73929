import { readFileSync } from "node:fs";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { artifactProblem } from "../../lib/config/artifact-check.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import type { Configuration, Runtime } from "../../lib/config/configuration.ts";
import { ConfigurationError, type ConfigurationMessage, formatMessage } from "../../lib/config/messages.ts";
import type { RegoCompiler } from "../../lib/config/policy-plans.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";

/** One operation, `getThing`, and a server. */
export const OPENAPI = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Things", version: "1" },
  servers: [{ url: "https://things.example/v1" }],
  paths: { "/things": { get: { operationId: "getThing", responses: { 200: { description: "A thing" } } } } },
});

const PLAN = JSON.parse(readFileSync(new URL("../../examples/policies/payments.plan", import.meta.url), "utf8"));

/**
 * Stands in for OPA's command, which is not on every machine: whatever is written becomes the plan of `examples/policies`, beside
 * the module as it is written. `test/policy/rego-compiler.slow.test.ts` is about the command.
 */
export const REGO: RegoCompiler = {
  module: async (text) => ({ plan: PLAN, data: {}, modules: [text] }),
  file: async (path) => ({ plan: PLAN, data: {}, modules: [path] }),
  bundle: async () => ({ plan: PLAN, data: {}, modules: [] }),
  data: async () => ({ limit: 1_000 }),
};

/** Compiles with every OpenAPI URI answered by `OPENAPI`. */
export function compile(text: string) {
  return compileConfiguration(text, { file: "countersign.yaml", readDocument: async () => OPENAPI, rego: REGO });
}

export async function compiled(text: string): Promise<ConfigurationArtifact> {
  const result = await compile(text);
  if ("errors" in result) throw new ConfigurationError(result.errors);
  // As the edge sees it: the artifact is read from a file.
  const artifact = JSON.parse(JSON.stringify(result.artifact));
  const problem = artifactProblem(artifact);
  if (problem !== undefined) throw new Error(`what is compiled cannot be published: ${problem}`);
  return artifact;
}

/** The mistakes of a document, as `line:column: path: message`. */
export async function mistakes(text: string): Promise<readonly string[]> {
  const result = await compile(text);
  return "errors" in result ? result.errors.map(short) : [];
}

export interface ResolveInput {
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables behind `env://S_`. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly runtime?: Runtime;
}

export async function resolved(text: string, input: ResolveInput = {}) {
  return resolveConfiguration(await compiled(text), {
    environment: input.environment ?? {},
    secrets: environmentSecrets(input.secrets ?? {})("env://S_"),
    runtime: input.runtime ?? "node",
  });
}

export async function configurationOf(text: string, input: ResolveInput = {}): Promise<Configuration> {
  return (await resolved(text, input)).configuration;
}

/** What is said about a document that starts, as `path: message`. */
export async function warningsOf(text: string, input: ResolveInput = {}): Promise<readonly string[]> {
  const { warnings } = await resolved(text, input);
  return warnings.map(({ path, message }) => `${path}: ${message}`);
}

/** The mistakes that only the second half of loading sees. */
export async function startMistakes(text: string, input: ResolveInput = {}): Promise<readonly string[]> {
  const artifact = await compiled(text);
  try {
    await resolveConfiguration(artifact, {
      environment: input.environment ?? {},
      secrets: environmentSecrets(input.secrets ?? {})("env://S_"),
      runtime: input.runtime ?? "node",
    });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.messages.map(short);
    throw error;
  }
}

function short(message: ConfigurationMessage): string {
  return formatMessage(message).replace("countersign.yaml:", "");
}
