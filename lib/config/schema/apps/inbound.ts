import * as z from "zod";
import { described } from "../described.ts";
import { section } from "../section.ts";
import { duration, flag, list, positiveDuration, text, url } from "../types.ts";
import { scope } from "./scope.ts";
import { toolName } from "./tool-name.ts";

/** A policy is a program of its own: it has lines, and braces that are no placeholders (`yaml/exempt.ts`). */
function program(accepted: string) {
  return z.string({ error: accepted }).min(1, { error: accepted }).max(65_536, { error: accepted });
}

const cel = described(
  program("a CEL expression").optional(),
  "An expression that is true for the calls it allows; it fails closed.",
  'request.mcp.tool.params.name != "deleteBook"',
);

const opa = described(
  section({
    name: described(text().optional(), "Names the policy in logs.", "ledger-inbound"),
    url: described(
      url().optional(),
      "The decision of an OPA server, asked with `{input}`.",
      "http://localhost:8181/v1/data/gateway/result",
    ),
    rego: described(program("a Rego module").optional(), "The policy itself, as text. Not yet in effect."),
    file: described(
      text("the path of a Rego module").optional(),
      "The file with the policy. Not yet in effect.",
      "/etc/policies/a.rego",
    ),
    timeout: described(positiveDuration().prefault("500ms"), "How long the decision may take."),
    forwardToken: described(flag().default(false), "Shows the policy the caller's `Authorization` header."),
    list: described(flag().default(false), "Asks the policy about listing tools as well, about all of them at once."),
  }).optional(),
  "A policy in Rego, from exactly one of `url`, `rego` and `file`.",
);

const tool = section({
  name: described(toolName(), "The tools that are meant; the first entry that matches decides.", "/get.*/"),
  scopes: described(list(scope()), "Scopes that a caller needs, all of them.", ["books:read"]),
});

const ACR = "an authentication context class, or a list of them";

const stepUp = section({
  tools: described(list(toolName()), "The tools that are meant.", ["deleteBook"]),
  acr: described(
    z.union([text(ACR), list(text()).min(1, { error: ACR })], { error: ACR }).optional(),
    "The authentication context class that the caller's token must have, or a list of which it must have one (RFC 9470).",
    "urn:example:strong",
  ),
  maxAge: described(duration().optional(), "How long ago the person may have signed in.", "5m"),
});

const rules = section({
  cel,
  opa,
  rules: described(list(section({ cel, opa })).default([]), "Further policies, each with `cel` or `opa`."),
  tools: described(
    list(tool).default([]),
    "Scopes, by tool. A name that matches no tool of a REST API is a mistake; those of an MCP server are not known at start.",
  ),
  stepUp: described(
    list(stepUp).default([]),
    "Tools that need a stronger or fresher sign-in; the first entry that matches decides.",
  ),
});

/** `authorization.inbound`: who may call an app's tools. */
export const inbound = described(rules.prefault({}), "Who may call the tools: every rule has to allow it.");
