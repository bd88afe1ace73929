import type { Rule } from "./rule.ts";

/** What the authorization server would have to do and cannot yet. */
export const oidcProviderRules: Rule = ({ at, report }) => {
  const registration = ["oidcProvider", "registration"] as const;
  if (at(...registration, "dynamic") === true) {
    report([...registration, "dynamic"], "not supported by this version: dynamic client registration; accepted: false");
  }
  if (at(...registration, "clientIDMetadata") === true) {
    report(
      [...registration, "clientIDMetadata"],
      "not supported by this version: client ID metadata documents; accepted: false",
    );
  }
};
