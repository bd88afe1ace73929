import { fromBase64url } from "../../kernel/encoding.ts";
import { type JsonObject, parseJsonObject } from "../../kernel/json.ts";

/** What a JWT says of itself before any check: enough to choose who checks it. */
export interface UnverifiedJwt {
  /** The claim `iss`; undefined when there is none that is a text, which no server has. */
  readonly issuer: string | undefined;
  /** The header parameter `typ`, of any JSON type. */
  readonly type: unknown;
  /** Whether the header parameter `kid` says which key it is signed with. */
  readonly namesKey: boolean;
}

/** Undefined when the token is no JWT: three segments, the first of them a JSON object with `alg`. */
export function unverifiedJwt(token: string): UnverifiedJwt | undefined {
  const [header, payload, signature, ...rest] = token.split(".");
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) return undefined;
  const { alg, typ: type, kid } = decoded(header) ?? {};
  if (alg === undefined) return undefined;
  const iss = decoded(payload)?.iss;
  return { issuer: typeof iss === "string" && iss !== "" ? iss : undefined, type, namesKey: kid !== undefined };
}

function decoded(segment: string): JsonObject | undefined {
  const bytes = fromBase64url(segment);
  return bytes && parseJsonObject(bytes);
}
