import { visit } from "../support/browser.ts";
import { openBrowser } from "../support/person.ts";

/** Somebody who reads what a program prints. */
export interface PersonAsked {
  /** Call it with all text so far. */
  readonly look: (text: string) => void;
  /** Resolves when the browser was sent back to the program; rejects when nobody was asked, or the sign-in failed. */
  finished(): Promise<void>;
}

/** Visits the first address with this beginning that a program prints. */
export function signInWhenAsked(
  beginning: string,
  signIn: (address: string) => Promise<void> = byRedirects,
): PersonAsked {
  let signedIn: Promise<void> | undefined;
  return {
    look: (text) => {
      if (signedIn !== undefined) return;
      const address = addressIn(text, beginning);
      if (address === undefined) return;
      signedIn = signIn(address);
      // Whoever waits learns of it; the program is still running meanwhile.
      signedIn.catch(() => undefined);
    },
    finished: () => signedIn ?? Promise.reject(new Error("nobody was asked to sign in")),
  };
}

/** Up to what ends it, white space or a control character of a terminal: a piece of text may end within the address. */
function addressIn(text: string, beginning: string): string | undefined {
  const start = text.indexOf(beginning);
  if (start < 0) return undefined;
  const end = [...text.slice(start)].findIndex((character) => character <= " ");
  return end < 0 ? undefined : text.slice(start, start + end);
}

/** At a provider that asks nothing. */
async function byRedirects(address: string): Promise<void> {
  const { url, response } = await visit(address);
  const text = await response?.text();
  if (response?.ok !== true) throw new Error(`signing in ended at ${url.pathname}: ${response?.status} ${text}`);
}

/** At the quickstart: allows the agent, and chooses who to be. */
export async function asAda(address: string): Promise<void> {
  const browser = openBrowser(() => true);
  const asked = await browser.press(await browser.open(address), "Allow");
  const { url, response, html } = await browser.press(asked, "Ada Byron");
  if (response?.ok !== true) throw new Error(`signing in ended at ${url.pathname}: ${response?.status} ${html}`);
}
