import { AuditShard } from "../../../infra/cloudflare/audit-shard.ts";
import { forward } from "../../../infra/cloudflare/forward.ts";
import { McpSession } from "../../../infra/cloudflare/mcp-session.ts";
import { Registry } from "../../../infra/cloudflare/registry.ts";
import { TokenShard } from "../../../infra/cloudflare/token-shard.ts";
import { UpstreamCall } from "../../../infra/cloudflare/upstream-call.ts";

export { AuditShard, McpSession, Registry, TokenShard, UpstreamCall };

/** Carries every request to the upstream of its environment; `X-Wrap` puts a stream of JavaScript around both bodies. */
export default {
  async fetch(request, { UPSTREAM_URL: origin }) {
    const headers = new Headers(request.headers);
    headers.delete("host");
    const isWrapped = headers.get("x-wrap") !== null;
    const declared = headers.get("content-length");
    const around = (body) => (isWrapped && body !== null ? body.pipeThrough(new TransformStream()) : body);
    const asked = {
      method: request.method,
      origin,
      path: request.url.replace(/^[a-z]+:\/\/[^/]*/, ""),
      headers,
      body: around(request.body),
      signal: request.signal,
      ...(declared !== null && { length: Number(declared) }),
    };
    try {
      const { status, headers: answered, body } = await forward(asked, request);
      return new Response(around(body), { status, headers: answered });
    } catch (error) {
      return new Response(`${error.name}: ${error.message}`, { status: 502 });
    }
  },
};
