import { openBrowser } from "../../support/person.ts";

/**
 * Goes where a client sends a person, and does what the pages ask: allows the agent, signs in at the company.
 *
 * @param page the authorization request
 * @param redirectURL the client's; where the browser is sent back to
 * @returns the parameters that the redirect back carries
 */
export type SignIn = (page: URL, redirectURL: string) => Promise<URLSearchParams>;

/** The name that the person signs in with. */
export const ALICE = "alice";

/** Without a browser: by the requests that one would send. */
export const signInByHttp: SignIn = async (page, redirectURL) => {
  const back = new URL(redirectURL);
  const browser = openBrowser((url) => url.host !== back.host);
  let visit = await browser.open(page);
  for (let pages = 0; visit.url.host !== back.host && pages < MAX_PAGES; pages++) {
    visit = visit.html.includes(">Allow<")
      ? await browser.press(visit, "Allow")
      : await browser.press(visit, "Sign in", { login: ALICE });
  }
  return visit.url.searchParams;
};

/** The agent's consent and the company's login, in either order, or one of them. */
const MAX_PAGES = 2;
