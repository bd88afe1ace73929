import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";

type Json = Readonly<Record<string, unknown>>;

export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A decision point that denies what nobody has approved, with the service that access is requested from: made from the examples of the
 * AuthZEN Access Request and Approval Profile, draft 1, and as strict as the draft has these be.
 */
export interface AccessRequestService {
  readonly pdp: string;
  readonly token: string;
  /** Requests in order, by what they were for. */
  readonly evaluations: readonly ServedRequest[];
  readonly submissions: readonly ServedRequest[];
  readonly polls: readonly ServedRequest[];
  /** Ids of tasks, in order. */
  readonly tasks: () => readonly string[];
  /** The latest task, or the one of this id, has this status from now on. */
  decide(status: string, id?: string): void;
  /** From now on tasks have this status at once. */
  decideAtOnce(status: string | undefined): void;
  /** Members of each denial's `context`, and of its `access_request`. */
  offer(access: Json | undefined, context?: Json): void;
  /** What the decision point says where an approval is presented; undefined: as the approval has it. */
  reevaluate(answer: ((approval: Json) => Json) | undefined): void;
  /** Changes what the service answers; undefined: nothing. */
  answer(change: ((answer: Answer, request: ServedRequest) => Answer) | undefined): void;
  /** Of the metadata; by default where the service is. */
  publish(metadata: Json): void;
  stop(): Promise<void>;
}

interface Task {
  readonly id: string;
  readonly submission: Json;
  status: string;
}

const MINUTE = 60_000;

