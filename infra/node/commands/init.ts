import { writeFile } from "node:fs/promises";
import { fileErrorReason, hasCode } from "../files/file-error.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";

const DEFAULT_FILE = "countersign.yaml";

/** `countersign init [-out FILE]`: writes a first configuration, never over a file, and says what comes next. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { out } = parseFlags(args, { out: "string" });
  const file = out || DEFAULT_FILE;
  await writeFile(file, FIRST_CONFIGURATION, { flag: "wx" }).catch((error: unknown) => {
    if (hasCode(error, "EEXIST")) throw new UsageError(`${file} exists already: name another file with -out FILE.`);
    throw new UsageError(`${file} cannot be written: ${fileErrorReason(error)}.`);
  });
  io.stdout(`${file} is written. Add your API or MCP server in it under apps, then:\n`);
  io.stdout(`  countersign validate -config ${file}\n  countersign -config ${file}\n`);
  return 0;
}

/** Everything in one process on this machine; the part that everybody has to fill in are the apps. */
const FIRST_CONFIGURATION = `# Configuration of Countersign. Check it with: countersign validate -config FILE
# All keys, for editors: countersign schema
version: "1"

http:
  address: localhost:8080 # where it listens
  # publicURL: https://us.identity.example # what clients use, when it is not the address above

store:
  path: ./data # starts at the folder in which the command runs; write an absolute path for a service

# The authorization server: API clients get opaque tokens for an assertion signed with their ES256 key.
oidcProvider:
  region: us # us or uk; the first letters of every token name it
  apiClients:
    accessToken:
      lifetime: 1h

# The MCP gateway: one endpoint for all apps below. It takes tokens of the authorization server above.
mcpProvider:
  enabled: true
  transports:
    stream:
      enabled: true
      path: /mcp
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: http://localhost:8080/.well-known/openid-configuration
          tokenValidation:
            method: introspection
            expectedAudiences:
              - http://localhost:8080/mcp
            # The server above is this process: it is asked without HTTP, and the secret is not used.
            introspection:
              clientID: gateway
              clientSecret: unused within one process
              timeout: 2s

# The pages for people, at /console. The first start prints the link for the first owner.
console:
  enabled: true

apps: []
# A REST API: each operation of its OpenAPI document becomes a tool. Replace the line above with:
# apps:
#   - name: orders
#     type: mcpBridge
#     mode: openapi
#     openapi:
#       spec:
#         uri: file://openapi.yaml # beside this file
#       baseURL: https://api.example.com
#     authorization:
#       inbound:
#         tools: # the scopes that an agent needs; the first line that fits the tool's name decides
#           - name: /get.*|list.*/
#             scopes: [orders:read]
#           - name: /.*/
#             scopes: [orders:write]
#       outbound:
#         type: unprotected
#
# An MCP server. It needs no change:
#   - name: notes
#     type: mcpProxy
#     upstream:
#       stream:
#         url: https://notes.example.com/mcp
#     authorization:
#       inbound:
#         tools:
#           - name: /.*/
#             scopes: [notes:use]
#       outbound:
#         type: unprotected
`;
