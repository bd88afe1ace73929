import * as z from "zod";
import { about } from "#about";
import { described, section } from "../section.ts";
import { flag, list, secret, text } from "../types.ts";

const ACCEPTED = "a name of 1 to 128 characters";

/** An app's name, unique in the document. `__proto__` would not survive as a key of plain objects. */
export function appName() {
  return described(
    text(ACCEPTED)
      .max(128, { error: ACCEPTED })
      .refine((value) => value !== "__proto__", { error: ACCEPTED }),
    about("Name of the app. Must be unique.", "library"),
  );
}

/** D32. */
export const organization = described(
  text().optional(),
  about("Organization that sees the app's tools and audit records. By default the first organization of the instance."),
);

export const shared = described(
  flag().default(false),
  about(
    "Lets agents of every organization see the app's tools, and API clients of every organization be granted its scopes and audiences.",
  ),
);

/** A tool's name without its namespace, or an anchored regular expression between slashes (`tool-pattern.ts`). */
export function toolName() {
  return text("a tool's name without its namespace, or /a regular expression/")
    .superRefine(asPattern("a tool's name without its namespace, or /a valid regular expression/"))
    .refine((value) => value.startsWith("/") || !value.includes("*"), {
      error: "a tool's name without its namespace, which has no *, or /a regular expression/ such as /delete.*/",
    });
}

/** What of an OpenAPI document is meant: by operationId, tag or `GET /path`, or by an expression for one of them. */
export function operationPattern() {
  return text("an operationId, a tag, a method and path such as GET /books, or /a regular expression/").superRefine(
    asPattern("an operationId, a tag, a method and path such as GET /books, or /a valid regular expression/"),
  );
}

/** The check that a value is a name or an expression. What is wrong with an expression stands behind what is accepted. */
export function asPattern(accepted: string) {
  return (value: string, context: z.RefinementCtx) => {
    if (isToolPattern(value)) return;
    const flaw = expressionFlaw(value);
    context.addIssue({ code: "custom", message: flaw === undefined ? accepted : `${accepted}; this one has: ${flaw}` });
  };
}

/** What the engine says of an expression between slashes, without the expression: `unterminated group`. */
function expressionFlaw(value: string): string | undefined {
  try {
    if (value.length > 2 && value.endsWith("/")) new RegExp(value.slice(1, -1));
  } catch (error) {
    const said = String(error).split(": ").at(-1) ?? "";
    return said.charAt(0).toLowerCase() + said.slice(1);
  }
}

/** Whether it is a name, or a valid expression between slashes. */
export function isToolPattern(value: string): boolean {
  if (!(value.length > 2 && value.startsWith("/") && value.endsWith("/"))) return !value.startsWith("/");
  try {
    return new RegExp(`^(?:${value.slice(1, -1)})$`, "s") instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const namespace = section({
  disabled: described(
    flag().default(false),
    about(
      "Keeps the original names. REST APIs must not share a name. If several MCP servers have a name, the first one in the list of apps wins.",
    ),
  ),
  name: described(
    text().optional(),
    about(
      "Prefix of the tool names, used as written. Must be unique within the organization. By default the app's name and `_`.",
      "ledger_",
    ),
  ),
});

export const toolNamespace = described(namespace.prefault({}), about("Prefix of tool names."));

const NAME = "a header name";
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/** The name of one header (RFC 9110 section 5.1). */
export function headerName() {
  return text(NAME).regex(HEADER_NAME, { error: NAME });
}

/** Headers toward an upstream. Values may hold credentials, so that no message shows one. */
export const headers = described(
  secret(
    z.record(z.string().regex(HEADER_NAME, { error: NAME }), text(), {
      error: (issue) => (issue.code === "invalid_key" ? NAME : "a mapping of header names to text"),
    }),
  ).optional(),
  about(
    "Headers of each request. The agent cannot override them. Values may contain `{{ user.CLAIM }}` such as `{{ user.sub }}`, `{{ agent.clientID }}`, `{{ request.id }}` and secrets, for example `Bearer <github.token>`. If a call lacks a value, the header is omitted. Characters that a header cannot hold are percent-encoded.",
    { "X-User": "{{ user.sub }}" },
  ),
);

/** Claims of the tokens of one client, or of all that come by themselves. */
export function claimsMapping() {
  return described(
    z.record(z.string(), text(), { error: "a mapping of claims to attributes" }).default({}),
    about("Claims of the tokens, each mapped from a connector's claim: `connector.claim`.", { email: "corp.email" }),
  );
}

/** What clients get that ask for access without saying which. */
export function defaultScopes() {
  return described(
    list(scope()).default([]),
    about(
      "Scopes that an authorization request without `scope` gets. Must be among the scopes that the client may request. By default none.",
      ["books:read"],
    ),
  );
}

const ACCEPTED_SCOPE = "a scope (RFC 6749 section 3.3): no spaces, quotes or backslashes";

/** One scope. */
export function scope() {
  return text(ACCEPTED_SCOPE).regex(/^[!#-[\]-~]+$/, { error: ACCEPTED_SCOPE });
}
