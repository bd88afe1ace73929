import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { openBrowser, type PersonsBrowser } from "../support/person.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { EVENTS, type EventFields, eventRequest, signedEvent } from "../support/transmitter.ts";
import { answerOf, manage, NO_UPSTREAM, type Owner, setUpOwner } from "./fixture.ts";
import { AGENT, CALLBACK, peopleConfiguration, providerVariables } from "./people-configuration.ts";

const TOKEN = "token-of-the-transmitter";
const signalsConfiguration = peopleConfiguration.replace(
  "apps:\n",
  `signals:\n  - connector: corp\n    token: ${TOKEN}\napps:\n`,
);

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
}

/** People who leave their company, or lose a session there, as its identity provider tells. */
export function signals(runtime: RuntimeUnderTest): void {
  describe("security events", { timeout: 60_000 }, () => {
    let regions: RunningRegions;
    let provider: IdentityProvider;
    let owner: Owner;
    let client: openid.Configuration;

    beforeAll(async () => {
      provider = await startIdentityProvider();
      const variables = { UPSTREAM_URL: NO_UPSTREAM, ...providerVariables(provider) };
      regions = await runtime.start({ configuration: signalsConfiguration, variables, alone: true });
      await provider.register([`${regions.us.url}/oauth2/callback`]);
      owner = await setUpOwner(regions.us);
      client = await openid.discovery(
        new URL(regions.us.url),
        AGENT.clientId,
        undefined,
        openid.ClientSecretBasic(AGENT.secret),
        { execute: [openid.allowInsecureRequests] },
      );
    });
    afterAll(async () => {
      await regions.stop();
      await provider.stop();
    });

    const newBrowser = () => openBrowser(({ origin }) => origin === regions.us.url || origin === provider.issuer);

    /** @returns where the browser comes back to the agent, which asks for the person's tokens; whether they had to sign in at the provider */
    const visit = async (browser: PersonsBrowser, login: string) => {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const authorization = openid.buildAuthorizationUrl(client, {
        redirect_uri: CALLBACK,
        scope: "openid offline_access tools:read",
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      });
      const page = await browser.open(authorization);
      const isAsked = page.html.includes("Sign in at Corp");
      const { url } = isAsked ? await browser.press(page, "Sign in", { login }) : page;
      return { url, pkceCodeVerifier, wentToProvider: page.way.some((address) => address.startsWith(provider.issuer)) };
    };
    const signIn = async (browser: PersonsBrowser, login: string): Promise<Tokens> => {
      const { url, pkceCodeVerifier } = await visit(browser, login);
      return openid.authorizationCodeGrant(client, url, { pkceCodeVerifier });
    };
    const isAlive = async ({
      access_token,
      refresh_token,
    }: Tokens): Promise<readonly [access: boolean, refresh: boolean]> => {
      const { active } = await openid.tokenIntrospection(client, access_token);
      const refreshed = await openid.refreshTokenGrant(client, refresh_token ?? "").catch(() => undefined);
      return [active === true, refreshed !== undefined];
    };
    const signed = (fields: EventFields, login?: string) =>
      signedEvent(
        { issuer: provider.issuer, audience: provider.client.id, key: provider.key },
        { ...(login !== undefined && { subject: { format: "iss_sub", iss: provider.issuer, sub: login } }), ...fields },
      );
    const push = async (token: string, authorization = `Bearer ${TOKEN}`) => {
      const response = await fetch(`${regions.us.url}/signals/corp`, eventRequest(token, { authorization }));
      return { status: response.status, body: await response.text() };
    };

    test("75. a revoked session ends the person's tokens and their session here, once, and leaves others theirs", async () => {
      const [browser, others] = [newBrowser(), newBrowser()];
      const [former, bobs] = [await signIn(browser, "ada"), await signIn(others, "bob")];
      const revoked = await signed({ type: EVENTS.sessionRevoked }, "ada");
      expect(await push(revoked)).toEqual({ status: 202, body: "" });
      expect(await isAlive(former)).toEqual([false, false]);
      expect((await openid.tokenIntrospection(client, bobs.access_token)).active).toBe(true);
      expect((await visit(others, "bob")).wentToProvider).toBe(false);
      // What begins in the second of the event still counts as before it.
      const next = await eventually(
        async () => {
          const tokens = await signIn(newBrowser(), "ada").catch(() => undefined);
          return tokens !== undefined && (await openid.tokenIntrospection(client, tokens.access_token)).active
            ? tokens
            : undefined;
        },
        (tokens) => tokens !== undefined,
      );
      expect((await visit(browser, "ada")).wentToProvider).toBe(true);
      expect(await push(revoked)).toEqual({ status: 202, body: "" });
      expect((await openid.tokenIntrospection(client, next?.access_token ?? "")).active).toBe(true);
    });

    test("75. a disabled account has no tokens and gets none until it is enabled, and what it had stays over", async () => {
      const former = await signIn(newBrowser(), "carol");
      expect((await push(await signed({ type: EVENTS.accountDisabled }, "carol"))).status).toBe(202);
      expect(await isAlive(former)).toEqual([false, false]);
      const refused = await signIn(newBrowser(), "carol").then(
        () => "signed in",
        () => "refused",
      );
      expect(refused).toBe("refused");
      expect((await push(await signed({ type: EVENTS.accountEnabled }, "carol"))).status).toBe(202);
      const tokens = await signIn(newBrowser(), "carol");
      expect(await isAlive(tokens)).toEqual([true, true]);
      expect(await isAlive(former)).toEqual([false, false]);
    });

    test("75. what is forged, meant for others or presented without the token ends nothing", async () => {
      const tokens = await signIn(newBrowser(), "dave");
      const event = { type: EVENTS.accountDisabled };
      const [header, payload = "", signature = ""] = (await signed(event, "dave")).split(".");
      const forged = [header, payload, signature.replace(/^./, (first) => (first === "A" ? "B" : "A"))].join(".");
      const foreign = await signed({ ...event, claims: { aud: "https://other.example" } }, "dave");
      const elsewhere = await signed({
        ...event,
        subject: { format: "iss_sub", iss: "https://other.example", sub: "dave" },
      });
      const answers = [
        await push(forged),
        await push(foreign),
        await push(elsewhere),
        await push(await signed(event, "dave"), "Bearer other"),
      ];
      expect(answers.map(({ status, body }) => [status, JSON.parse(body).err])).toEqual([
        [400, "invalid_key"],
        [400, "invalid_audience"],
        [400, "invalid_request"],
        [400, "authentication_failed"],
      ]);
      expect(await isAlive(tokens)).toEqual([true, true]);
    });

    test("75. of each event there is a record, with what it brought about; of people whom nobody knows, too", async () => {
      expect((await push(await signed({ type: EVENTS.sessionRevoked }, "nobody"))).status).toBe(202);
      const verification = {
        type: EVENTS.verification,
        subject: { format: "opaque", id: "s" },
        content: { state: "abc" },
      };
      expect((await push(await signed(verification))).status).toBe(202);
      const { items } = await eventually(
        async () => {
          const { body } = await answerOf(manage(owner, "GET", "/audit-events?type=signal.received&limit=50"));
          return body as unknown as { readonly items: readonly { readonly details: Record<string, string> }[] };
        },
        (page) => page.items.some(({ details }) => details.state === "abc"),
      );
      const found = items.map(({ details: { event, effect } }) => [event, effect]);
      expect(found).toContainEqual([EVENTS.accountEnabled, "lifted"]);
      expect(found).toContainEqual([EVENTS.accountDisabled, "suspended"]);
      expect(found).toContainEqual([EVENTS.sessionRevoked, "ended"]);
      expect(found).toContainEqual([EVENTS.verification, "none"]);
    });
  });
}
