import { anyOf, type Expectation } from "./expectation.ts";
import { type EndpointName, expectedAnswer } from "./reference.ts";
import type { WireRequest } from "./wire.ts";
import type { World } from "./world.ts";

/** How a request on the wire may be answered. */
export interface WireExpectation extends Expectation {
  readonly method: string;
  readonly endpoint: EndpointName | undefined;
  /** Statuses that routing may give, without an OAuth error. */
  readonly routing: ReadonlySet<number>;
  /** The HTTP server may refuse it before the product sees it: in its own words, or by closing the connection. */
  readonly isHttpDoubtful: boolean;
}

/** How the product has to answer what stands on the wire. */
export function wireExpectation(request: WireRequest, world: World): WireExpectation {
  const { method, target } = request;
  const isHttpDoubtful = !isPlainHttp(request);
  const named = endpointOf(target, world);
  if (method !== "POST" || named === undefined) {
    const routing = new Set([400, 404, 405, ...statusesOfOthers(method, target, world)]);
    const isAuthorize = target.includes("/oauth2/authorize");
    const refusals = new Set(isAuthorize ? ["400 unsupported_response_type"] : []);
    return { method, endpoint: named?.endpoint, isValid: false, refusals, routing, isHttpDoubtful };
  }
  const { endpoint, isExact } = named;
  const expectation = anyOf(
    readings(request).map((reading) => expectedAnswer({ endpoint, body: receivedBody(request), ...reading }, world)),
  );
  return { ...expectation, method, endpoint, routing: new Set(isExact ? [] : [400, 404]), isHttpDoubtful };
}

/** Of what is served beside the endpoints: CORS answers a preflight, which has no content, and the root leads to the Console. */
function statusesOfOthers(method: string, target: string, { issuer }: World): readonly number[] {
  if (method === "OPTIONS") return [204];
  const url = URL.parse(target.startsWith("/") ? issuer + target : target);
  return ["GET", "HEAD"].includes(method) && url?.pathname === "/" ? [302] : [];
}

/** A body ends where its declared length says. */
function receivedBody({ body, framing }: WireRequest): Buffer {
  const isShorter = framing.kind === "declared" && /^\d+$/.test(framing.length) && Number(framing.length) < body.length;
  return isShorter ? body.subarray(0, Number(framing.length)) : body;
}

/** What repeated headers can be read as: the first, the last, or all joined. */
function readings({ headers }: WireRequest) {
  const valuesOf = (wanted: string): readonly (string | undefined)[] => {
    const values = headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value.trim());
    return values.length < 2 ? values : [values[0], values.at(-1), values.join(", ")];
  };
  const types = valuesOf("content-type");
  // An empty header holds no credentials; whether it is there at all is up to the server.
  const authorizations = valuesOf("authorization").flatMap((value) => (value === "" ? ["", undefined] : [value]));
  return orAbsent(types).flatMap((contentType) =>
    orAbsent(authorizations).map((authorization) => ({ contentType, authorization })),
  );
}

function orAbsent(values: readonly (string | undefined)[]): readonly (string | undefined)[] {
  return values.length === 0 ? [undefined] : values;
}

function endpointOf(target: string, { issuer }: World): { endpoint: EndpointName; isExact: boolean } | undefined {
  const path = target.replace(/[?#].*$/s, "");
  const exact = /^\/oauth2\/(token|introspect|revoke)$/.exec(path)?.[1];
  if (exact !== undefined) return { endpoint: exact as EndpointName, isExact: true };
  const plain = path.replace(issuer, "").replace(/%6f/i, "o").replace(/\\/g, "/");
  const loose =
    /^\/+(?:\.\/|%2e%2e\/|oauth2\/\.\.\/)*oauth2\/+(token|introspect|revoke)\/*(?:\.)?(?:%00|%2f|;x|%|%ff)?$/i.exec(
      plain,
    )?.[1];
  return loose === undefined ? undefined : { endpoint: loose.toLowerCase() as EndpointName, isExact: false };
}

/** Whether every HTTP server has to accept the request as HTTP, in size too. */
function isPlainHttp({ method, target, headers, framing, body }: WireRequest): boolean {
  const size = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, target.length);
  return (
    ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "POST"].includes(method) &&
    /^\/[\w.~!$&'()*+,;=:@/?%-]*$/.test(target) &&
    size < 14_000 &&
    framing.kind !== "declared" &&
    body.length < 4_000_000 &&
    headers.every(([name, value]) => /^[\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) &&
    !headers.some(([name]) => /^(host|content-length|transfer-encoding|connection|upgrade|expect)$/i.test(name))
  );
}