/** @param now by which everything ends */
export async function startAccessRequestService(now: () => number = Date.now): Promise<AccessRequestService> {
  const token = "of-the-gateway";
  const [evaluations, submissions, polls]: [ServedRequest[], ServedRequest[], ServedRequest[]] = [[], [], []];
  const denials = new Map<string, { readonly asked: Json; readonly denial: Json }>();
  const tasks = new Map<string, Task>();
  const byKey = new Map<string, { readonly body: Json; readonly id: string }>();
  let offered: Json | undefined;
  let more: Json = {};
  let metadata: Json = {};
  let atOnce: string | undefined;
  let reevaluated: ((approval: Json) => Json) | undefined;
  let change: ((answer: Answer, request: ServedRequest) => Answer) | undefined;
  let url = "";
  const time = (after: number) => new Date(now() + after).toISOString();

  const evaluate = (body: Json): Json => {
    const { approval, ...context } = (body.context ?? {}) as Json;
    if (approval !== undefined) {
      const { id, approved_until: until } = approval as { readonly id: string; readonly approved_until: string };
      if (reevaluated !== undefined) return reevaluated(approval as Json);
      const task = tasks.get(id.replace(/^apr/, "arq"));
      const bound = task && sameAs(task.submission, { ...body, context });
      const isApproved = task?.status === "approved" && bound && Date.parse(until) > now();
      if (isApproved && isDeepStrictEqual(approval, approvalOf(task)))
        return { decision: true, context: { approval: { id, approved_until: until } } };
    }
    const id = `eval_${denials.size}`;
    const bound = { evaluation_id: id, evaluated_at: time(0), reason: "approval_required" };
    const access = {
      ...{ template: "manager_approval", expires_at: time(10 * MINUTE), binding_token: `opaque.${id}.bound` },
      display: { title: "Request access", description: "Manager approval is required." },
      ...offered,
    };
    const { evaluation_id, evaluated_at, reason } = { ...bound, ...more } as Json;
    const { expires_at, binding_token, template } = access as Json;
    const denial = JSON.parse(
      JSON.stringify({ evaluation_id, evaluated_at, reason, expires_at, binding_token, template }),
    ) as Json;
    denials.set(id, { asked: body, denial });
    return { decision: false, context: { ...bound, access_request: access, ...more } };
  };

  const approvals = new Map<string, Json>();
  const approvalOf = ({ id }: Task): Json => {
    const made = approvals.get(id) ?? {
      ...{ id: id.replace(/^arq/, "apr"), approved_at: time(0), approved_until: time(60 * MINUTE) },
      state: { signed: `state.of.${id}`, counted: 12_345 },
    };
    approvals.set(id, made);
    return made;
  };
  const taskOf = (task: Task): Json => ({
    task: {
      ...{
        id: task.id,
        status: task.status,
        status_endpoint: `${url}/requests/${task.id}`,
        expires_at: time(MINUTE * 60),
      },
      links: { review: `${url}/review/${task.id}`, cancel: `${url}/cancel/${task.id}` },
      display: { title: "Access request submitted", description: "Your manager has been asked." },
    },
    ...(task.status === "approved" && { result: { mode: "reevaluate", approval: approvalOf(task) } }),
  });

  const submit = ({ body, headers }: ServedRequest): Answer => {
    const { denial, ...request } = body;
    const known = [...denials.values()].find((one) => isDeepStrictEqual(one.denial, denial));
    if (known === undefined || !isDeepStrictEqual(known.asked, request)) return problem(400, "invalid_denial_binding");
    if (Date.parse(String((denial as Json).expires_at)) <= now()) return problem(410, "expired_denial");
    const key = String(headers["idempotency-key"]);
    if (!/^"[\x20-\x7e]+"$/.test(key)) return problem(400, "not_requestable");
    const before = byKey.get(key);
    if (before !== undefined && !isDeepStrictEqual(before.body, body)) return problem(409, "duplicate_request");
    const id = before?.id ?? `arq_${crypto.randomUUID()}`;
    byKey.set(key, { body, id });
    const task = tasks.get(id) ?? { id, submission: request, status: atOnce ?? "pending" };
    tasks.set(id, task);
    return { status: atOnce === undefined ? 202 : 201, body: taskOf(task) };
  };

  const route = (request: ServedRequest): Answer => {
    if (request.path === "/.well-known/authzen-configuration") {
      const named = {
        ...{ policy_decision_point: url, access_evaluation_endpoint: `${url}/evaluation` },
        access_request_endpoint: `${url}/requests`,
      };
      return { status: 200, body: { ...named, ...metadata } };
    }
    if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, body: {} };
    if (request.path === "/evaluation") {
      evaluations.push(request);
      return { status: 200, body: evaluate(request.body) };
    }
    if (request.path === "/requests") {
      submissions.push(request);
      return changed(submit(request), request);
    }
    if (!request.path.startsWith("/requests/")) return { status: 404, body: {} };
    polls.push(request);
    const task = tasks.get(request.path.replace("/requests/", ""));
    return changed(task === undefined ? problem(404, "unknown_task") : { status: 200, body: taskOf(task) }, request);
  };
  const changed = (answer: Answer, request: ServedRequest) => change?.(answer, request) ?? answer;

  const server = createServer(async (incoming, response) => {
    const { method = "", url: path = "", headers } = incoming;
    const text = await textOf(incoming);
    const answer = route({ method, path, headers, body: text === "" ? {} : (JSON.parse(text) as Json) });
    const sent = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    ...{ pdp: url, token, evaluations, submissions, polls },
    tasks: () => [...tasks.keys()],
    decide: (status, id = [...tasks.keys()].at(-1) ?? "") => {
      const task = tasks.get(id);
      if (task !== undefined) task.status = status;
    },
    decideAtOnce: (status) => {
      atOnce = status;
    },
    offer: (access, context = {}) => {
      offered = access;
      more = context;
    },
    reevaluate: (answer) => {
      reevaluated = answer;
    },
    answer: (written) => {
      change = written;
    },
    publish: (written) => {
      metadata = written;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The exact-match baseline: subject, resource, action and context (Completion Semantics). */
function sameAs(bound: Json, now: Json): boolean {
  return ["subject", "resource", "action", "context"].every((name) => isDeepStrictEqual(bound[name], now[name]));
}

/** RFC 9457, as the draft's section Error Responses has them. */
function problem(status: number, name: string): Answer {
  const body = { type: `urn:openid:authzen:access-request:error:${name}`, status };
  return { status, body, headers: { "content-type": "application/problem+json" } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
