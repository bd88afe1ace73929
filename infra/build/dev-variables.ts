import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { persistentFile } from "../node/store-folder/persistent-file.ts";

/** Where wrangler looks for variables and secrets of a Worker on this machine; never in git. */
export const DEV_VARIABLES = ".dev.vars";

/** Makes the file with secrets of its own unless it is there: whoever wrote one by hand keeps it. */
export function ensureDevVariables(folder: string): void {
  persistentFile(folder, DEV_VARIABLES, () => Buffer.from(variables()));
}

/** The texts of the file, by name. */
export function readDevVariables(folder: string): Readonly<Record<string, string | undefined>> {
  return parseEnv(readFileSync(join(folder, DEV_VARIABLES), "utf8"));
}

function variables(): string {
  return `# Of the Worker on this machine, made by "npm run dev". The setup token makes the first owner, once.
PUBLIC_URL=http://localhost:8787
UPSTREAM_URL=http://localhost:8081
CS_COUNTERSIGN_SETUP_TOKEN=${randomBytes(24).toString("base64url")}
CS_COUNTERSIGN_ID_SECRET=${randomBytes(32).toString("base64url")}
`;
}
