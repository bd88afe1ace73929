import type { Rule } from "./rule.ts";
import { listenerPaths } from "./tls.ts";

const NOT_HERE = "cannot be had on Workers and Lambda, whose platform ends TLS";

/** What is asked of the listener beyond a certificate is a protection that nobody would give where the platform ends TLS. */
export const edgeListenerRules: Rule = (context) => {
  const { at, report } = context;
  const names = new Set(listenerPaths(context).map((path) => String(at(...path))));
  for (const name of names) {
    const clientAuth = at("tls", name, "clientAuth");
    if (typeof clientAuth === "string" && clientAuth !== "NoClientCert") {
      report(["tls", name, "clientAuth"], `${NOT_HERE}; accepted: NoClientCert`);
    }
    const minVersion = at("tls", name, "minVersion");
    if (minVersion === "1.3" || minVersion === 1.3) {
      report(["tls", name, "minVersion"], `${NOT_HERE}: set it there; accepted: 1.2`);
    }
  }
};
