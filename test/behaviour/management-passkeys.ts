import { describe, expect, test } from "vitest";
import { type ConsoleBrowser, consoleBrowser } from "../support/console-browser.ts";
import { type Ceremony, type CreationOptions, createAuthenticator, type RequestOptions } from "../support/passkey.ts";
import { CONSOLE_URL } from "./configuration.ts";
import type { Owner } from "./fixture.ts";

const PAGE = { origin: CONSOLE_URL };

/** The ceremonies of passkeys, with an authenticator that nobody holds. */
export function passkeys(owner: () => Owner): void {
  const newBrowser = (cookie?: string): ConsoleBrowser => {
    const [name = "", value = ""] = cookie?.split("=") ?? [];
    const cookies = new Map(cookie === undefined ? [] : [[name, value] as const]);
    return consoleBrowser((path, init) => fetch(owner().region.url + path, init), cookies);
  };

  describe("passkeys", () => {
    test("a person adds one, signs in with it, and cannot remove the last", async () => {
      const browser = newBrowser(owner().cookie);
      const authenticator = await createAuthenticator();
      const add = async (ceremony: Ceremony) => {
        const { body: options } = await browser.call("POST", "/passkeys/options", {});
        const response = await authenticator.register(options as unknown as CreationOptions, ceremony);
        const { status } = await browser.call("POST", "/passkeys", { name: "Laptop", response });
        return { status, again: (await browser.call("POST", "/passkeys", { name: "Laptop", response })).status };
      };
      expect(await add({ origin: "https://console.evil.example" })).toEqual({ status: 422, again: 422 });
      expect(await add({ ...PAGE, counter: 1 })).toEqual({ status: 201, again: 422 });
      expect((await browser.call("GET", "/passkeys")).body).toMatchObject({
        items: [{ passkeyId: authenticator.credentialId, name: "Laptop", isBackedUp: false }],
      });

      const visitor = newBrowser();
      const signIn = async (ceremony: Ceremony) => {
        const { body: options } = await visitor.call("POST", "/sign-in/passkey/options");
        const answer = await authenticator.authenticate(options as unknown as RequestOptions, ceremony);
        const { status } = await visitor.call("POST", "/sign-in/passkey/verify", answer);
        return { status, again: (await visitor.call("POST", "/sign-in/passkey/verify", answer)).status };
      };
      expect(await signIn({ origin: "https://console.evil.example", counter: 2 })).toEqual({ status: 403, again: 403 });
      expect((await visitor.call("GET", "/me")).status).toBe(401);
      expect(await signIn({ ...PAGE, counter: 2 })).toEqual({ status: 200, again: 403 });
      expect((await visitor.call("GET", "/me")).body).toMatchObject({ email: "owner@example.com" });
      expect(await signIn({ ...PAGE, counter: 2 })).toEqual({ status: 403, again: 403 });

      expect((await visitor.call("DELETE", `/passkeys/${authenticator.credentialId}`)).status).toBe(409);
    });

    test.each(["ES256", "EdDSA", "RS256"] as const)("a device may sign by %s", async (algorithm) => {
      const browser = newBrowser(owner().cookie);
      const authenticator = await createAuthenticator(algorithm);
      const { body: creation } = await browser.call("POST", "/passkeys/options", {});
      const response = await authenticator.register(creation as unknown as CreationOptions, PAGE);
      expect((await browser.call("POST", "/passkeys", { response })).status).toBe(201);
      const visitor = newBrowser();
      const { body: options } = await visitor.call("POST", "/sign-in/passkey/options", {});
      const answer = await authenticator.authenticate(options as unknown as RequestOptions, PAGE);
      expect((await visitor.call("POST", "/sign-in/passkey/verify", answer)).status).toBe(200);
    });

    test("anybody learns how people sign in, and who is not signed in has no passkeys", async () => {
      const { region } = owner().region;
      const { body } = await newBrowser().call("GET", "/sign-in");
      expect(body).toMatchObject({ region, setup: false, passkeys: true, connectors: [] });
      expect((await newBrowser().call("POST", "/passkeys/options", {})).status).toBe(401);
    });
  });
}
