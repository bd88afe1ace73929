import { methodUsed, promptGot, resourceRead } from "../../../audit/event.ts";
import type { McpProxyAppConfiguration } from "../../../config/app-configuration.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { AuditedSubject } from "../../audit-call.ts";
import { decide } from "../../decision/decide.ts";
import type { DecisionPorts, PolicySubject, Refusal } from "../../decision/step.ts";
import type { ListingCaller } from "../../list-tools.ts";

/** What an agent asks an upstream for that is no tool. Names and URIs are the upstream's own. */
export interface UpstreamUse {
  readonly app: McpProxyAppConfiguration;
  readonly method: string;
  readonly params: JsonObject;
  readonly subject: UseSubject;
  /** Why nobody knows whether there is what it names: it fails for this. */
  readonly untold?: { readonly cause: unknown };
}

export type UseSubject =
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "prompt"; readonly name: string; readonly arguments: unknown }
  /** A method that is the upstream's own. */
  | { readonly kind: "method" }
  /** Nothing that has a name: lists, tasks. */
  | { readonly kind: "other" };

/** Who asks. */
export type UseCaller = ListingCaller;

/**
 * Whether a use may go out: undefined, or why not. It needs no scopes and no step-up. A policy that reads the tool of a call finds
 * none here, fails, and so denies.
 */
export function decideUse(use: UpstreamUse, caller: UseCaller, ports: DecisionPorts): Promise<Refusal | undefined> {
  return decide({ app: use.app, scopes: [], subject: policySubject(use), caller }, ports);
}

/** Those of the apps whose policies allow a list. */
export async function allowing(
  method: string,
  apps: readonly McpProxyAppConfiguration[],
  caller: UseCaller,
  ports: DecisionPorts,
): Promise<readonly McpProxyAppConfiguration[]> {
  const refusals = await Promise.all(
    apps.map((app) => decideUse({ app, method, params: {}, subject: { kind: "other" } }, caller, ports)),
  );
  return apps.filter((_, index) => refusals[index] === undefined);
}

/** What the audit record tells of a use; undefined: what reads nothing is not recorded. */
export function auditedUse({ app, method, subject }: UpstreamUse): AuditedSubject | undefined {
  if (method === "resources/read" && subject.kind === "resource")
    return { ...resourceRead(app.name, subject.uri), appConfiguration: app };
  if (method === "prompts/get" && subject.kind === "prompt")
    return { ...promptGot(app.name, subject.name), appConfiguration: app };
  if (subject.kind === "method") return { ...methodUsed(app.name, method), appConfiguration: app };
  return undefined;
}

function policySubject({ method, subject }: UpstreamUse): PolicySubject {
  if (subject.kind === "resource") return { method, resource: { uri: subject.uri } };
  if (subject.kind === "other" || subject.kind === "method") return { method };
  return { method, prompt: { params: { name: subject.name, arguments: subject.arguments ?? {} } } };
}
