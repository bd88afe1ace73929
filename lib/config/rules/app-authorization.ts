import { compileCel } from "../../policy/cel/compile.ts";
import { ExpressionError } from "../../policy/cel/syntax.ts";
import type { Path } from "../path.ts";
import { type KnownNames, OWN_PROVIDER, reportUnknownName } from "./names.ts";
import { indexesOf, type RuleContext, reportDuplicates, reportUnlessOne } from "./rule.ts";
import { stepUpRules } from "./step-up.ts";

const OAUTH = ["mcpProvider", "authorization", "oauth", "enabled"] as const;

/** The rules of an MCP app's `authorization`. */
export function authorizationRules(context: RuleContext, app: Path, issuers: KnownNames): void {
  inboundRules(context, [...app, "authorization", "inbound"]);
  outboundRules(context, [...app, "authorization", "outbound"], issuers);
}

function inboundRules(context: RuleContext, inbound: Path): void {
  const { at } = context;
  celRules(context, [...inbound, "cel"]);
  opaRules(context, [...inbound, "opa"]);
  for (const index of indexesOf(at(...inbound, "rules"))) {
    const rule = [...inbound, "rules", index];
    reportUnlessOne(context, rule, ["cel", "opa"]);
    celRules(context, [...rule, "cel"]);
    opaRules(context, [...rule, "opa"]);
  }
  toolsOnce(context, [...inbound, "tools"]);
  stepUpRules(context, [...inbound, "stepUp"]);
}

/** Positions are those in the expression, whose lines are not always those of the document. */
function celRules({ at, report }: RuleContext, cel: Path): void {
  const text = at(...cel);
  if (typeof text !== "string") return;
  try {
    compileCel(text, "");
  } catch (cause) {
    if (!(cause instanceof ExpressionError)) throw cause;
    const lines = text.slice(0, cause.offset).split("\n");
    const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    report(cel, `the expression is wrong at its ${place}: ${cause.message}`);
  }
}

function opaRules(context: RuleContext, opa: Path): void {
  if (context.at(...opa) !== undefined) reportUnlessOne(context, opa, ["url", "rego", "file"]);
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
