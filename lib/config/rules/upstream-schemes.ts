import type { DefinedScheme } from "../../bridge/openapi/security-schemes.ts";
import { type Path, valueAt } from "../path.ts";
import { nearest } from "../suggest.ts";
import type { Problem } from "./rule.ts";

/** What of an app's `upstream.auth` fits no security scheme of its document. */
export function schemeProblems(
  app: unknown,
  path: Path,
  defined: ReadonlyMap<string, DefinedScheme>,
): readonly Problem[] {
  const auth = valueAt(app, ["upstream", "auth"]);
  return Object.entries(typeof auth === "object" && auth !== null ? auth : {}).flatMap(([name, credential]) => {
    const at = [...path, "upstream", "auth", name];
    const scheme = defined.get(name);
    if (scheme === undefined) return [{ path: at, atKey: true, message: unknownScheme(name, [...defined.keys()]) }];
    const message = misfit(scheme, credential);
    return message === undefined ? [] : [{ path: at, message }];
  });
}

function unknownScheme(name: string, known: readonly string[]): string {
  const problem = "is the name of no security scheme of the OpenAPI document";
  if (known.length === 0) return `${problem}, which defines none; accepted: a header in upstream.headers`;
  const suggestion = nearest(name, known);
  return `${problem}; ${suggestion === undefined ? `accepted: ${known.join(", ")}` : `did you mean "${suggestion}"?`}`;
}

/** Whether the credential has the parts of its scheme; null stands for what is not filled yet. */
function misfit(scheme: DefinedScheme, credential: unknown): string | undefined {
  const has = (key: string) => valueAt(credential, [key]) !== undefined;
  // Other rules refuse both at once.
  if (has("value") && has("username")) return undefined;
  switch (scheme.kind) {
    case "mutualTLS":
      return "is mutual TLS in the OpenAPI document; accepted: a client certificate by upstream.tls";
    case "unsupported":
      return `is ${scheme.what} in the OpenAPI document; accepted: API keys, http basic and bearer, oauth2 and openIdConnect`;
    case "basic":
      return has("value") ? "is HTTP Basic in the OpenAPI document; accepted: username and password" : undefined;
    default:
      return has("username") || has("password")
        ? `is ${scheme.kind === "apiKey" ? "an API key" : "a bearer token"} in the OpenAPI document; accepted: value`
        : undefined;
  }
}
