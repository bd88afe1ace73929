import type { Path } from "../path.ts";
import { policyRules } from "../policy-engines.ts";
import { type KnownNames, OWN_PROVIDER, reportUnknownName } from "./names.ts";
import { indexesOf, lengthOf, type RuleContext, reportDuplicates } from "./rule.ts";
import { stepUpRules } from "./step-up.ts";

const OAUTH = ["mcpProvider", "authorization", "oauth", "enabled"] as const;

/** Who issues tokens that calls carry: for the caller's own, and of accounts that people connected. */
export interface OutboundNames {
  readonly issuers: KnownNames;
  readonly providers: KnownNames;
}

/** The rules of an MCP app's `authorization`. */
export function authorizationRules(context: RuleContext, app: Path, names: OutboundNames): void {
  inboundRules(context, [...app, "authorization", "inbound"]);
  outboundRules(context, [...app, "authorization", "outbound"], names);
}

function inboundRules(context: RuleContext, inbound: Path): void {
  policyRules(context, inbound);
  toolsOnce(context, [...inbound, "tools"]);
  stepUpRules(context, [...inbound, "stepUp"]);
}

/** Kinds of tokens that calls carry: each has a mapping of its own name. */
const TOKENS = { tokenExchange: "a mapping with idp and audience", userToken: "a mapping with connector" };

function outboundRules(context: RuleContext, outbound: Path, { issuers, providers }: OutboundNames): void {
  const { at, report } = context;
  const type = at(...outbound, "type");
  mappingRules(context, outbound);
  if (isOff(at("mcpProvider", "enabled"), at(...OAUTH)) && typeof type === "string" && Object.hasOwn(TOKENS, type)) {
    const why =
      type === "userToken" ? "needs to know the person who calls" : "needs the token of the caller to exchange";
    report([...outbound, "type"], `${why}; accepted: ${OAUTH.join(".")}: true beside it`);
  }
  exchangeRules(context, [...outbound, "tokenExchange"], issuers);
  reportUnknownName(context, [...outbound, "userToken", "connector"], providers);
  toolsOnce(context, [...outbound, "userToken", "tools"]);
}

/** What `type` names is written, and nothing else. */
function mappingRules({ at, report }: RuleContext, outbound: Path): void {
  const type = at(...outbound, "type");
  for (const [kind, accepted] of Object.entries(TOKENS)) {
    const isWritten = at(...outbound, kind) !== undefined;
    if (type === kind && !isWritten) report([...outbound, kind], `required with type: ${kind}; accepted: ${accepted}`);
    if (typeof type === "string" && type !== kind && isWritten) {
      report([...outbound, kind], `stands beside type: ${type}; accepted: one of the two`);
    }
  }
}

/** The rules of a web app's `authorization.outbound`: the token is that of a person who signs in, and goes where no other one goes. */
export function webOutboundRules(context: RuleContext, app: Path, providers: KnownNames): void {
  const { at, report } = context;
  const outbound = [...app, "authorization", "outbound"];
  mappingRules(context, outbound);
  reportUnknownName(context, [...outbound, "userToken", "connector"], providers);
  if (at(...outbound, "type") !== "userToken") return;
  const signsIn = indexesOf(at(...app, "policies")).some((index) => {
    const idps = at(...app, "policies", index, "authentication", "idps");
    return idps === null || lengthOf(idps) > 0;
  });
  if (!signsIn) {
    const message = "needs people who sign in, and no policy of the app lets them";
    report([...outbound, "type"], `${message}; accepted: a policy with authentication.idps`);
  }
  if (at(...app, "forwardAuthorization") === true) {
    const message = "stands beside type: userToken, whose token goes into Authorization; accepted: one of the two";
    report([...app, "forwardAuthorization"], message);
  }
}

function exchangeRules(context: RuleContext, exchange: Path, issuers: KnownNames): void {
  const { at, report } = context;
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
