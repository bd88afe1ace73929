import type { Rule } from "./rule.ts";

/** What Workers and Lambda cannot make by themselves: they know neither their address nor a folder that is kept. */
export const edgeRules: Rule = ({ at, report }) => {
  if (at("http", "publicURL") === undefined) {
    report(["http", "publicURL"], "required on Workers and Lambda; accepted: the URL that clients use");
  }
  if (at("oidcProvider") !== undefined && at("oidcProvider", "apiClients", "idSecret") === undefined) {
    const accepted = "at least 32 bytes as base64url, the same in every instance of the region";
    report(["oidcProvider", "apiClients", "idSecret"], `required on Workers and Lambda; accepted: ${accepted}`);
  }
};
