import type { Clock } from "../kernel/clock.ts";
import { jsonAnswer, type SecretAnswer } from "./http.ts";
import { oneFlight } from "./one-flight.ts";

/** What a vendor gives for a credential. */
export interface AccessToken {
  readonly value: string;
  /** From when it was asked for, milliseconds; zero for a token that is used once. */
  readonly lifetime: number;
}

export interface HeldToken {
  readonly value: string;
  /** It was asked for just now. */
  readonly isNew: boolean;
}

export interface TokenHolder {
  /** The token that is held, or a new one when nine tenths of its life are over. */
  current(): Promise<HeldToken>;
  /** Does not hold the token any longer; another one that came meanwhile stays. */
  drop(value: string): void;
}

/** Holds one access token. Who asks while one is on its way waits for it (see `oneFlight` about Workers). */
export function tokenHolder(obtain: () => Promise<AccessToken>, clock: Clock): TokenHolder {
  let held: { readonly value: string; readonly renewFrom: number } | undefined;
  const renew = oneFlight(async () => {
    const asked = clock.now();
    const { value, lifetime } = await obtain();
    held = { value, renewFrom: asked + 0.9 * lifetime };
    return value;
  });
  return {
    async current() {
      if (held !== undefined && clock.now() < held.renewFrom) return { value: held.value, isNew: false };
      return { value: await renew("token", ""), isNew: true };
    },
    drop(value) {
      if (held?.value === value) held = undefined;
    },
  };
}

/**
 * Does something with the token. When that is refused because of a token that was held from before, it is done once more
 * with a new one: vendors end tokens early, for example when they restart.
 */
export async function withToken<T>(
  holder: TokenHolder,
  { send, isRefused }: { readonly send: (token: string) => Promise<T>; readonly isRefused: (answer: T) => boolean },
): Promise<T> {
  const { value, isNew } = await holder.current();
  const answer = await send(value);
  if (isNew || !isRefused(answer)) return answer;
  holder.drop(value);
  return send((await holder.current()).value);
}

/**
 * The token of an OAuth token endpoint (RFC 6749 §5.1) or of a cloud's metadata service, which writes numbers as text.
 * Undefined when the answer has none, or one that cannot stand in a header.
 */
export function tokenFrom(answer: SecretAnswer): AccessToken | undefined {
  const { access_token: value, expires_in: seconds } = jsonAnswer(answer) ?? {};
  if (answer.status !== 200 || typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) return undefined;
  const lifetime = Number(seconds ?? 0) * 1_000;
  return { value, lifetime: Number.isFinite(lifetime) ? Math.max(lifetime, 0) : 0 };
}
