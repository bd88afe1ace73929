import * as z from "zod";
import { about } from "#about";
import { AUTHZEN_MAPPINGS } from "../../../policy/authzen.ts";
import type { About } from "../about.ts";
import { described, section } from "../section.ts";
import { choice, duration, flag, list, positiveDuration, secret, text, url } from "../types.ts";
import { scope, toolName } from "./names.ts";

/** A policy is a program of its own: it has lines, and braces that are no placeholders (`yaml/placeholders.ts`). */
function program(accepted: string) {
  return z.string({ error: accepted }).min(1, { error: accepted }).max(65_536, { error: accepted });
}

const cel = described(
  program("a CEL expression").optional(),
  about(
    "Expression that is true for allowed calls. An error denies the call.",
    'request.mcp.tool.params.name != "deleteBook"',
  ),
);

const ENTRYPOINT = /^[A-Za-z_]\w*(\/[A-Za-z_]\w*)*$/;
const ENTRYPOINT_FORM = "a path such as orchestrator/result";

/** What web apps and MCP apps have alike. */
const OPA = {
  name: described(text().optional(), about("Name of the policy in audit records and logs.", "ledger-inbound")),
  url: described(
    url().optional(),
    about(
      "URL of a document in an OPA server's data API. Receives `{input}`.",
      "http://localhost:8181/v1/data/gateway/result",
    ),
  ),
  rego: described(
    program("a Rego module").optional(),
    about("Policy as text. Compiled by OPA's command when the configuration is read, and evaluated in the gateway."),
  ),
  file: described(
    text("the path of a Rego module").optional(),
    about("File with the policy, compiled likewise.", "policies/a.rego"),
  ),
  plan: described(
    text("the path of a bundle").optional(),
    about("Bundle that `opa build --target plan` wrote. Nothing is compiled.", "policies/bundle.tar.gz"),
  ),
  entrypoint: described(
    text(ENTRYPOINT_FORM).regex(ENTRYPOINT, { error: ENTRYPOINT_FORM }).optional(),
    about("Rule that decides. By default `orchestrator/result`, or the only one of a `plan`.", "orchestrator/result"),
  ),
  data: described(
    text("the path of a JSON document").optional(),
    about("JSON document that the policy reads as `data`.", "policies/data.json"),
  ),
  timeout: described(positiveDuration().prefault("500ms"), about("Timeout of a decision by `url`.")),
  forwardToken: described(flag().default(false), about("Sends the caller's `Authorization` header to the policy.")),
  opaqueTokens: described(
    choice(["deny", "evaluate"]).optional(),
    about(
      "With `forwardToken`, of a policy that decodes JWTs: `deny` denies callers whose token is no JWT. `evaluate` lets the policy decide although its decodes are undefined.",
    ),
  ),
};
const OPA_MEANING = about("Policy in Rego. Exactly one of `url`, `rego`, `file` and `plan`.");

const opa = described(
  section({
    ...OPA,
    list: described(
      flag().default(false),
      about("Also asks the policy which tools to list, in one request for all tools."),
    ),
  }).optional(),
  OPA_MEANING,
);

const AUTHZEN = {
  name: described(text().optional(), about("Name of the policy in audit records and logs.", "ledger-pdp")),
  pdp: described(
    url(),
    about(
      "Identifier of the policy decision point. Its metadata is read below `/.well-known/authzen-configuration`; without metadata the default paths are used.",
      "https://pdp.example.com",
    ),
  ),
  token: described(secret(text()).optional(), about("Bearer token for the decision point.", "<pdp.token>")),
  mapping: described(
    choice(AUTHZEN_MAPPINGS).default("default"),
    about(
      "`default`: subject, action, resource and agent, without arguments. `full`: also the policy input, as `context.countersign`. `declared`: what the tool's own `x-authzen-mapping` says, where it has one; of MCP servers with `pins`.",
    ),
  ),
  timeout: described(positiveDuration().prefault("500ms"), about("Timeout of one request to the decision point.")),
};
const AUTHZEN_MEANING = about("Policy decision point that speaks AuthZEN 1.0.");

