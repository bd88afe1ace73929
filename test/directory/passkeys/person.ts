import { createSignInLink } from "../../../lib/directory/sign-in.ts";
import { type ConsoleBrowser, consoleBrowser } from "../../support/console-browser.ts";
import type { InProcess } from "../../support/in-process.ts";
import {
  type Authenticator,
  type Ceremony,
  type CreationOptions,
  createAuthenticator,
  type RequestOptions,
} from "../../support/passkey.ts";

/** A browser in which nobody is signed in. */
export function browserOf(product: InProcess): ConsoleBrowser {
  return consoleBrowser((path, init) => product.send(path, init));
}

/** A browser in which the person of an address is signed in, the first owner unless stated. */
export async function signedIn(product: InProcess, email = "owner@example.com"): Promise<ConsoleBrowser> {
  const { directory } = product.dependencies.stores;
  const userId = (await directory.findPersonByEmail(email))?.userId as string;
  const { url } = await createSignInLink(product.dependencies, userId, "operator:test");
  const browser = browserOf(product);
  await browser.call("POST", "/sign-in/link", { token: url.split("#token=")[1] });
  return browser;
}

/** The whole ceremony of a new passkey. */
export async function addPasskey(browser: ConsoleBrowser, ceremony: Ceremony, name?: string): Promise<Authenticator> {
  const authenticator = await createAuthenticator();
  const { body: options } = await browser.call("POST", "/passkeys/options", {});
  const response = await authenticator.register(options as unknown as CreationOptions, ceremony);
  const { status, body } = await browser.call("POST", "/passkeys", { ...(name !== undefined && { name }), response });
  if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return authenticator;
}

/** The whole ceremony of a sign-in. */
export async function signInBy(authenticator: Authenticator, browser: ConsoleBrowser, ceremony: Ceremony) {
  const { body: options } = await browser.call("POST", "/sign-in/passkey/options", {});
  const answer = await authenticator.authenticate(options as unknown as RequestOptions, ceremony);
  return browser.call("POST", "/sign-in/passkey/verify", answer);
}
