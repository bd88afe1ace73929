import { openBrowser } from "../../support/person.ts";

/** How a person gets through the pages. */
export interface SignIn {
  /** Where the agent has the browser sent back to; absent: where nobody listens. */
  readonly redirectURL?: string;
  /**
   * Goes where a client sends a person, and does what the pages ask: allows the agent, signs in at the company.
   *
   * @param page the authorization request
   * @param redirectURL the client's
   * @returns the parameters that the redirect back carries
   */
  signIn(page: URL, redirectURL: string): Promise<URLSearchParams>;
}

/** The name that the person signs in with. */
export const ALICE = "alice";

/** Without a browser: by the requests that one would send. */
export async function signInByHttp(page: URL, redirectURL: string): Promise<URLSearchParams> {
  const back = new URL(redirectURL);
  const browser = openBrowser((url) => url.host !== back.host);
  let visit = await browser.open(page);
  for (let pages = 0; visit.url.host !== back.host && pages < MAX_PAGES; pages++) {
    visit = visit.html.includes(">Allow<")
      ? await browser.press(visit, "Allow")
      : await browser.press(visit, "Sign in", { login: ALICE });
  }
  if (visit.url.host !== back.host) throw new Error(`signing in ended at ${visit.url.pathname}: ${visit.html}`);
  return visit.url.searchParams;
}

/** The agent's consent and the company's login, in either order, or one of them. */
const MAX_PAGES = 2;
