import { importJWK, type JWK, SignJWT } from "jose";
import type { Dependencies } from "../../../lib/application/dependencies.ts";

/** Stands between the product and its identity provider, and changes what the token endpoint or userinfo answers. */
export interface Meddler {
  readonly adapt: (dependencies: Dependencies) => Dependencies;
  /** From here on; undefined: nothing is changed. */
  set(change: Change | undefined): void;
}

/** Makes another answer of the answer at a path (`/token`, `/me`, `/jwks`). */
export type Change = (path: string, answer: Response) => Response | Promise<Response>;

export function createMeddler(): Meddler {
  let change: Change | undefined;
  const meddling: typeof globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const path = new URL(String(input)).pathname;
    return change === undefined ? answer : change(path, answer);
  };
  return {
    adapt: (dependencies) => ({ ...dependencies, outbound: () => meddling }),
    set: (next) => {
      change = next;
    },
  };
}

/** A change of the ID token: its claims, header or key are others. */
export function otherIdToken(make: (claims: Readonly<Record<string, unknown>>) => Promise<string>): Change {
  return async (path, answer) => {
    if (path !== "/token") return answer;
    const tokens = (await answer.json()) as { id_token: string };
    const payload = tokens.id_token.split(".")[1] ?? "";
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    return Response.json({ ...tokens, id_token: await make(claims) });
  };
}

/** An ID token by a key; members that are undefined are left out. */
export async function signIdToken(
  claims: Readonly<Record<string, unknown>>,
  key: JWK,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT(JSON.parse(JSON.stringify(claims)) as Record<string, unknown>)
    .setProtectedHeader({ alg: "ES256", kid: key.kid as string, typ: "JWT", ...header })
    .sign(await importJWK(key, "ES256"));
}
