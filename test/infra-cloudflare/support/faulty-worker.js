import { env as variables } from "cloudflare:workers";
import artifact from "countersign:configuration";
import { REDELIVERY_DELAY } from "../../../infra/cloudflare/alarm.ts";
import { AuditShard as ProductAuditShard } from "../../../infra/cloudflare/audit-shard.ts";
import { worker } from "../../../infra/cloudflare/handler.ts";
import { McpSession as ProductMcpSession } from "../../../infra/cloudflare/mcp-session.ts";
import { Registry as ProductRegistry } from "../../../infra/cloudflare/registry.ts";
import { cloudflareStores } from "../../../infra/cloudflare/stores.ts";
import { TokenShard as ProductTokenShard } from "../../../infra/cloudflare/token-shard.ts";
import { UpstreamCall } from "../../../infra/cloudflare/upstream-call.ts";
import { systemClock } from "../../../lib/kernel/clock.ts";

export { UpstreamCall };

/**
 * The product, whose calls between isolates, objects and KV are counted and fail on demand. Everything of one workerd
 * shares these. `faulty.ts` says what a fault is.
 */
let faults = [];
let calls = [];
let statements = [];

/** How much the clock of everything in this workerd is ahead, milliseconds. */
let ahead = 0;
const realNow = Date.now;
Date.now = () => realNow() + ahead;

export class Registry extends ProductRegistry {
  constructor(context, env) {
    super(counting(context, "Registry"), faulty(env, "object"));
  }
}

export class TokenShard extends ProductTokenShard {
  constructor(context, env) {
    super(counting(context, "TokenShard"), faulty(env, "object"));
  }

  /** The object ends after its work is durable and before anybody learns of it. */
  async issue(request) {
    const result = await super.issue(request);
    if (faultOf("object", "TOKEN_SHARDS", undefined, "issue", "end") === undefined) return result;
    await this.ctx.storage.sync();
    this.ctx.abort("ended by the test");
    return result;
  }
}

export class AuditShard extends ProductAuditShard {
  constructor(context, env) {
    super(counting(context, "AuditShard"), faulty(env, "object"));
  }
}

export class McpSession extends ProductMcpSession {
  constructor(context, env) {
    super(counting(context, "McpSession"), faulty(env, "object"));
  }
}

/** By the name of an isolate: what one isolate of the product keeps in memory. */
const isolates = new Map();

function isolateOf(name, env) {
  const known = isolates.get(name);
  if (known !== undefined) return known;
  const faultyEnv = faulty(env, "worker");
  const isolate = { env: faultyEnv, product: worker(artifact), stores: cloudflareStores(faultyEnv, systemClock) };
  isolates.set(name, isolate);
  return isolate;
}

/**
 * `POST /~faults` sets the faults; `POST /~clock` says what time it is; `POST /~counted` answers what was counted since it was last asked;
 * `POST /~stores/<isolate>/<port>/<method>` calls a port; every other request is the product's, in the isolate that the
 * header `X-Isolate` names.
 */
export default {
  async fetch(request, env, context) {
    const [, first, name, port, method] = new URL(request.url).pathname.split("/");
    switch (first) {
      case "~faults":
        faults = await request.json();
        return Response.json({ value: null });
      case "~clock":
        ahead = (await request.json()) - realNow();
        return Response.json({ value: null });
      case "~counted":
        return Response.json(counted());
      case "~stores":
        return callPort(isolateOf(name, env).stores[port], method, await request.json());
      default: {
        const isolate = isolateOf(request.headers.get("X-Isolate") ?? "one", env);
        return isolate.product.fetch(request, isolate.env, context);
      }
    }
  },
};

async function callPort(port, method, parameters) {
  try {
    // JSON has no undefined, and no operation takes null.
    const given = parameters.map((parameter) => parameter ?? undefined);
    return Response.json({ value: await port[method](...given) });
  } catch (error) {
    return Response.json({ error: String(error) }, { status: 500 });
  }
}

function counted() {
  const rows = {};
  for (const { label, written } of statements) rows[label] = (rows[label] ?? 0) + written();
  const answer = { calls, rows };
  calls = [];
  statements = [];
  return answer;
}

function faulty(env, from) {
  const namespace = (binding) => ({
    getByName: (name, options) => watched(env[binding].getByName(name, options), from, binding, name),
  });
  return {
    ...env,
    REGISTRY: namespace("REGISTRY"),
    TOKEN_SHARDS: namespace("TOKEN_SHARDS"),
    AUDIT_SHARDS: namespace("AUDIT_SHARDS"),
    MCP_SESSIONS: namespace("MCP_SESSIONS"),
    CLIENTS: watched(env.CLIENTS, from, "CLIENTS"),
  };
}

function watched(target, from, binding, name) {
  return new Proxy(target, {
    get: (_target, method) => {
      if (typeof method === "symbol" || method === "then") return undefined;
      return async (...parameters) => {
        calls.push(`${binding}.${method}`);
        const fault = faultOf(from, binding, name, method, undefined);
        if (fault === undefined) return target[method](...parameters);
        if (fault.how === "stand") await target[method](...parameters);
        if (fault.how === "hang" || fault.how === "stand") return new Promise(() => undefined);
        if (fault.how === "late") {
          const answer = await target[method](...parameters);
          // By a look now and then: a promise that another request settles would end this one.
          while (faults.includes(fault)) await new Promise((resolve) => setTimeout(resolve, 10));
          return answer;
        }
        if (fault.how === "lose") await target[method](...parameters);
        throw Object.assign(new Error(fault.message ?? "a fault of the test"), fault.error);
      };
    },
  });
}

/** The fault that a call meets, counted down. */
function faultOf(from, binding, name, method, how) {
  const fault = faults.find(
    (candidate) =>
      candidate.times !== 0 &&
      (candidate.how === "end" ? "end" : undefined) === how &&
      candidate.binding === binding &&
      candidate.method === method &&
      (candidate.from ?? from) === from &&
      (candidate.name ?? name) === name,
  );
  if (fault?.times !== undefined) fault.times -= 1;
  return fault;
}

/** Counts the rows that statements and alarms of an object write, as they are billed. */
function counting(context, object) {
  const { storage } = context;
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  const setAlarm = storage.setAlarm.bind(storage);
  Object.defineProperty(sql, "exec", {
    value: (statement, ...parameters) => {
      const cursor = exec(statement, ...parameters);
      const label = `${object}: ${statement.trim().split(/\s+/).slice(0, 3).join(" ")}`;
      statements.push({ label, written: () => cursor.rowsWritten });
      return cursor;
    },
  });
  Object.defineProperty(storage, "setAlarm", {
    value: (time, ...parameters) => {
      statements.push({ label: `${object}: setAlarm`, written: () => 1 });
      return setAlarm(soonerOf(time), ...parameters);
    },
  });
  return context;
}

/** An alarm that delivers again rings after `TEST_REDELIVERY_DELAY` milliseconds, where the test gives it. */
function soonerOf(time) {
  const wait = time - Date.now();
  const isRedelivery = wait <= REDELIVERY_DELAY && variables.TEST_REDELIVERY_DELAY !== undefined;
  return isRedelivery ? Date.now() + Number(variables.TEST_REDELIVERY_DELAY) : time;
}
