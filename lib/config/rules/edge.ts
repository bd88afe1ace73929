import { keySecretRule } from "./key-secret.ts";
import type { Rule } from "./rule.ts";

const REQUIRED = "required on Workers and Lambda";

/** What Workers and Lambda cannot make by themselves: they know neither their address nor a folder that is kept. */
export const edgeRules: Rule = (context) => {
  const { at, report } = context;
  if (at("http", "publicURL") === undefined) {
    report(["http", "publicURL"], `${REQUIRED}; accepted: the URL that clients use`);
  }
  if (at("oidcProvider") === undefined) return;
  if (at("oidcProvider", "region") === undefined) {
    report(["oidcProvider", "region"], `${REQUIRED}; accepted: a short name such as us or uk`);
  }
  if (at("oidcProvider", "apiClients", "idSecret") === undefined) {
    const accepted = "at least 32 bytes as base64url, the same in every instance of the region";
    report(["oidcProvider", "apiClients", "idSecret"], `${REQUIRED}; accepted: ${accepted}`);
  }
  keySecretRule(context);
};
