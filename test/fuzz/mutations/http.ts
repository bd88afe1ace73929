import { RESOURCE_SERVER } from "../../behaviour/configuration.ts";
import { basic } from "../../behaviour/fixture.ts";
import type { Mutation } from "../draft.ts";
import type { WireRequest } from "../wire.ts";

/** Changes of the request around the body. */
export const httpMutations: readonly Mutation<WireRequest>[] = [
  (request, { prng }) => ({
    ...request,
    framing: { kind: "chunked", size: chunkSize(request, prng.pick([1, 7, 1_000])) },
  }),
  (request, { prng }) => ({
    ...request,
    target:
      request.target +
      prng.pick(["?", "?x=y", "?client_assertion=x", `?token=${prng.text(40)}`, `?${"a".repeat(7_000)}`]),
  }),
  (request, { prng }) => ({
    ...request,
    target: request.target + prng.pick(["/", "//", "%2f", "%00", ";x", "/..", "/.", "%", "%ff", "\\"]),
  }),
  (request, { prng }) => ({ ...request, target: prng.pick(ODD_TARGETS) }),
  (request) => ({ ...request, target: request.target.toUpperCase() }),
  (request) => ({ ...request, target: request.target.replace("oauth2", "%6fauth2") }),
  (request, { world }) => ({ ...request, target: world.issuer + request.target }),
  (request, { prng }) => ({ ...request, method: prng.pick(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) }),
  (request, { prng }) => ({
    ...request,
    method: prng.pick(["TRACE", "post", "POSTX", "PROPFIND", "QUERY"]),
  }),
  (request, { prng }) => withHeader(request, "Content-Type", prng.pick(TYPES)),
  (request) => withoutHeader(request, "Content-Type"),
  (request, { prng }) => ({ ...request, headers: [...request.headers, ["Content-Type", prng.pick(TYPES)]] }),
  (request, { prng }) =>
    withHeader(
      request,
      "Authorization",
      prng.pick([
        basic(RESOURCE_SERVER).Authorization ?? "",
        `Basic ${btoa(prng.text(30))}`,
        `Bearer ${prng.text(40)}`,
      ]),
    ),
  (request, { prng }) =>
    withHeader(
      request,
      "Authorization",
      prng.pick([
        "Basic",
        "Basic ",
        "Basic !",
        "Basic Og==",
        "Basic %%%",
        "",
        "x",
        "\u00e9",
        `Basic ${"A".repeat(6_000)}`,
      ]),
    ),
  (request, { prng }) => ({
    ...withBasicOnly(request),
    headers: [
      ...request.headers,
      ["Authorization", prng.pick([basic(RESOURCE_SERVER).Authorization ?? "", `basic ${btoa("a:%zz")}`])],
    ],
  }),
  (request, { prng }) =>
    withHeader(
      request,
      "X-Request-Id",
      prng.pick(["x".repeat(2_000), "\u00e9\u00ff", "{}", "\t", '"\\u0000', "a b,c"]),
    ),
  (request, { prng }) =>
    withHeader(
      request,
      prng.pick([
        "Origin",
        "Referer",
        "Cookie",
        "Forwarded",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "CF-Connecting-IP",
        "X-HTTP-Method-Override",
        "Accept",
        "Accept-Encoding",
        "Content-Encoding",
        "If-None-Match",
        "Range",
        "Via",
        "Upgrade-Insecure-Requests",
      ]),
      prng.pick(["null", "*", "gzip", "GET", "::1", "x".repeat(3_000), "\u00ff", "a=b; a=c", ""]),
    ),
  (request, { prng }) => ({
    ...request,
    headers: [
      ...request.headers,
      ...Array.from({ length: prng.pick([10, 90]) }, () => [`X-${prng.text(6)}`, prng.text(9)] as const),
    ],
  }),
  (request, { prng }) => withHeader(request, `X-${prng.text(3)}`, "x".repeat(prng.pick([5_000, 20_000, 100_000]))),
  (request) => withHeader(request, "Expect", "100-continue"),
  (request, { prng }) =>
    withHeader(
      request,
      prng.pick(["Bad Header", "x\0", "", ":", "(x)", "X-Null"]),
      prng.pick(["\0", "\u0001", "a\nb", "x"]),
    ),
  (request, { prng }) => ({
    ...request,
    framing: { kind: "declared", length: String(Math.max(0, request.body.length - 1 - prng.int(50))) },
  }),
  (request, { prng }) => ({
    ...request,
    framing: { kind: "declared", length: String(request.body.length + 1 + prng.int(50)) },
  }),
  (request, { prng }) => ({
    ...request,
    framing: {
      kind: "declared",
      length: prng.pick(["-1", "abc", "1e3", "99999999999999999999", "9000000", "100000", "0x10", "1, 1", ""]),
    },
  }),
  (request) =>
    withHeader({ ...request, framing: { kind: "chunked", size: 10 } }, "Content-Length", String(request.body.length)),
  (request, { prng }) =>
    withHeader(request, "Transfer-Encoding", prng.pick(["chunked", "gzip, chunked", "identity", "x"])),
];

const ODD_TARGETS: readonly string[] = [
  "*",
  "/",
  "/oauth2",
  "/oauth2/../oauth2/token",
  "/./oauth2/token",
  "//oauth2/token",
  "/oauth2//token",
  "/oauth2/token/x",
  "/%2e%2e/oauth2/token",
  "http://[",
  "/\u00e9",
  "/oauth2/authorize?client_id=x",
];

const TYPES: readonly string[] = [
  "application/x-www-form-urlencoded; charset=utf-8",
  'APPLICATION/X-WWW-FORM-URLENCODED;charset="UTF-8"',
  "application/x-www-form-urlencoded; charset=latin1",
  "application/x-www-form-urlencoded; charset=utf-16",
  "application/x-www-form-urlencoded;",
  "application/x-www-form-urlencoded; boundary=x",
  "application/x-www-form-urlencoded, text/plain",
  "application/json",
  "text/plain",
  "multipart/form-data; boundary=x",
  "\u00ff",
  "",
];

function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  return { ...request, headers: [...withoutHeader(request, name).headers, [name, value]] };
}

function withoutHeader(request: WireRequest, name: string): WireRequest {
  return { ...request, headers: request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase()) };
}

/** What is left of a body when the caller authenticates by the header alone. */
function withBasicOnly(request: WireRequest): WireRequest {
  const pairs = request.body.toString("latin1").split("&");
  return { ...request, body: Buffer.from(pairs.filter((pair) => !pair.startsWith("client_")).join("&"), "latin1") };
}

/** Not so small that a large body becomes many thousands of chunks. */
function chunkSize({ body }: WireRequest, wanted: number): number {
  return Math.max(wanted, Math.ceil(body.length / 1_000));
}
