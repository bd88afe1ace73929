import type { Snippet, SnippetFacts } from "./snippet.ts";

/** A program for Python 3: discovery, then a signed assertion (RFC 7523), by PyJWT and requests. */
export function pythonSnippet({ issuer, clientId, keyFile, resource }: SnippetFacts): Snippet {
  const file = "get_token.py";
  const target = resource === undefined ? "" : `\n    "resource": ${quoted(resource)},`;
  const code = `# pip install "pyjwt[crypto]" requests
import time
import uuid

import jwt
import requests

ISSUER = ${quoted(issuer.replace(/\/$/, ""))}
CLIENT = ${quoted(clientId)}

metadata = requests.get(f"{ISSUER}/.well-known/openid-configuration", timeout=10).json()
endpoint = metadata["token_endpoint"]
with open(${quoted(keyFile)}) as file:
    key = file.read()
now = int(time.time())
claims = {
    "iss": CLIENT,
    "sub": CLIENT,
    "aud": endpoint,
    "iat": now,
    "exp": now + 60,
    "jti": str(uuid.uuid4()),
}
answer = requests.post(endpoint, timeout=10, data={
    "grant_type": "client_credentials",
    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    "client_assertion": jwt.encode(claims, key, algorithm="ES256"),${target}
})
answer.raise_for_status()
print(answer.json()["access_token"])
`;
  return { code, file, run: `TOKEN=$(python3 ${file})` };
}

/** Escapes of JSON are escapes of Python, too. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
