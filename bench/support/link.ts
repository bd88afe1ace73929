import * as oauth from "oauth4webapi";
import {
  AGENT,
  CALLBACK,
  GATEWAY_APP,
  LEDGER,
  peopleConfiguration,
} from "../../test/behaviour/people-configuration.ts";
import { openBrowser } from "../../test/support/person.ts";

/** Authorization server and gateway in one; calls carry exchanged tokens. */
export const linkConfiguration: string = `${peopleConfiguration.replace("method: introspection", "method: auto")}
    authorization:
      inbound:
        members: any
      outbound:
        type: tokenExchange
        tokenExchange:
          idp: oidcProvider
          clientID: ${GATEWAY_APP.clientId}
          audience: ${LEDGER}
          tools:
            - name: /.*/
              ttl: 5m
              scopes:
                - name: ledger:read
`;

/** A person who signed in for an agent. */
export interface Link {
  /** Whether a tool could be called with the agent's access token. */
  call(): Promise<boolean>;
  /** Takes the agent's refresh token back, which ends everything between the two. */
  revoke(): Promise<void>;
}

export async function newLink(issuer: string, company: string): Promise<Link> {
  const { access_token, refresh_token = "" } = await signIn(issuer, company);
  return {
    call: async () => {
      const response = await fetch(`${issuer}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-06-18",
          authorization: `Bearer ${access_token}`,
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "upstream_listTags", arguments: {} },
        }),
      });
      const text = await response.text();
      if (response.status === 401) return false;
      if (response.status !== 200 || !text.includes('"result"') || text.includes('"isError":true')) {
        throw new Error(`a call was answered with ${response.status}: ${text}`);
      }
      return true;
    },
    revoke: async () => {
      const response = await oauth.revocationRequest(
        await metadata(issuer),
        CLIENT,
        AUTHENTICATION,
        refresh_token,
        INSECURE,
      );
      await oauth.processRevocationResponse(response);
    },
  };
}

const CLIENT: oauth.Client = { client_id: AGENT.clientId };
const AUTHENTICATION = oauth.ClientSecretBasic(AGENT.secret);
/** Everything is on loopback. */
const INSECURE = { [oauth.allowInsecureRequests]: true };

async function metadata(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, INSECURE));
}

async function signIn(issuer: string, company: string): Promise<oauth.TokenEndpointResponse> {
  const server = await metadata(issuer);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const page = new URL(server.authorization_endpoint ?? "");
  page.search = new URLSearchParams({
    response_type: "code",
    client_id: AGENT.clientId,
    redirect_uri: CALLBACK,
    resource: `${issuer}/mcp`,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }).toString();
  const browser = openBrowser(({ origin }) => origin === issuer || origin === company);
  const { url } = await browser.press(await browser.open(page), "Sign in", { login: "ada" });
  const parameters = oauth.validateAuthResponse(server, CLIENT, url, state);
  const options = { ...INSECURE, additionalParameters: { resource: `${issuer}/mcp` } };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    CLIENT,
    AUTHENTICATION,
    parameters,
    CALLBACK,
    verifier,
    options,
  );
  return oauth.processAuthorizationCodeResponse(server, CLIENT, response);
}
