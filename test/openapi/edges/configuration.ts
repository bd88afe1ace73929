import { compileConfiguration } from "../../../lib/config/compile.ts";
import { formatMessage } from "../../../lib/config/messages.ts";

const CONFIGURATION = `
version: "1"
http: { publicURL: "{{ env.PUBLIC_URL }}" }
mcpProvider:
  enabled: true
  transports: { stream: { enabled: true, path: /mcp } }
  authorization: { oauth: { enabled: false } }
  catalog: { search: "on" }
apps:
  - name: github
    type: mcpBridge
    openapi: { spec: { uri: "file://document.json" }, baseURL: "{{ env.UPSTREAM_URL }}" }
`;

/** The artifact, as JSON, of a gateway for whose one app the document is. Agents search its tools, however few they are. */
export async function artifactOf(document: string): Promise<string> {
  const readDocument = () => Promise.resolve(document);
  const compiled = await compileConfiguration(CONFIGURATION, { file: "countersign.yaml", readDocument });
  if ("errors" in compiled) throw new Error(compiled.errors.map(formatMessage).join("\n"));
  return JSON.stringify(compiled.artifact);
}

/** One operation of GitHub's document: what else the artifact of the gateway holds beside a large catalog. */
export const SMALL_DOCUMENT = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Git references", version: "1" },
  paths: {
    "/repos/{owner}/{repo}/git/ref/{ref}": {
      get: {
        operationId: "git/get-ref",
        summary: "Get a reference",
        parameters: ["owner", "repo", "ref"].map((name) => ({
          name,
          in: "path",
          required: true,
          schema: { type: "string" },
        })),
        responses: { 200: { description: "A reference." } },
      },
    },
  },
});
