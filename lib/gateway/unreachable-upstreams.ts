import type { UnreachableUpstream } from "../health/health.ts";
import type { Gateway } from "./gateway.ts";

interface Instance extends Pick<Gateway, "upstreams"> {
  readonly proxies: Pick<Gateway["proxies"], "guard">;
}

/** Apps whose upstream did not answer its latest request, those of REST APIs first. */
export function unreachableUpstreams({ upstreams, proxies }: Instance): readonly UnreachableUpstream[] {
  const bridges = upstreams.unreachable().map((app) => ({ app }));
  const failing = proxies.guard.states().filter(({ failures }) => failures > 0);
  return [...bridges, ...failing.map(({ app, state }) => ({ app, ...(state !== "closed" && { circuit: state }) }))];
}