const authzen = described(
  section({
    ...AUTHZEN,
    list: described(flag().default(false), about("Also asks which tools to list, in one request for all tools.")),
    accessRequests: described(
      flag().default(false),
      about(
        "A denied call for which the decision point offers it (`context.access_request`) is requested at its service, and waits for approval there (Access Request and Approval Profile, draft 1).",
      ),
    ),
  }).optional(),
  AUTHZEN_MEANING,
);

const tool = section({
  name: described(toolName(), about("Tool name or pattern. The first matching entry applies.", "/get.*/")),
  scopes: described(list(scope()), about("Scopes that the caller needs. All are required.", ["books:read"])),
});

const ACR = "an authentication context class, or a list of them";

const stepUp = section({
  tools: described(list(toolName()), about("Tool names or patterns.", ["deleteBook"])),
  acr: described(
    z.union([text(ACR), list(text()).min(1, { error: ACR })], { error: ACR }).optional(),
    about(
      "Required authentication context class of the caller's token, or a list of accepted ones (RFC 9470).",
      "urn:example:strong",
    ),
  ),
  maxAge: described(duration().optional(), about("Longest accepted time since the person signed in.", "5m")),
});

const rules = section({
  cel,
  opa,
  authzen,
  members: described(
    choice(["required", "any"]).optional(),
    about(
      "`required`: people must belong to the app's organization. `any`: whoever signs in. By default `required` where clients register themselves or come with metadata documents, and where there are several organizations.",
    ),
  ),
  rules: described(
    list(section({ cel, opa, authzen })).default([]),
    about("More policies, each with `cel`, `opa` or `authzen`."),
  ),
  tools: described(
    list(tool).default([]),
    about(
      "Required scopes by tool. For a REST API, a name without a tool is an error. The tools of an MCP server are not known at start.",
    ),
  ),
  stepUp: described(
    list(stepUp).default([]),
    about("Tools that need a stronger or more recent sign-in. The first matching entry applies."),
  ),
});

const OPERANDS = "a list of two texts; one of them may be {{ connector.CLAIM }} as a whole";

function operands(meaning: About | undefined) {
  return described(list(operand()).length(2, { error: OPERANDS }).optional(), meaning);
}

const OPERAND = "text, or {{ connector.CLAIM }} without anything beside it";

/** A claim has its own values, lists among them; what text around it would make of these nobody can tell. */
function operand() {
  return text(OPERAND).refine((value) => !value.includes("{{") || /^\{\{[^{}]*\}\}$/.test(value), { error: OPERAND });
}

const comparison = section({
  equals: operands(about("The two texts are the same. A list equals nothing.", ["{{ corp.department }}", "finance"])),
  notEquals: operands(
    about("The two texts differ. A list, and a missing claim, fail the rule.", [
      "{{ corp.employeeType }}",
      "contractor",
    ]),
  ),
  contains: operands(
    about("The second is an element of the first, which is a list, or a part of it, which is text.", [
      "{{ corp.groups }}",
      "payroll",
    ]),
  ),
  notContains: operands(
    about("The second is no element, or no part, of the first. A missing claim fails the rule.", [
      "{{ corp.groups }}",
      "suspended",
    ]),
  ),
});

const webCel = described(
  program("a CEL expression").optional(),
  about(
    "Expression that is true for allowed requests. An error denies the request.",
    'request.http.method == "GET" || "editors" in user.groups',
  ),
);

/** `policies[].authorization` of a web app: which of the people and programs that are let in may ask. */
export const webAuthorization = described(
  section({
    allowAll: described(flag().optional(), about("`true`: everybody whom `authentication` lets in. Stands alone.")),
    rules: described(list(comparison).default([]), about("Comparisons of claims, each with one operator.")),
    rulesAggregationMethod: described(
      choice(["and", "or"]).default("and"),
      about("`and`: every entry of `rules` must hold. `or`: one of them."),
    ),
    cel: webCel,
    opa: described(section(OPA).optional(), OPA_MEANING),
    authzen: described(section(AUTHZEN).optional(), AUTHZEN_MEANING),
  }).optional(),
  about(
    "Which of these may ask: `allowAll`, or checks that must all allow the request. By default everybody who is let in, with a warning.",
  ),
);

