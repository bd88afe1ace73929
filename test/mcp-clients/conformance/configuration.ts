import { readFileSync } from "node:fs";
import { beginning, bridgeApp, NO_CONSOLE, SESSIONS } from "../../support/yaml.ts";

const openapi = readFileSync(new URL("tools.openapi.yaml", import.meta.url), "utf8");

/** A gateway that asks nobody for a token, since the conformance scenarios bring none, and leaves names as they are. */
export const conformanceConfiguration = `${beginning()}${NO_CONSOLE}mcpProvider:
  enabled: true
${SESSIONS}  authorization:
    oauth:
      enabled: false
apps:
${bridgeApp("conformance", openapi, "    toolNamespace:\n      disabled: true\n")}    authorization:
      outbound:
        type: unprotected
`;
