import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activeToken } from "../../lib/authorization-server/tokens/access-token.ts";
import type { OidcAppConfiguration } from "../../lib/config/app-configuration.ts";
import type { TokenRecord } from "../../lib/stores/tokens.ts";
import { askToken, exchangeForm, signedIn, startWithApps, type Tokens } from "../support/chains.ts";
import { type InProcess, START } from "../support/in-process.ts";
import { AGENT, EXCHANGER, secretOf } from "../support/oauth-apps.ts";

const AUDIENCES = ["https://a.example", "https://b.example", "https://c.example"];
const SCOPES = ["one", "two", "three"];
const MINUTE = 60_000;

/** Each is registered for other scopes, audiences and lifetimes; the last may impersonate. */
const CALLERS: readonly OidcAppConfiguration[] = [0, 1, 2].map((number) => {
  const clientID = `caller-${number}`;
  return {
    ...EXCHANGER,
    clientID,
    secrets: [secretOf(clientID)],
    accessToken: { type: number === 1 ? "opaque" : "jwt", lifetime: (number + 2) * MINUTE },
    allowedAudiences: AUDIENCES.slice(number === 0 ? 0 : 1),
    scopes: SCOPES.slice(0, number + 1),
    tokenExchange: {
      impersonation: number === 2,
      subjectConnectors: [],
      ...(number === 0 && { maxLifetime: MINUTE }),
    },
  };
});

const step = fc.record({
  caller: fc.nat(CALLERS.length - 1),
  audience: fc.constantFrom(...AUDIENCES),
  scopes: fc.subarray(SCOPES),
  expiresIn: fc.option(fc.integer({ min: 1, max: 600 }), { nil: undefined }),
  mode: fc.constantFrom("delegation", "delegation", "impersonation"),
  seconds: fc.integer({ min: 0, max: 20 }),
});

describe("chains of exchanges", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps({ apps: [AGENT, ...CALLERS] });
  });
  afterAll(() => product.close());

  const recordOf = async (token: string): Promise<TokenRecord> => {
    const record = await activeToken(token, product.dependencies);
    if (record === undefined) throw new Error("the token is not active");
    return record;
  };

  test("17. whatever is asked for in whatever order, no bound is widened and no actor is lost", async () => {
    const outcomes = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        product.clock.set(START);
        let text = (await signedIn(product)).access_token;
        for (const { caller, audience, scopes, expiresIn, mode, seconds } of steps) {
          product.clock.set(product.clock.now() + seconds * 1_000);
          const app = CALLERS[caller] as OidcAppConfiguration;
          const subject = await activeToken(text, product.dependencies);
          if (subject === undefined) return;
          const answer = await askToken(
            product,
            app.clientID,
            exchangeForm(text, {
              audience,
              requested_mode: mode,
              ...(scopes.length > 0 && { scope: scopes.join(" ") }),
              ...(expiresIn !== undefined && { requested_expires_in: String(expiresIn) }),
            }),
          );
          outcomes.add(answer.status);
          const isAllowed =
            app.allowedAudiences.includes(audience) &&
            scopes.every((scope) => app.scopes.includes(scope)) &&
            (mode === "delegation" || (app.tokenExchange.impersonation && subject.claims?.act === undefined)) &&
            (mode === "impersonation" || actors(subject).length < 5) &&
            subject.expiresAt - product.clock.now() >= 1_000;
          expect(answer.status).toBe(isAllowed ? 200 : 400);
          if (!isAllowed) continue;
          text = (answer.body as Tokens).access_token;
          holds(subject, await recordOf(text), { app, audience, scopes, expiresIn, mode });
        }
      }),
      { numRuns: 60 },
    );
    expect(outcomes).toEqual(new Set([200, 400]));
  });

  function holds(
    subject: TokenRecord,
    token: TokenRecord,
    asked: {
      readonly app: OidcAppConfiguration;
      readonly audience: string;
      readonly scopes: readonly string[];
      readonly expiresIn: number | undefined;
      readonly mode: string;
    },
  ): void {
    const now = product.clock.now();
    expect(token).toMatchObject({
      subject: subject.subject,
      clientId: asked.app.clientID,
      audience: asked.audience,
      chainId: subject.chainId,
      consentId: subject.consentId,
      ancestors: [...(subject.ancestors ?? []), subject.tokenId],
    });
    expect(token.scopes.toSorted()).toEqual(asked.scopes.toSorted());
    const { maxLifetime = Number.POSITIVE_INFINITY } = asked.app.tokenExchange;
    const limits = [asked.app.accessToken.lifetime, maxLifetime, (asked.expiresIn ?? 1e9) * 1_000];
    expect(token.expiresAt).toBe(Math.min(subject.expiresAt, now + Math.min(...limits)));
    expect(actors(token)).toEqual(asked.mode === "delegation" ? [subject.clientId, ...actors(subject)] : []);
  }
});

function actors({ claims }: Pick<TokenRecord, "claims">): readonly unknown[] {
  const names: unknown[] = [];
  for (
    let act = claims?.act as { sub?: unknown; act?: unknown } | undefined;
    act !== undefined;
    act = act.act as never
  ) {
    names.push(act.sub);
  }
  return names;
}
