import type { Configuration } from "../config/configuration.ts";
import { createPolicies } from "../config/policy-engines.ts";
import type { WebAppConfiguration } from "../config/web-app-configuration.ts";
import { personBehind } from "../gateway/credentials/person-token.ts";
import { explainDecision, type NamedFinding } from "../gateway/decision/decide.ts";
import { askedWebRequest, webPolicySets } from "../gateway/decision/web-request.ts";
import { explainConnection, explainNobody } from "../gateway/explain/explain-account.ts";
import { explainLimits } from "../gateway/explain/explain-limits.ts";
import {
  allowed,
  denied,
  type ExplainedDecision,
  type ExplainedStep,
  explainedDecision,
} from "../gateway/explain/explanation.ts";
import {
  type ExplainPorts,
  membershipCondition,
  NO_REQUEST,
  portsWithoutStore,
} from "../gateway/explain/without-store.ts";
import { hasOtherReadings } from "../protocol/http/path-readings.ts";
import { faultSentence, type RequestTarget, readRequestTarget } from "../protocol/http/request-target.ts";
import { type ClaimedCaller, explainCaller } from "./explain-caller.ts";
import { type ExplainedHeader, explainHeaders } from "./explain-headers.ts";
import { locationText } from "./records.ts";
import { locatorOf, policyReadsPath, routeTableOf, webAppsOf } from "./web-apps.ts";
import { routeOf, type WebCaller } from "./who-asks.ts";

/** A request that somebody wants to know about. */
export interface ExplainedRequest extends ClaimedCaller {
  /** The app that it is meant for. */
  readonly app: string;
  /** In upper case. */
  readonly method: string;
  /** As a client writes it, with the query. */
  readonly path: string;
  /** With its port where it has one; absent: that of the app's first route. */
  readonly host?: string | undefined;
}

/** What would be answered to a request for a web app. */
export interface RequestExplanation extends ExplainedDecision {
  readonly app: string;
  readonly method: string;
  readonly host: string;
  /** As it would be matched and sent on; as it was given, where it is refused. */
  readonly path: string;
  /** That the upstream would get from us; empty where nobody may ask. */
  readonly headers: readonly ExplainedHeader[];
}

/**
 * What would be decided about a request for a web app, and why: as `explainCall` tells it of calls. Undefined: there is no such web app.
 *
 * Policies are asked without headers, as those of the request are not known. Who is suspended or belongs to an organization is in the
 * store, which is not looked at, and so are the paths that the instance itself serves on its host.
 */
export async function explainRequest(
  asked: ExplainedRequest,
  configuration: Configuration,
  ports: ExplainPorts,
): Promise<RequestExplanation | undefined> {
  const app = webAppsOf(configuration).find(({ name }) => name === asked.app);
  if (app === undefined) return undefined;
  const host = (asked.host ?? hostOf(app, configuration)).toLowerCase();
  const target = readRequestTarget(asked.path, host);
  const common = { app: app.name, method: asked.method, host };
  if ("fault" in target) {
    const refused = denied("path", sentencePart(faultSentence(target.fault)));
    return { ...common, path: asked.path, headers: [], ...explainedDecision([refused]) };
  }
  const { steps, headers } = await explainTarget(app, { ...asked, host }, target, configuration, ports);
  return { ...common, path: target.path, headers, ...explainedDecision([pathStep(asked, target), ...steps]) };
}

interface Steps {
  readonly steps: readonly ExplainedStep[];
  readonly headers: readonly ExplainedHeader[];
}

/** The steps behind a path that can be read in one way. */
async function explainTarget(
  app: WebAppConfiguration,
  asked: ExplainedRequest & { readonly host: string },
  target: RequestTarget,
  configuration: Configuration,
  ports: ExplainPorts,
): Promise<Steps> {
  const { method, host } = asked;
  const before = [routeStep(app, host, target, configuration)];
  const located = locatorOf(app)(target.path, method);
  const policy = located && app.policies[located.index];
  if (located === undefined || policy === undefined) {
    const none = denied("location", `no policy of ${app.name} is about ${method} ${target.path}`);
    return { steps: [...before, none], headers: [] };
  }
  before.push(locationStep(app, method, target, located));
  const { caller, step } = explainCaller(asked, app, policy, configuration, ports.clock.now());
  if (caller === undefined) return { steps: [...before, step], headers: [] };
  const http = { method, host, ...target, headers: new Headers(), isWithheld: () => false };
  const question = askedWebRequest(app, located.index, http, policyCaller(asked, caller, configuration));
  const findings = await explainDecision(question, {
    ...portsWithoutStore(configuration, ports),
    policies: createPolicies(webPolicySets([app]), ports),
    mcpProvider: configuration.mcpProvider,
    scopes: [],
  });
  const condition = membershipCondition(app, caller.principal, configuration);
  const decided = findings.flatMap((finding) => explained(finding, app, condition));
  const limits = explainLimits({ app: app.name }, caller.principal, configuration, "web");
  const { steps, headers } = explainHeaders(app, caller);
  const credential = await explainAccountOf(app, caller, configuration, ports);
  return { steps: [...before, step, ...decided, ...limits, ...credential, ...steps], headers };
}

