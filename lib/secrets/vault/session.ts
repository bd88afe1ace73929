import type { Clock } from "../../kernel/clock.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { secretFailure } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import { SecretError } from "../provider.ts";
import type { SendToVault, VaultAnswer, VaultUrl } from "./client.ts";
import { refusalReason } from "./client.ts";

/** As whom Vault is asked. */
export interface VaultSession {
  /**
   * A token, renewed when half of its time is over.
   * @throws SecretError when signing in fails
   */
  token(): Promise<string>;
  /**
   * Another token for one that Vault refused, if the refused one has ended and there is a way to another.
   * @throws SecretError when signing in fails
   */
  replacement(refused: string): Promise<string | undefined>;
}

interface Lease {
  readonly token: string;
  /** Milliseconds since the epoch; infinite for a token without an end. */
  readonly renewFrom: number;
  readonly expires: number;
}

/** Signs in on first use. With roleID and secretID it signs in again whenever the token has ended. */
export function vaultSession(
  { scheme, credentials }: VaultUrl,
  { send, clock }: { readonly send: SendToVault; readonly clock: Clock },
): VaultSession {
  let lease: Lease | undefined;

  const signIn = async (): Promise<Lease> => {
    if ("token" in credentials) return leaseOfOwnToken(await lookUp(send, credentials.token), credentials.token, clock);
    const { roleId, secretId } = credentials;
    const body = { role_id: roleId, secret_id: secretId };
    const answer = await send({ method: "POST", path: ["auth", "approle", "login"], body });
    const granted = leaseOf(answer, clock);
    if (granted === undefined) throw secretFailure(scheme, undefined, refusalReason(answer));
    return granted;
  };

  // Where Vault is away for a moment, the token is still good.
  const renewed = async (former: Lease): Promise<Lease> => {
    try {
      const answer = await send({
        method: "POST",
        path: ["auth", "token", "renew-self"],
        token: former.token,
        body: {},
      });
      const granted = leaseOf(answer, clock);
      if (granted !== undefined) return granted;
      if (isPassing(answer.status)) return former;
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      return former;
    }
    return "token" in credentials ? { ...former, renewFrom: former.expires } : signIn();
  };

  const next = oneFlight(async () => {
    const held = lease === undefined || clock.now() >= lease.expires ? await signIn() : lease;
    lease = clock.now() < held.renewFrom ? held : await renewed(held);
    return lease.token;
  });
  const another = oneFlight(async (refused) => {
    if (lease !== undefined && lease.token !== refused) return lease.token;
    if ((await lookUp(send, refused)).status === 200) return undefined;
    lease = await signIn();
    return lease.token;
  });
  return {
    token: async () => (lease !== undefined && clock.now() < lease.renewFrom ? lease.token : next("token", "")),
    replacement: async (refused) => ("token" in credentials ? undefined : another(refused, "")),
  };
}

/** The default policy lets every token look itself up. */
function lookUp(send: SendToVault, token: string): Promise<VaultAnswer> {
  return send({ path: ["auth", "token", "lookup-self"], token });
}

/** A token that may not look itself up is used as it is: reading tells whether it is good. */
function leaseOfOwnToken({ status, body }: VaultAnswer, token: string, clock: Clock): Lease {
  const { ttl, creation_ttl: whole, renewable } = isJsonObject(body?.data) ? body.data : {};
  const lease = leaseFor(token, { seconds: ttl, whole, renewable }, clock);
  if (!isPassing(status)) return lease;
  // Nobody knows how long it is good: it is renewed now or, when that fails too, looked up again before it is used again.
  const now = clock.now();
  return { token, renewFrom: now, expires: now };
}

/** The lease of a token that was just issued or renewed; undefined when the answer is a refusal. */
function leaseOf({ status, body }: VaultAnswer, clock: Clock): Lease | undefined {
  const auth = body?.auth;
  if (status !== 200 || !isJsonObject(auth) || typeof auth.client_token !== "string") return undefined;
  return leaseFor(auth.client_token, { seconds: auth.lease_duration, renewable: auth.renewable }, clock);
}

interface LeaseFields {
  /** What is left of it; zero: it has no end. */
  readonly seconds: unknown;
  /** How long it was when it began; as long as what is left unless given. */
  readonly whole?: unknown;
  readonly renewable: unknown;
}

function leaseFor(token: string, { seconds, whole, renewable }: LeaseFields, clock: Clock): Lease {
  if (typeof seconds !== "number" || !(seconds > 0)) {
    return { token, renewFrom: Number.POSITIVE_INFINITY, expires: Number.POSITIVE_INFINITY };
  }
  const expires = clock.now() + seconds * 1_000;
  const half = 500 * Math.max(seconds, typeof whole === "number" ? whole : 0);
  return { token, renewFrom: renewable === true ? expires - half : expires, expires };
}

/** Vault is away, or has too much to do, for a moment. */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}
