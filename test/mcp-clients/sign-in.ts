import { visit } from "../support/browser.ts";

/** Visits the first address of this authorization server that a program prints; call it with all text so far. */
export function signInWhenAsked(issuer: string): { readonly look: (text: string) => void; finished(): Promise<void> } {
  let signedIn: Promise<void> | undefined;
  return {
    look: (text) => {
      // Up to the white space behind it: a piece of text may end within the address.
      const address = text
        .split(/\s/)
        .slice(0, -1)
        .find((word) => word.startsWith(`${issuer}/auth?`));
      if (address === undefined || signedIn !== undefined) return;
      signedIn = signIn(address);
      // Whoever waits learns of it; the program is still running meanwhile.
      signedIn.catch(() => undefined);
    },
    finished: () => signedIn ?? Promise.reject(new Error("nobody was asked to sign in")),
  };
}

async function signIn(address: string): Promise<void> {
  const { url, response } = await visit(address);
  const text = await response?.text();
  if (response?.ok !== true) throw new Error(`signing in ended at ${url.pathname}: ${response?.status} ${text}`);
}
