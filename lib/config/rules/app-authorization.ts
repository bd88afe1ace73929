import type { Path } from "../path.ts";
import { policyRules } from "../policy-engines.ts";
import { type KnownNames, OWN_PROVIDER, reportUnknownName } from "./names.ts";
import { indexesOf, type RuleContext, reportDuplicates } from "./rule.ts";
import { stepUpRules } from "./step-up.ts";

const OAUTH = ["mcpProvider", "authorization", "oauth", "enabled"] as const;

/** The rules of an MCP app's `authorization`. */
export function authorizationRules(context: RuleContext, app: Path, issuers: KnownNames): void {
  inboundRules(context, [...app, "authorization", "inbound"]);
  outboundRules(context, [...app, "authorization", "outbound"], issuers);
}

function inboundRules(context: RuleContext, inbound: Path): void {
  policyRules(context, inbound);
  toolsOnce(context, [...inbound, "tools"]);
  stepUpRules(context, [...inbound, "stepUp"]);
}

function outboundRules(context: RuleContext, outbound: Path, issuers: KnownNames): void {
  const { at, report } = context;
  const [type, exchange] = [
    [...outbound, "type"],
    [...outbound, "tokenExchange"],
  ] as const;
  if (at(...type) === "tokenExchange") {
    if (at(...exchange) === undefined) {
      report(exchange, "required with type: tokenExchange; accepted: a mapping with idp and audience");
    }
    if (isOff(at("mcpProvider", "enabled"), at(...OAUTH))) {
      report(type, `needs the token of the caller to exchange; accepted: ${OAUTH.join(".")}: true beside it`);
    }
  }
  if (at(...type) === "unprotected" && at(...exchange) !== undefined) {
    report(exchange, "stands beside type: unprotected; accepted: one of the two");
  }
  reportUnknownName(context, [...exchange, "idp"], issuers);
  const idp = at(...exchange, "idp");
  if (at(...exchange, "clientID") !== undefined && typeof idp === "string" && idp !== OWN_PROVIDER) {
    report([...exchange, "clientID"], `needs idp: ${OWN_PROVIDER}; accepted: a connector has an oauthClientID`);
  }
  toolsOnce(context, [...exchange, "tools"]);
}

/** Whether a gateway that runs asks for no tokens. */
function isOff(gateway: unknown, oauth: unknown): boolean {
  return gateway === true && oauth !== true && oauth !== null;
}

/** The first entry that matches decides, so that a second of the same name never does. */
function toolsOnce(context: RuleContext, tools: Path): void {
  const names = indexesOf(context.at(...tools)).map((index) => [...tools, index, "name"]);
  reportDuplicates(context, names, "a tool name");
}
