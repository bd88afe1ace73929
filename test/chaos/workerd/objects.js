import { WorkerEntrypoint } from "cloudflare:workers";
import unsafe from "workerd:unsafe";
import * as product from "./worker.js";

/**
 * The built Worker as it is, whose objects can be told to end. workerd's own eviction of idle objects comes on top.
 * Everything else goes to the product.
 */
export default product.default;

/** Ids of the objects that came to life in this process, by binding, and how often any did. */
const known = { REGISTRY: new Set(), TOKEN_SHARDS: new Set(), AUDIT_SHARDS: new Set(), MCP_SESSIONS: new Set() };
let started = 0;

function mortal(Base, binding) {
  return class extends Base {
    constructor(ctx, env) {
      super(ctx, env);
      known[binding].add(ctx.id.toString());
      started += 1;
    }
    /** As if the machine had died: requests under way fail, what was not stored is gone. */
    endAtOnce() {
      this.ctx.abort("ended by the test");
    }
    undelivered() {
      const { sql } = this.ctx.storage;
      const has = sql.exec("SELECT name FROM sqlite_schema WHERE name = 'outbox'").toArray().length === 1;
      return has ? sql.exec("SELECT COUNT(*) AS count FROM outbox").one().count : 0;
    }
  };
}

export class Registry extends mortal(product.Registry, "REGISTRY") {}
export class TokenShard extends mortal(product.TokenShard, "TOKEN_SHARDS") {}
export class AuditShard extends mortal(product.AuditShard, "AUDIT_SHARDS") {}
export class McpSession extends mortal(product.McpSession, "MCP_SESSIONS") {}
export class UpstreamCall extends product.UpstreamCall {}

/** What the driver asks for, on a socket of its own: `/<what>?pick=<0 to 1>`. */
export class Control extends WorkerEntrypoint {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const what = Object.hasOwn(ACTIONS, pathname) ? ACTIONS[pathname] : undefined;
    if (what === undefined) return new Response(null, { status: 404 });
    return Response.json({ value: await what(this.env, Number(searchParams.get("pick"))), started });
  }
}

const ACTIONS = {
  "/abort": async (env, pick) => {
    const stub = picked(env, pick);
    // The call itself fails with the object that it ends.
    await stub?.endAtOnce().catch((error) => String(error));
  },
  "/evict": async (env, pick) => {
    const stub = picked(env, pick);
    // One that has ended by itself needs no eviction.
    if (stub !== undefined) await unsafe.evict(stub).catch((error) => String(error));
  },
  "/abort-all": () => unsafe.abortAllDurableObjects(),
  "/evict-all": () => unsafe.evictAllDurableObjects(),
  "/undelivered": async (env) => {
    const stubs = Object.keys(known).flatMap((binding) => stubsOf(env, binding));
    const counts = await Promise.all(stubs.map((stub) => stub.undelivered()));
    return counts.reduce((sum, count) => sum + count, 0);
  },
  "/started": async () => undefined,
};

/** Any of the kinds first: the one registry is as likely as all token shards together. */
function picked(env, pick) {
  const bindings = Object.keys(known).filter((binding) => known[binding].size > 0);
  const place = pick * bindings.length;
  const binding = bindings[Math.floor(place)];
  if (binding === undefined) return undefined;
  const stubs = stubsOf(env, binding);
  return stubs[Math.floor((place % 1) * stubs.length)];
}

function stubsOf(env, binding) {
  return [...known[binding]].map((id) => env[binding].get(env[binding].idFromString(id)));
}
