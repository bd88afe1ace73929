import { readFileSync, writeFileSync } from "node:fs";
import { compileConfiguration } from "../../lib/config/compile.ts";

/** What compiling a configuration with one large document took; the artifact is in the second file. */
export interface CompileUsage {
  readonly milliseconds: number;
  /** Resident memory of the whole process at its highest, bytes. */
  readonly peak: number;
  readonly tools: number;
  readonly leftOut: number;
}

/** Two patterns, as a configuration would have them: what may be read, and the rest. */
const CONFIGURATION = `
version: "1"
http: { publicURL: "http://127.0.0.1:1" }
mcpProvider:
  enabled: true
  transports: { stream: { enabled: true, path: /mcp } }
apps:
  - name: github
    type: mcpBridge
    openapi: { spec: { uri: "file://document.json" } }
    authorization:
      inbound:
        tools:
          - { name: '/.*\\/(get|list).*/', scopes: ["read"] }
          - { name: '/.*/', scopes: ["write"] }
`;

const [document = "", artifact = ""] = process.argv.slice(2);
const text = readFileSync(document, "utf8");
const startedAt = performance.now();
const compiled = await compileConfiguration(CONFIGURATION, {
  file: "countersign.yaml",
  readDocument: () => Promise.resolve(text),
});
const milliseconds = performance.now() - startedAt;
if ("errors" in compiled) throw new Error(JSON.stringify(compiled.errors.slice(0, 5)));

const { tools = [], leftOut = [] } = compiled.artifact.catalogs.github ?? {};
const usage: CompileUsage = {
  milliseconds,
  peak: process.resourceUsage().maxRSS * 1024,
  tools: tools.length,
  leftOut: leftOut.length,
};
writeFileSync(artifact, JSON.stringify(compiled.artifact));
console.log(JSON.stringify(usage));