/** `authorization.inbound`: who may call an app's tools. */
export const inbound = described(rules.prefault({}), about("Who may call the tools. Every rule must allow the call."));

const exchangedTool = section({
  name: described(toolName(), about("Tool name or pattern. The first matching entry applies.", "listPayments")),
  ttl: described(positiveDuration().prefault("60s"), about("Lifetime of the token.")),
  scopes: described(
    list(section({ name: described(scope(), about("Name of the scope.", "ledger:List")) })).default([]),
    about("Scopes of the token."),
  ),
});

const tokenExchange = section({
  type: described(
    choice(["delegation", "impersonation"]).default("delegation"),
    about("`delegation`: the token names the person and the agent. `impersonation`: the token names the person only."),
  ),
  idp: described(
    text("the name of a connector, or oidcProvider for this instance's own provider"),
    about("Issuer of the token.", "auth-provider"),
  ),
  clientID: described(
    text().optional(),
    about(
      "With `idp: oidcProvider`, client ID of the `oidc` app that the gateway uses. By default the only one with token exchange.",
      "gateway",
    ),
  ),
  audience: described(text(), about("Audience of the token.", "https://ledger.example/")),
  tools: described(list(exchangedTool).default([]), about("Scopes and lifetime of the token, by tool.")),
});

/** Whose account it is about, and what for. */
const account = {
  connector: described(text("the name of a connector of type oauth"), about("Connector of the provider.", "github")),
  resource: described(
    url().optional(),
    about(
      "Resource that the token is for (RFC 8707), if the provider knows resources. With a connector that discovers its provider, by default its resource.",
      "https://api.example.com/",
    ),
  ),
  scopes: described(list(scope()).default([]), about("Scopes that every person is asked for.", ["repo:read"])),
};

const userToken = section({
  ...account,
  tools: described(
    list(
      section({
        name: described(toolName(), about("Tool name or pattern. The first matching entry applies.", "/create.*/")),
        scopes: described(
          list(section({ name: described(scope(), about("Name of the scope.", "repo:write")) })).default([]),
          about("Scopes that the tool needs beside `scopes`."),
        ),
      }),
    ).default([]),
    about(
      "Further scopes by tool. A person is asked for them when an agent first calls such a tool. For a REST API, a name without a tool is an error.",
    ),
  ),
  perAgent: described(
    flag().default(false),
    about("`true`: every agent needs a connection of its own. `false`: all agents of a person share one for each app."),
  ),
});

/** `authorization.outbound`: what an upstream's calls carry. */
export const outbound = described(
  section({
    type: described(
      choice(["unprotected", "tokenExchange", "userToken"]),
      about(
        "`unprotected`: calls carry no token. `tokenExchange`: calls carry an exchanged token. `userToken`: calls carry the token of the person's own account at a provider.",
      ),
    ),
    tokenExchange: described(
      tokenExchange.optional(),
      about("Exchange of the caller's token for each call (RFC 8693)."),
    ),
    userToken: described(
      userToken.optional(),
      about(
        "The person's account at a provider that trusts no tokens of others. The person connects it once, in the browser.",
      ),
    ),
  }).optional(),
  about("Token that calls to the upstream carry. By default none."),
);

/** The same of a web app, whose requests are no calls of tools. */
export const webOutbound = described(
  section({
    type: described(
      choice(["unprotected", "userToken"]),
      about(
        "`unprotected`: requests carry no token of ours. `userToken`: requests of a person carry the token of their own account at a provider, as `Authorization: Bearer`.",
      ),
    ),
    userToken: described(
      section(account).optional(),
      about(
        "The person's account at a provider that trusts no tokens of others. The person connects it once, in the browser.",
      ),
    ),
  }).optional(),
  about("Token that requests to the upstream carry. By default none."),
);
