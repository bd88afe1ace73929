import { described } from "../described.ts";
import { section } from "../section.ts";
import { choice, list, positiveDuration, text } from "../types.ts";
import { scope } from "./scope.ts";
import { toolName } from "./tool-name.ts";

const tool = section({
  name: described(toolName(), "The tools that are meant; the first entry that matches decides.", "listPayments"),
  ttl: described(positiveDuration().prefault("60s"), "How long the token lives."),
  scopes: described(
    list(section({ name: described(scope(), "A scope that the token carries.", "ledger:List") })).default([]),
    "What the token may be used for.",
  ),
});

const tokenExchange = section({
  type: described(
    choice(["delegation", "impersonation"]).default("delegation"),
    "Whether the token names the agent beside the person, or the person alone.",
  ),
  idp: described(
    text("the name of a connector, or oidcProvider for this instance's own provider"),
    "Who issues the token.",
    "auth-provider",
  ),
  clientID: described(
    text().optional(),
    "With `idp: oidcProvider`, the `oidc` app that the gateway is there; by default the only one with token exchange.",
    "gateway",
  ),
  audience: described(text(), "Whom the token is meant for.", "https://ledger.example/"),
  tools: described(list(tool).default([]), "Scopes and lifetimes of tokens, by tool."),
});

/** `authorization.outbound`: what an upstream's calls carry. */
export const outbound = described(
  section({
    type: described(choice(["unprotected", "tokenExchange"]), "`unprotected`: calls carry no credential."),
    tokenExchange: described(tokenExchange.optional(), "A token for each call, exchanged for the caller's (RFC 8693)."),
  }).optional(),
  "What calls to the upstream carry; by default no credential.",
);
