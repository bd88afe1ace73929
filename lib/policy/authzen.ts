import type { Clock } from "../kernel/clock.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { fetchJson } from "../protocol/http/fetch-json.ts";
import {
  type AccessApproval,
  type AccessEndpoints,
  type AccessExchange,
  type AccessRequests,
  accessDenial,
  accessUntil,
  presenting,
  submitRequest,
  type TaskAnswer,
  taskStatus,
} from "./access-request.ts";
import {
  type KnownExpressions,
  knownExpressions,
  type MappedRequest,
  MappingError,
  mappedRequest,
} from "./declared-mapping.ts";
import {
  ALLOWED,
  DENIED,
  type Decision,
  failed,
  type McpRequestInput,
  type PolicyInput,
  type RemotePolicy,
  withoutAttributes,
} from "./policy.ts";

/**
 * Which of a request a decision point is told: `default` sends no arguments, `full` also the whole policy input, `declared` what the tool's
 * own mapping says, where it has one.
 */
export const AUTHZEN_MAPPINGS = ["default", "full", "declared"] as const;

export interface AuthzenOptions {
  readonly name: string;
  /** The decision point's identifier: an URL without query (AuthZEN 1.0, Policy Decision Point Metadata). */
  readonly pdp: string;
  /** Sent to the decision point as a bearer token. */
  readonly token?: string;
  /** Milliseconds of one exchange, the answer's body included. */
  readonly timeout: number;
  readonly mapping: (typeof AUTHZEN_MAPPINGS)[number];
  readonly list: boolean;
  /** Denials of calls may be requestable (Access Request and Approval Profile, draft 1). Absent: they are not. */
  readonly accessRequests?: boolean;
}

export interface AuthzenPorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/** What an agent may be told by a decision point, characters. */
const MESSAGE_LIMIT = 1_000;
/** How long the endpoints that a decision point names are used, milliseconds. */
const METADATA_LIFETIME = 10 * 60_000;

/**
 * A policy decision point that speaks the AuthZEN Authorization API 1.0. Requests are mapped as the default mapping of COAZ-MCP
 * (draft 1) says, with the app beside the resource. Whatever is no `decision: true` denies.
 */
export function createAuthzenPolicy(options: AuthzenOptions, ports: AuthzenPorts): RemotePolicy {
  const endpoints = pointEndpoints(options, ports);
  const known = knownExpressions();
  const post = (url: string, body: JsonObject) =>
    exchange(options, ports, url, { method: "POST", body: JSON.stringify(body) });
  return {
    cost: "remote",
    name: options.name,
    decidesOnListing: options.list,
    seesToken: false,
    ...(options.accessRequests === true && { accessRequests: accessRequestsOf(options, ports, endpoints) }),
    decide: async (input, approval) => {
      const question = declaredQuestion(input, options, known) ?? questionOf(input, options);
      if ("outcome" in question) return question;
      const at = await endpoints();
      if ("outcome" in at) return at;
      const { api = "evaluation" } = question;
      const asked = options.accessRequests === true ? presenting(question.asked, approval) : question.asked;
      const answer = await post(at[api], asked);
      if ("outcome" in answer) return answer;
      if (api === "evaluations") return allOf(answer.body, asked);
      const isRequestable = options.accessRequests === true && input.request.mcp?.method === "tools/call";
      const decision = decisionOf(answer.body);
      return isRequestable ? requestable(decision, answer.body, { asked, approval, at, options, ports }) : decision;
    },
    list: async (input) => {
      const questions = listQuestions(input, options);
      if ("outcome" in questions) return questions;
      const at = await endpoints();
      if ("outcome" in at) return at;
      const answer = await post(at.evaluations, questions.asked);
      return "outcome" in answer ? answer : listedOf(answer.body, input.request.mcp?.tools ?? []);
    },
  };
}

/** What an evaluation of a policy with access requests was. */
interface Evaluated {
  readonly asked: JsonObject;
  readonly approval: AccessApproval | undefined;
  readonly at: Endpoints;
  readonly options: AuthzenOptions;
  readonly ports: AuthzenPorts;
}

