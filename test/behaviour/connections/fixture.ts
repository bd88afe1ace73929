import * as openid from "openid-client";
import { base64url } from "../../../lib/kernel/encoding.ts";
import { personId } from "../../../lib/stores/identities.ts";
import { browserFetch } from "../../support/browser-fetch.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { openBrowser, type PersonsBrowser, type Visit } from "../../support/person.ts";
import type { RunningRegion, RuntimeUnderTest } from "../../support/runtime.ts";
import {
  basic,
  expectJson,
  manage,
  type Owner,
  postForm,
  setUpOwner,
  tokenEndpointOf,
  untilReady,
} from "../fixture.ts";
import { bearer, mcpURL } from "../gateway-fixture.ts";
import { answerTo, readEvents } from "../mcp/events.ts";
import { listen, notification, post, request } from "../mcp/session.ts";
import { modern, modernHeaders } from "../mcp/stateless-fixture.ts";
import { AGENT, CALLBACK, providerVariables } from "../people-configuration.ts";
import { PAGE } from "../web-apps/fixture.ts";
import { connectionsConfiguration, type HELPER } from "./configuration.ts";
import { type Hub, startHub } from "./hub.ts";

/** One region, a company's identity provider, and a SaaS at which people have accounts. */
export interface ConnectionsUnderTest {
  readonly us: RunningRegion;
  readonly hub: Hub;
  readonly owner: Owner;
  /** An agent with a token of the person; `AGENT` unless stated. */
  agentOf(login: string, client?: typeof AGENT | typeof HELPER): Promise<PersonsAgent>;
  /** Opens a link, and signs in on the way unless somebody is. */
  opened(browser: PersonsBrowser, link: string, login: string): Promise<Visit>;
  newBrowser(): PersonsBrowser;
  /** As this instance names whoever signs in as that. */
  personOf(login: string): string;
  /** The person goes from the link to the page that says that the account is connected; at the SaaS they are called the same. */
  walk(link: string, login: string): Promise<void>;
  /** All that agents and browsers were answered so far, and what the audit log and the log say. */
  told(): Promise<string>;
  stop(): Promise<void>;
}

/** An answer of the gateway: what tests read of it. */
export interface Told {
  readonly result: {
    readonly resultType?: string;
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
    readonly tools: readonly { readonly name: string }[];
    readonly inputRequests: { readonly connect: { readonly params: { readonly url: string } } };
    readonly requestState: string;
  };
  readonly error: { readonly code: number; readonly data: { readonly elicitations: readonly Elicitation[] } };
}

interface Elicitation {
  readonly url: string;
  readonly elicitationId: string;
}

export interface PersonsAgent {
  readonly token: string;
  /**
   * A request of 2026-07-28.
   *
   * @param elicitation what the agent declares; `{}` is form mode alone
   */
  ask(method: string, params: object, elicitation?: object): Promise<Told>;
  /** A session of 2025-11-25 with URL mode. */
  session(): Promise<AgentsSession>;
}

export interface AgentsSession {
  call(name: string): Promise<Told>;
  listen(): Promise<ReturnType<typeof readEvents>>;
}

/** The one note that the API has. */
export const NOTE = { name: "upstream_getNote", arguments: { noteId: "1" } };

/** The link in the text of a result. */
export function linkIn({ result }: { readonly result: Pick<Told["result"], "content"> }): string {
  const found = /http\S+\/connect\/[\w-]+/.exec(result?.content?.[0]?.text ?? "");
  if (found === null) throw new Error(`no link in ${JSON.stringify(result)}`);
  return found[0];
}

