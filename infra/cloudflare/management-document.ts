import type { ConsoleAssets } from "../../lib/console/assets.ts";
import { type JsonObject, parseJsonObject } from "../../lib/kernel/json.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { MANAGEMENT_DOCUMENT } from "../../lib/management/document-file.ts";
import { type DocumentedInstance, documentOfInstance } from "../../lib/management/document-of-instance.ts";

/**
 * Stands for `managementDocument` of `lib/management/document.ts` on Workers: the same document, from the file that the build of
 * the Console made of it. What it is made of would be 14 KiB of the Worker after gzip, which every start reads and hardly any
 * request needs.
 */
export async function managementDocument(
  instance: DocumentedInstance,
  assets: ConsoleAssets | undefined,
): Promise<JsonObject> {
  const file = await assets?.read(MANAGEMENT_DOCUMENT, []);
  const document = file && parseJsonObject(new Uint8Array(await new Response(file.body).arrayBuffer()));
  if (document === undefined) throw new ProblemError("unavailable", MISSING);
  return documentOfInstance(document, instance);
}

const MISSING =
  "The document is one of the Console's files, and this instance was deployed without them, or with those of an older build. " +
  "All other operations work. Whoever runs it builds the files with `npm run build:console` and deploys again.";
