import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { createInvitation } from "../../../lib/directory/invitations.ts";
import { createSignInLink } from "../../../lib/directory/sign-in.ts";
import { CONSOLE } from "../../support/configuration.ts";
import { type ConsoleBrowser, consoleBrowser } from "../../support/console-browser.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { type InProcess, ISSUER, startInProcess } from "../../support/in-process.ts";
import { CORP } from "../../support/oauth-apps.ts";
import { openBrowser, type PersonsBrowser, type Visit } from "../../support/person.ts";

/** The Console in this process, with a real identity provider that people sign in at. */
export interface ConsoleStarted {
  readonly product: InProcess;
  readonly provider: IdentityProvider;
  /** A browser in which nobody is signed in. */
  newBrowser(): Browser;
  /** One in which the person of an address is, the first owner unless stated. */
  signedIn(email?: string): Promise<Browser>;
  /** The secret of an invitation by the first owner. */
  invite(email: string): Promise<string>;
  stop(): Promise<void>;
}

/** Pages that ask for others, and what of them the Console's scripts ask for. */
export interface Browser extends ConsoleBrowser {
  readonly pages: PersonsBrowser;
}

/** The connectors `corp`, with which people sign in to the Console, and `other`, with which they do not. */
export async function startConsole(
  adapt: (dependencies: Dependencies) => Dependencies = (same) => same,
): Promise<ConsoleStarted> {
  const provider = await startIdentityProvider();
  await provider.register([`${ISSUER}/api/v1/sign-in/oidc/callback`]);
  const { client, wellKnown: wellKnownURL } = provider;
  const corp = { ...CORP, wellKnownURL, clientID: client.id, clientSecret: client.secret, scopes: ["openid", "email"] };
  const product = await startInProcess({
    configuration: {
      connectors: [corp, { ...corp, name: "other" }],
      console: { ...CONSOLE, enabled: true, baseURL: ISSUER, connectors: ["corp"] },
    },
    adapt,
  });
  product.clock.set(Date.now());
  const owner = await product.dependencies.stores.directory.findPersonByEmail("owner@example.com");
  const organization = await product.dependencies.stores.directory.firstOrganization();
  const newBrowser = () => browserOf(product, provider);
  return {
    product,
    provider,
    newBrowser,
    signedIn: async (email = "owner@example.com") => {
      const person = await product.dependencies.stores.directory.findPersonByEmail(email);
      const { url } = await createSignInLink(product.dependencies, person?.userId as string, "operator:test");
      const browser = newBrowser();
      await browser.call("POST", "/sign-in/link", { token: url.split("#token=")[1] });
      return browser;
    },
    invite: async (email) => {
      const actor = { id: owner?.userId as string, organizationId: organization?.organizationId as string };
      const { link } = await createInvitation(product.dependencies, actor, { email, role: "member" });
      return link.split("#token=")[1] as string;
    },
    stop: async () => {
      await product.close();
      await provider.stop();
    },
  };
}

/** Goes to the connector with what is asked for, signs in there, and comes back: the page of the Console that it ends at. */
export async function goThroughCorp(browser: Browser, asked: object = {}, login = "alice"): Promise<Visit> {
  const { body } = await browser.call("POST", "/sign-in/oidc/corp", asked);
  return signInAtCorp(browser, body.location as string, login);
}

export async function signInAtCorp(browser: Browser, location: string, login = "alice"): Promise<Visit> {
  const page = await browser.pages.open(location);
  return page.html.includes("Sign in at Corp") ? browser.pages.press(page, "Sign in", { login }) : page;
}

function browserOf(product: InProcess, provider: IdentityProvider): Browser {
  const pages = openBrowser(
    ({ origin, pathname }) => origin === provider.issuer || (origin === ISSUER && pathname.startsWith("/api/")),
    (url, init) => (url.origin === ISSUER ? product.send(url.pathname + url.search, init) : fetch(url, init)),
  );
  return { pages, ...consoleBrowser((path, init) => product.send(path, init), pages.cookies) };
}