export async function startConnections(
  runtime: RuntimeUnderTest,
  configuration = connectionsConfiguration,
): Promise<ConnectionsUnderTest> {
  const [provider, hub] = await Promise.all([startIdentityProvider(), startHub()]);
  const regions = await runtime.start({
    configuration,
    variables: {
      ...{ UPSTREAM_URL: hub.url, HUB_URL: hub.url, VAULT_KEY: base64url(crypto.getRandomValues(new Uint8Array(32))) },
      ...providerVariables(provider),
    },
    alone: true,
  });
  const { us } = regions;
  await provider.register([`${us.url}/oauth2/callback`]);
  await untilReady(us);
  const owner = await setUpOwner(us);
  const answers: string[] = [];
  const newBrowser = () =>
    openBrowser(
      ({ hostname }) => hostname === "127.0.0.1",
      (url, init) => browserFetch(url, { ...init, headers: { ...PAGE, ...(init.headers as Record<string, string>) } }),
    );
  const opened = async (browser: PersonsBrowser, link: string, login: string) => {
    const page = await browser.open(link);
    const shown = page.html.includes("Sign in at Corp") ? await browser.press(page, "Sign in", { login }) : page;
    answers.push(shown.html);
    return shown;
  };
  return {
    ...{ us, hub, owner, newBrowser, opened },
    personOf: (login) => personId({ issuer: provider.issuer, subject: login }),
    agentOf: async (login, client = AGENT) => agentWith(us, await tokenOf(us, provider, login, client), answers),
    walk: async (link, login) => {
      const browser = newBrowser();
      const page = await opened(browser, link, login);
      hub.login = login;
      const done = await browser.press(page, "Go on");
      answers.push(done.html);
      if (!done.html.includes("is connected to")) throw new Error(`not connected: ${done.html}`);
    },
    told: async () => [...answers, ...us.logs(), await everyRecord(owner)].join("\n"),
    stop: async () => {
      await regions.stop();
      await Promise.all([provider.stop(), hub.stop()]);
    },
  };
}

/** A token for the gateway, by the person's sign-in. */
async function tokenOf(
  us: RunningRegion,
  { issuer }: IdentityProvider,
  login: string,
  client: typeof AGENT | typeof HELPER,
): Promise<string> {
  const browser = openBrowser(({ origin }) => origin === us.url || origin === issuer);
  const code_verifier = openid.randomPKCECodeVerifier();
  const page = new URL(`${us.url}/oauth2/authorize`);
  page.search = new URLSearchParams({
    ...{ response_type: "code", client_id: client.clientId, redirect_uri: CALLBACK, scope: "openid tools:read" },
    code_challenge: await openid.calculatePKCECodeChallenge(code_verifier),
    ...{ code_challenge_method: "S256", state: crypto.randomUUID(), resource: mcpURL(us) },
  }).toString();
  const { url } = await browser.press(await browser.open(page), "Sign in", { login });
  const code = url.searchParams.get("code") ?? "";
  const form = { grant_type: "authorization_code", code, redirect_uri: CALLBACK, code_verifier, resource: mcpURL(us) };
  const answer = await postForm(tokenEndpointOf(us), form, basic(client));
  return (await expectJson<{ access_token: string }>(answer, 200)).access_token;
}

function agentWith(us: RunningRegion, token: string, answers: string[]): PersonsAgent {
  const authorization = bearer(token);
  const answered = async (response: Response): Promise<Told> => {
    const message = await answerTo(response);
    answers.push(JSON.stringify(message));
    return message as unknown as Told;
  };
  return {
    token,
    ask: async (method, params, elicitation = {}) => {
      const given = { ...params, _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation } } };
      return answered(await post(us, modern(method, given), { ...authorization, ...modernHeaders(method, given) }));
    },
    session: async () => {
      const clientInfo = { name: "agent", version: "1" };
      const capabilities = { elicitation: { url: {} } };
      const params = { protocolVersion: "2025-11-25", capabilities, clientInfo };
      const begun = await post(us, request("initialize", params), authorization);
      await begun.text();
      const headers = {
        ...authorization,
        "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
        "mcp-protocol-version": "2025-11-25",
      };
      await post(us, notification("notifications/initialized"), headers);
      return {
        call: async (name) => answered(await post(us, request("tools/call", { ...NOTE, name }), headers)),
        listen: async () => readEvents(await listen(us, headers)),
      };
    },
  };
}

/** All that the audit log has. */
async function everyRecord(owner: Owner): Promise<string> {
  let all = "";
  let cursor: string | undefined = "";
  while (cursor !== undefined) {
    const query: string = `limit=200${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer: Response = await manage(owner, "GET", `/audit-events?${query}`);
    const page = await expectJson<{ readonly items: unknown; readonly nextCursor?: string }>(answer, 200);
    all += JSON.stringify(page.items);
    cursor = page.nextCursor;
  }
  return all;
}
