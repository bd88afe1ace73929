import type { WireRequest } from "./wire.ts";

/** Requests that are sent to find a smaller one. */
const ATTEMPTS = 200;

/** A smaller request that fails as well: without headers and parameters that do not matter, and with shorter values. */
export async function minimize(
  request: WireRequest,
  fails: (smaller: WireRequest) => Promise<boolean>,
): Promise<WireRequest> {
  let smallest = request;
  let attempts = ATTEMPTS;
  for (let hasShrunk = true; hasShrunk && attempts > 0; ) {
    hasShrunk = false;
    for (const candidate of smallerThan(smallest)) {
      if (attempts-- <= 0) break;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      hasShrunk = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(request: WireRequest): Generator<WireRequest> {
  const { headers, framing, body } = request;
  for (let at = 0; at < headers.length; at++) yield { ...request, headers: headers.filter((_, index) => index !== at) };
  if (framing.kind === "chunked") yield { ...request, framing: { kind: "length" } };
  const pairs = body.toString("latin1").split("&");
  const withPairs = (changed: readonly string[]) => ({ ...request, body: Buffer.from(changed.join("&"), "latin1") });
  for (let at = 0; at < pairs.length; at++) yield withPairs(pairs.filter((_, index) => index !== at));
  for (const [at, pair] of pairs.entries()) {
    const equals = pair.indexOf("=") + 1;
    const half = equals + Math.floor((pair.length - equals) / 2);
    if (half < pair.length) yield withPairs(pairs.map((other, index) => (index === at ? pair.slice(0, half) : other)));
  }
}