function requestable(decision: Decision, { context }: JsonObject, evaluated: Evaluated): Decision {
  const { asked, approval, at, options, ports } = evaluated;
  const now = ports.clock.now();
  if (decision.outcome === "allowed") {
    if (approval === undefined) return decision;
    const until = accessUntil(context, approval);
    return until <= now ? failed("approval_expired") : { ...decision, until };
  }
  if (decision.outcome === "failed") return decision;
  const trusted = (url: unknown) => trustedURL(url, options.pdp, at);
  return { ...decision, access: accessDenial(context, asked, approval !== undefined, trusted, at, now) };
}

function accessRequestsOf(
  options: AuthzenOptions,
  { fetch, clock }: AuthzenPorts,
  endpoints: () => Promise<Endpoints | Decision>,
): AccessRequests {
  const { pdp, token, timeout, mapping } = options;
  const headers = authorizationOf(token);
  const exchanged = async (ask: (exchange: AccessExchange) => Promise<TaskAnswer>): Promise<TaskAnswer> => {
    const at = await endpoints();
    if ("outcome" in at) return { outcome: "unavailable", failure: at.outcome === "failed" ? at.failure : at.outcome };
    const trusted = (url: unknown) => trustedURL(url, pdp, at);
    return ask({ fetch, headers, timeout, now: clock.now, trusted });
  };
  return {
    pdp,
    seesArguments: mapping !== "default",
    // The metadata are read before.
    longest: 2 * timeout,
    submit: (request) => exchanged((exchange) => submitRequest(request, exchange)),
    status: (task) => exchanged((exchange) => taskStatus(task, exchange)),
  };
}

/**
 * An URL that a denial or a task names, where its host is one that the operator or the decision point's metadata named: no other one gets
 * the token, or learns of people (Access Request and Approval Profile, Trusting URLs from the Requestable Denial).
 */
function trustedURL(value: unknown, pdp: string, { accessRequest }: AccessEndpoints): string | undefined {
  const url = endpointOf(value, pdp);
  const hosts = [pdp, ...(accessRequest === undefined ? [] : [accessRequest])];
  return url !== undefined && hosts.some((host) => new URL(host).origin === new URL(url).origin) ? url : undefined;
}

interface Endpoints extends AccessEndpoints {
  readonly evaluation: string;
  readonly evaluations: string;
}

/**
 * The endpoints of the decision point: those of its metadata, else the default paths. A document that belongs to another
 * decision point is not used (mix-up; AuthZEN 1.0, Policy Decision Point Metadata Validation).
 */
function pointEndpoints(options: AuthzenOptions, ports: AuthzenPorts): () => Promise<Endpoints | Decision> {
  let known: { readonly endpoints: Endpoints; readonly at: number } | undefined;
  return async () => {
    const now = ports.clock.now();
    if (known !== undefined && Math.abs(now - known.at) < METADATA_LIFETIME) return known.endpoints;
    const found = await discover(options, ports);
    if ("outcome" in found) return known?.endpoints ?? found;
    known = { endpoints: found, at: now };
    return found;
  };
}

async function discover(options: AuthzenOptions, ports: AuthzenPorts): Promise<Endpoints | Decision> {
  const base = options.pdp.replace(/\/+$/, "");
  const defaults = { evaluation: `${base}/access/v1/evaluation`, evaluations: `${base}/access/v1/evaluations` };
  const { origin, pathname } = new URL(base);
  const path = pathname === "/" ? "" : pathname;
  const answer = await exchange(options, ports, `${origin}/.well-known/authzen-configuration${path}`, {}, [404, 405]);
  if ("outcome" in answer) return answer;
  if (answer.status !== 200) return defaults;
  const metadata = answer.body;
  if (metadata.policy_decision_point !== options.pdp) return failed("metadata_of_another");
  const evaluation = endpointOf(metadata.access_evaluation_endpoint, options.pdp);
  const evaluations = endpointOf(metadata.access_evaluations_endpoint ?? defaults.evaluations, options.pdp);
  if (evaluation === undefined || evaluations === undefined) return failed("malformed_metadata");
  return { evaluation, evaluations, accessRequest: endpointOf(metadata.access_request_endpoint, options.pdp) };
}

