import * as oauth from "oauth4webapi";
import { type McpClient, mcpClient } from "./mcp-client.ts";

/** What an API client's owner hands to the agent. */
export interface AgentCredentials {
  readonly clientId: string;
  /** The ES256 private key of one of the client's key pairs. */
  readonly privateKey: CryptoKey;
}

/** Where the agent may get a token for an MCP endpoint that it knew nothing but the URL of. */
export interface Discovery {
  readonly mcpURL: string;
  readonly resourceMetadataURL: string;
  readonly server: oauth.AuthorizationServer;
}

export interface AccessToken {
  readonly text: string;
  /** Seconds. */
  readonly expiresIn: number;
}

// The quickstart runs on this machine without TLS; everywhere else HTTPS is required.
const http = { [oauth.allowInsecureRequests]: true };

/** From the MCP URL alone to its authorization server: the challenge (RFC 6750), RFC 9728, then OpenID discovery. */
export async function discover(mcpURL: string): Promise<Discovery> {
  const challenge = await fetch(mcpURL, { method: "POST" });
  const resourceMetadataURL = /resource_metadata="([^"]+)"/.exec(challenge.headers.get("WWW-Authenticate") ?? "")?.[1];
  if (challenge.status !== 401 || resourceMetadataURL === undefined) {
    throw new Error(`Expected a challenge from ${mcpURL}, not HTTP ${challenge.status}.`);
  }
  const resource = await oauth.processResourceDiscoveryResponse(new URL(mcpURL), await fetch(resourceMetadataURL));
  const issuer = resource.authorization_servers?.[0];
  if (issuer === undefined) throw new Error(`${resourceMetadataURL} names no authorization server.`);
  const response = await oauth.discoveryRequest(new URL(issuer), http);
  const server = await oauth.processDiscoveryResponse(new URL(issuer), response);
  return { mcpURL, resourceMetadataURL, server };
}

/** The client credentials grant with an assertion signed by the agent's key (RFC 7523); `resource` says what it is for. */
export async function requestToken(
  server: oauth.AuthorizationServer,
  { clientId, privateKey }: AgentCredentials,
  resource?: string,
): Promise<AccessToken> {
  const client = { client_id: clientId };
  const parameters: Record<string, string> = resource === undefined ? {} : { resource };
  const authentication = oauth.PrivateKeyJwt(privateKey);
  const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, http);
  const token = await oauth.processClientCredentialsResponse(server, client, response);
  return { text: token.access_token, expiresIn: token.expires_in ?? 0 };
}

/** The gateway as this agent sees it. */
export function connect({ mcpURL }: Discovery, token: AccessToken): McpClient {
  return mcpClient(mcpURL, token.text);
}

export interface AuditRecord {
  readonly id: string;
  readonly type: string;
  readonly outcome: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly durationMs?: number;
}

/** The newest audit record of this agent's tool calls, from the management API. */
export async function readLastCall(managementURL: string, agent: string, token: AccessToken): Promise<AuditRecord> {
  const query = new URLSearchParams({ type: "tool.invoked", agent, limit: "1" });
  const response = await fetch(`${managementURL}/audit-events?${query}`, {
    headers: { Authorization: `Bearer ${token.text}` },
  });
  if (!response.ok) throw new Error(`The audit log answered HTTP ${response.status}: ${await response.text()}`);
  const { items } = (await response.json()) as { items: AuditRecord[] };
  if (items[0] === undefined) throw new Error("The audit log has no record of the call.");
  return items[0];
}
