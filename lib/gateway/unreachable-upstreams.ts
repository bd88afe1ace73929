import type { UnreachableUpstream } from "../health/health.ts";
import type { Gateway } from "./gateway.ts";

/** Apps whose upstream did not answer its latest request, those of REST APIs first. */
export function unreachableUpstreams({
  upstreams,
  proxies,
}: Pick<Gateway, "upstreams" | "proxies">): readonly UnreachableUpstream[] {
  const bridges = upstreams.unreachable().map((app) => ({ app }));
  const failing = proxies.guard.states().filter(({ failures }) => failures > 0);
  return [...bridges, ...failing.map(({ app, state }) => ({ app, ...(state !== "closed" && { circuit: state }) }))];
}