/** An endpoint of the metadata; what is asked about people never leaves TLS for it. */
function endpointOf(value: unknown, pdp: string): string | undefined {
  if (typeof value !== "string" || !URL.canParse(value)) return undefined;
  const { protocol } = new URL(value);
  return protocol === "https:" || protocol === new URL(pdp).protocol ? value : undefined;
}

/** @param accepted statuses that are an answer, beside 200 */
async function exchange(
  { timeout, token }: AuthzenOptions,
  { fetch }: AuthzenPorts,
  url: string,
  request: { readonly method?: string; readonly body?: string },
  accepted: readonly number[] = [],
): Promise<{ readonly status: number; readonly body: JsonObject } | Decision> {
  try {
    const headers = {
      ...(request.body !== undefined && { "content-type": "application/json" }),
      ...authorizationOf(token),
    };
    const { status, body } = await fetchJson(fetch, url, { ...request, headers, timeout });
    if (accepted.includes(status)) return { status, body: {} };
    if (status !== 200) return failed(`status_${status}`);
    return body === undefined ? failed("malformed_answer") : { status, body };
  } catch (cause) {
    return failed(cause instanceof Error && cause.name === "TimeoutError" ? "timeout" : "unreachable");
  }
}

function authorizationOf(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** A part of a request to the decision point, or a decision where nothing can be asked. */
type Question = { readonly asked: JsonObject; readonly api?: MappedRequest["api"] } | Decision;

/**
 * What the tool's own mapping asks. Undefined: it declares none, or mappings of tools do not count; then the default one does. It is that of
 * the version of the tool that was approved: the app pins its tools.
 */
function declaredQuestion(
  input: PolicyInput,
  { mapping }: AuthzenOptions,
  known: KnownExpressions,
): Question | undefined {
  const { mcp } = input.request;
  const declared = input.declaredMapping?.();
  if (mapping !== "declared" || mcp?.method !== "tools/call" || mcp.tool === undefined || declared === undefined)
    return undefined;
  const subject = input.token.claims.sub ?? input.user.sub;
  if (typeof subject !== "string") return failed("no_subject");
  const params = { name: mcp.tool.params.name, arguments: mcp.tool.params.arguments ?? {} };
  try {
    const { clientID } = input.agent;
    const asked = mappedRequest(declared, { params, token: input.token.claims, subject, agent: clientID }, known);
    return { asked: asked.body, api: asked.api };
  } catch (cause) {
    if (cause instanceof MappingError) return failed("mapping_error");
    throw cause;
  }
}

/** The request of the Access Evaluation API. */
function questionOf(input: PolicyInput, options: AuthzenOptions): Question {
  const who = subjectOf(input, options);
  const what = targetOf(input);
  if ("outcome" in who) return who;
  return "outcome" in what ? what : { asked: { ...who.asked, ...what.asked } };
}

/** The request of the Access Evaluations API: what a call of each tool would be asked as. */
function listQuestions(input: PolicyInput, options: AuthzenOptions): Question {
  const who = subjectOf(input, options);
  if ("outcome" in who) return who;
  const { app = "", tools = [] } = input.request.mcp ?? {};
  const evaluations = tools.map(({ params }) => ({ resource: resourceOf("tool", params.name, app) }));
  const how = { evaluations_semantic: "execute_all" };
  return { asked: { ...who.asked, action: { name: "tools/call" }, evaluations, options: how } };
}

/** Who asks, and by which agent: `subject.id` is the token's own `sub`, and nothing that a client or server may choose. */
function subjectOf(input: PolicyInput, { mapping }: AuthzenOptions): Question {
  const id = input.token.claims.sub ?? input.user.sub;
  if (typeof id !== "string") return failed("no_subject");
  const { clientID } = input.agent;
  const context = {
    ...(clientID !== undefined && { agent: clientID }),
    ...(mapping === "full" && { countersign: withoutAttributes(input) }),
  };
  return { asked: { subject: { type: "identity", id }, context } };
}

/** What is asked for; a request for a web app has no mapping of COAZ-MCP: its action is the method, its resource the path. */
function targetOf({ request, token }: PolicyInput): Question {
  const { mcp, http } = request;
  if (mcp === undefined) {
    const properties = { host: http.host };
    return asking(http.method, { type: "route", id: http.path, properties });
  }
  const { method, app } = mcp;
  const item = itemOf(mcp);
  if (item !== undefined) return asking(method, resourceOf(item.type, item.id, app));
  if (!WHOLE_SERVER.has(method)) return DENIED;
  const audience = serverOf(token.claims.aud);
  if (audience === undefined) return failed("no_audience");
  return asking(method, resourceOf("mcp_server", audience, app));
}

function asking(name: unknown, resource: JsonObject): Question {
  return { asked: { action: { name }, resource } };
}

/** Methods that are about the whole server. Others without an item are unknown to the mapping, and denied (COAZ-MCP, Unknown Methods). */
const WHOLE_SERVER: ReadonlySet<string> = new Set([
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
]);

function itemOf({
  tool,
  resource,
  prompt,
}: McpRequestInput): { readonly type: string; readonly id: string } | undefined {
  if (tool !== undefined) return { type: "tool", id: tool.params.name };
  if (resource !== undefined) return { type: "resource", id: resource.uri };
  return prompt && { type: "prompt", id: prompt.params.name };
}

/** Two apps may have a tool of one name, and one decision point. */
function resourceOf(type: string, id: string, app: string): JsonObject {
  return { type, id, properties: { app } };
}

/** The one audience of the token; of several it does not tell which is this server. */
function serverOf(audience: unknown): string | undefined {
  const all = Array.isArray(audience) ? audience : [audience];
  return all.length === 1 && typeof all[0] === "string" ? all[0] : undefined;
}

function decisionOf({ decision, context }: JsonObject): Decision {
  if (typeof decision !== "boolean") return failed("malformed_answer");
  if (decision) return ALLOWED;
  const message = reasonOf(context);
  return message === undefined ? DENIED : { outcome: "denied", message };
}

/** Every decision that a mapping needs is there, and allows. */
function allOf({ evaluations }: JsonObject, asked: JsonObject): Decision {
  const count = Array.isArray(asked.evaluations) ? asked.evaluations.length : 0;
  if (!Array.isArray(evaluations) || evaluations.length !== count) return failed("malformed_answer");
  const decisions = evaluations.map((answer) =>
    isJsonObject(answer) ? decisionOf(answer) : failed("malformed_answer"),
  );
  return decisions.find(({ outcome }) => outcome !== "allowed") ?? ALLOWED;
}

/** `context.reason_user`: text, or texts by a code or language, of which the first is taken (AuthZEN 1.0, Decision Context). */
function reasonOf(context: unknown): string | undefined {
  const reason = isJsonObject(context) ? context.reason_user : undefined;
  const [text] = (isJsonObject(reason) ? Object.values(reason) : [reason]).filter((value) => typeof value === "string");
  return text === undefined || text === "" ? undefined : text.slice(0, MESSAGE_LIMIT);
}

/** Decisions stand in the order of the questions; an answer with another number of them decides nothing. */
function listedOf(
  { evaluations }: JsonObject,
  tools: NonNullable<McpRequestInput["tools"]>,
): Decision | ReadonlySet<string> {
  if (!Array.isArray(evaluations) || evaluations.length !== tools.length) return failed("malformed_answer");
  const decisions = evaluations.map((answer) => (isJsonObject(answer) ? answer.decision : undefined));
  if (!decisions.every((decision) => typeof decision === "boolean")) return failed("malformed_answer");
  return new Set(tools.flatMap(({ params }, index) => (decisions[index] === true ? [params.name] : [])));
}
