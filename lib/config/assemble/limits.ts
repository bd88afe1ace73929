import type { LimitConfiguration, LimitPartition } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { present } from "./context.ts";

/** Limits with what is left to default. */
export function assembleLimits(limits: ConfigurationDocument["limits"]): readonly LimitConfiguration[] {
  return limits.map(({ name, for: about, per, rate, burst, quota, bytes, concurrent, exact, unavailable }) => {
    const { endpoint = ["mcp"], ...others } = about;
    const apart = per ?? (endpoint.includes("token") ? ["address"] : ["client"]);
    return {
      name,
      endpoints: endpoint as LimitConfiguration["endpoints"],
      for: present(others),
      per: apart.filter((one): one is LimitPartition => one !== "all"),
      ...present({ rate: rate && { ...rate, burst: burst ?? rate.amount }, quota, bytes, concurrent }),
      exact,
      unavailable,
    };
  });
}