/** What the request needs of the person's own account; nothing where nobody is asked who they are. */
async function explainAccountOf(
  app: WebAppConfiguration,
  { principal }: WebCaller,
  { oidcProvider }: Configuration,
  ports: ExplainPorts,
): Promise<readonly ExplainedStep[]> {
  const { outbound } = app;
  if (outbound === undefined || principal === undefined) return [];
  const terms = { outbound, scopes: outbound.scopes };
  const person = personBehind(principal, oidcProvider?.issuer);
  if (person === undefined) return [explainNobody(terms).step];
  return [(await explainConnection(app, terms, { person, agent: "" }, ports)).step];
}

function hostOf({ routes: [first] }: WebAppConfiguration, { publicURL }: Configuration): string {
  return first?.host ?? new URL(publicURL).host;
}

function pathStep({ path: given }: ExplainedRequest, { path, query }: RequestTarget): ExplainedStep {
  return allowed("path", given === path + query ? path : `read as ${path}`);
}

function routeStep(
  app: WebAppConfiguration,
  host: string,
  { path }: RequestTarget,
  configuration: Configuration,
): ExplainedStep {
  const found = routeTableOf(configuration).find(host, path);
  if (found === undefined) return denied("route", `no app is at ${host}${path}`);
  if (found !== app.name) return denied("route", `${host}${path} belongs to the app ${found}`);
  const route = routeOf(app, { host, path });
  const isOwnHost = host === new URL(configuration.publicURL).host;
  const condition = isOwnHost ? ", unless the path is one of this instance's own" : "";
  return allowed("route", `${route.host ?? host}${route.path}${condition}`);
}

/** Which policy it is, and the others that it goes before. */
function locationStep(
  app: WebAppConfiguration,
  method: string,
  { path }: RequestTarget,
  { index, isAmbiguous }: { readonly index: number; readonly isAmbiguous: boolean },
): ExplainedStep {
  const text = (at: number) => {
    const { location, methods } = app.policies[at] as WebAppConfiguration["policies"][number];
    return `${locationText(location)}${methods === undefined ? "" : ` (${methods.join(", ")})`}`;
  };
  const others = app.policies.flatMap((policy, at) =>
    at !== index && locatorOf({ policies: [policy] })(path, method) !== undefined ? [text(at)] : [],
  );
  const before = others.length === 0 ? "" : `, before ${others.join(" and ")}`;
  const policy = app.policies[index];
  if (policy !== undefined && policyReadsPath(policy) && hasOtherReadings(path)) {
    return denied(
      "location",
      `${text(index)}${before}, but an upstream could read another path than the policy's checks`,
    );
  }
  if (!isAmbiguous) return allowed("location", `${text(index)}${before}`);
  return denied("location", `${text(index)}${before}, but an upstream could read a path that has another policy`);
}

function policyCaller({ method, path, host }: ExplainedRequest, caller: WebCaller, { publicURL }: Configuration) {
  const { principal, attributes } = caller;
  return {
    ...{ identity: principal, attributes, request: NO_REQUEST, sessionId: undefined },
    http: { method, url: `${new URL(publicURL).protocol}//${host}${path}`, headers: new Headers() },
    // People and nobody have no token that a policy could be shown.
    isTokenUnknown: principal?.agent !== undefined,
  };
}

/** Steps by the names that an explanation gives them, where these differ. */
const NAMES: Readonly<Record<string, string>> = { locate: "app", policies: "policy" };

function explained(
  { step, part, outcome, why }: NamedFinding,
  { name }: WebAppConfiguration,
  condition: string,
): readonly ExplainedStep[] {
  // Web apps have none.
  if (step === "step-up") return [];
  const isAllowed = outcome === "allow";
  return [
    {
      step: NAMES[step] ?? step,
      ...(part !== undefined && { name: part }),
      decision: isAllowed ? "allowed" : "denied",
      why: step === "locate" ? `${name}${why}${isAllowed ? condition : ""}` : why,
    },
  ];
}

/** A sentence behind a colon. */
function sentencePart(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1, -1)}`;
}
