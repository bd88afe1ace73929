import * as z from "zod";
import { described, section } from "../section.ts";
import { choice, duration, flag, list, positiveDuration, text, url } from "../types.ts";
import { scope, toolName } from "./names.ts";

/** A policy is a program of its own: it has lines, and braces that are no placeholders (`yaml/placeholders.ts`). */
function program(accepted: string) {
  return z.string({ error: accepted }).min(1, { error: accepted }).max(65_536, { error: accepted });
}

const cel = described(
  program("a CEL expression").optional(),
  "Expression that is true for allowed calls. An error denies the call.",
  'request.mcp.tool.params.name != "deleteBook"',
);

const opa = described(
  section({
    name: described(text().optional(), "Name of the policy in audit records and logs.", "ledger-inbound"),
    url: described(
      url().optional(),
      "URL of a document in an OPA server's data API. Receives `{input}`.",
      "http://localhost:8181/v1/data/gateway/result",
    ),
    rego: described(program("a Rego module").optional(), "Policy as text. No effect yet: the app is not served."),
    file: described(
      text("the path of a Rego module").optional(),
      "File with the policy. No effect yet: the app is not served.",
      "/etc/policies/a.rego",
    ),
    timeout: described(positiveDuration().prefault("500ms"), "Timeout of the decision."),
    forwardToken: described(flag().default(false), "Sends the caller's `Authorization` header to the policy."),
    list: described(flag().default(false), "Also asks the policy which tools to list, in one request for all tools."),
  }).optional(),
  "Policy in Rego. Exactly one of `url`, `rego` and `file`.",
);

const tool = section({
  name: described(toolName(), "Tool name or pattern. The first matching entry applies.", "/get.*/"),
  scopes: described(list(scope()), "Scopes that the caller needs. All are required.", ["books:read"]),
});

const ACR = "an authentication context class, or a list of them";

const stepUp = section({
  tools: described(list(toolName()), "Tool names or patterns.", ["deleteBook"]),
  acr: described(
    z.union([text(ACR), list(text()).min(1, { error: ACR })], { error: ACR }).optional(),
    "Required authentication context class of the caller's token, or a list of accepted ones (RFC 9470).",
    "urn:example:strong",
  ),
  maxAge: described(duration().optional(), "Longest accepted time since the person signed in.", "5m"),
});

const rules = section({
  cel,
  opa,
  members: described(
    choice(["required", "any"]).optional(),
    "`required`: people must belong to the app's organization. `any`: whoever signs in. By default `required` where clients register themselves or come with metadata documents, and where there are several organizations.",
  ),
  rules: described(list(section({ cel, opa })).default([]), "More policies, each with `cel` or `opa`."),
  tools: described(
    list(tool).default([]),
    "Required scopes by tool. For a REST API, a name without a tool is an error. The tools of an MCP server are not known at start.",
  ),
  stepUp: described(
    list(stepUp).default([]),
    "Tools that need a stronger or more recent sign-in. The first matching entry applies.",
  ),
});

/** `authorization.inbound`: who may call an app's tools. */
export const inbound = described(rules.prefault({}), "Who may call the tools. Every rule must allow the call.");

const exchangedTool = section({
  name: described(toolName(), "Tool name or pattern. The first matching entry applies.", "listPayments"),
  ttl: described(positiveDuration().prefault("60s"), "Lifetime of the token."),
  scopes: described(
    list(section({ name: described(scope(), "Name of the scope.", "ledger:List") })).default([]),
    "Scopes of the token.",
  ),
});

const tokenExchange = section({
  type: described(
    choice(["delegation", "impersonation"]).default("delegation"),
    "`delegation`: the token names the person and the agent. `impersonation`: the token names the person only.",
  ),
  idp: described(
    text("the name of a connector, or oidcProvider for this instance's own provider"),
    "Issuer of the token.",
    "auth-provider",
  ),
  clientID: described(
    text().optional(),
    "With `idp: oidcProvider`, client ID of the `oidc` app that the gateway uses. By default the only one with token exchange.",
    "gateway",
  ),
  audience: described(text(), "Audience of the token.", "https://ledger.example/"),
  tools: described(list(exchangedTool).default([]), "Scopes and lifetime of the token, by tool."),
});

/** `authorization.outbound`: what an upstream's calls carry. */
export const outbound = described(
  section({
    type: described(
      choice(["unprotected", "tokenExchange"]),
      "`unprotected`: calls carry no token. `tokenExchange`: calls carry an exchanged token.",
    ),
    tokenExchange: described(tokenExchange.optional(), "Exchange of the caller's token for each call (RFC 8693)."),
  }).optional(),
  "Token that calls to the upstream carry. By default none.",
);
