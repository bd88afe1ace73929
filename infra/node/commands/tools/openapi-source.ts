import { type CompiledCatalogs, compileCatalogs } from "../../../../lib/config/catalogs.ts";
import { ConfigurationError } from "../../../../lib/config/messages.ts";
import { documentReader } from "../../files/read-document.ts";
import { UsageError } from "../../usage-error.ts";
import type { ToolSource } from "./tool-apps.ts";

/** Stands in for the address of an API whose document names none: nothing is called. */
const NO_SERVER = "http://localhost";
const ACCEPTED = "accepted are a file and an https URL";

/**
 * The tools of one OpenAPI document, as an app of this name with nothing but the document would have them.
 *
 * @param location a path from the working folder, or an `https://` URL
 * @throws ConfigurationError with the mistakes in the document
 * @throws UsageError when it cannot be read
 */
export async function sourceOfDocument(location: string, name = nameOf(location)): Promise<ToolSource> {
  const uri = uriOf(location);
  const first = await compiled(location, appOf(name, { spec: { uri } }));
  const result =
    first === "no server" ? await compiled(location, appOf(name, { spec: { uri }, baseURL: NO_SERVER })) : first;
  const catalog = result === "no server" ? undefined : result.catalog;
  if (result === "no server" || catalog === undefined) throw new Error(`${location} made no catalog`);
  const document = first === "no server" ? undefined : result.document;
  return { apps: [{ name, catalog, document }], servers: [], isConfiguration: false };
}

type App = ReturnType<typeof appOf>;

function appOf(name: string, openapi: { readonly spec: { readonly uri: string }; readonly baseURL?: string }) {
  return { type: "mcpBridge", name, openapi };
}

async function compiled(location: string, document: App) {
  const sources = { file: "", readDocument: documentReader(process.cwd()) };
  const { catalogs, problems, elsewhere } = await compileCatalogs({ apps: [document] }, sources);
  if (elsewhere.length > 0) throw new ConfigurationError(elsewhere);
  if (problems.some(namesNoServer)) return "no server";
  const [problem] = problems;
  if (problem !== undefined) throw new UsageError(`${location}: ${problem.message}.`);
  return { document, catalog: Object.values(catalogs)[0] };
}

function namesNoServer({ path }: CompiledCatalogs["problems"][number]): boolean {
  return path.at(-1) === "baseURL";
}

function uriOf(location: string): string {
  if (location.startsWith("https://") || location.startsWith("file://")) return location;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(location)) throw new UsageError(`-openapi ${location}: ${ACCEPTED}.`);
  return `file://${location.split("/").map(encodeURIComponent).join("/")}`;
}

/** The file's name without its ending, in letters that names of tools may have. */
function nameOf(location: string): string {
  const path = URL.canParse(location) ? new URL(location).pathname : location;
  const file = path.split(/[/\\]/).at(-1) ?? "";
  const plain = file.replace(/\.(json|ya?ml)$/i, "").replace(/[.-]?openapi$/i, "") || file.replace(/\..*$/, "");
  return plain.replaceAll(/[^A-Za-z0-9-]+/g, "_").replaceAll(/^_+|_+$/g, "") || "api";
}
