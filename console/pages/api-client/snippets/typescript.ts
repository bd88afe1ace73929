import type { Snippet, SnippetFacts } from "./snippet.ts";

/** A program for Node: discovery, then a signed assertion (RFC 7523), by openid-client 6. */
export function typescriptSnippet({ issuer, clientId, keyFile, resource }: SnippetFacts): Snippet {
  // By its name a module, whatever the package.json around it says.
  const file = "get-token.mts";
  const isPlain = issuer.startsWith("http:");
  const parameters = resource === undefined ? "" : `, {\n  resource: ${quoted(resource)},\n}`;
  // Only where the issuer is no https URL: on one's own machine.
  const options = isPlain ? ",\n  { execute: [client.allowInsecureRequests] }" : "";
  const code = `// npm install openid-client jose
import { readFile } from "node:fs/promises";
import { importPKCS8 } from "jose";
import * as client from "openid-client";

const key = await importPKCS8(await readFile(${quoted(keyFile)}, "utf8"), "ES256");
const server = await client.discovery(
  new URL(${quoted(issuer)}),
  ${quoted(clientId)},
  undefined,
  client.PrivateKeyJwt(key)${options},
);
const { access_token } = await client.clientCredentialsGrant(server${parameters});
console.log(access_token);
`;
  return { code, file, run: `TOKEN=$(node ${file})` };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
