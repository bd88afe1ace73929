import { cp } from "node:fs/promises";
import { basename } from "node:path";
import { MANAGEMENT_DOCUMENT } from "../../../lib/management/document-file.ts";

/** Copies a build of the Console without what is about the build, and what Workers alone read. */
export async function copyConsole(build: string, target: string): Promise<void> {
  const isServed = (path: string): boolean => {
    const name = basename(path);
    return path === build || !(name.startsWith(".") || name === MANAGEMENT_DOCUMENT);
  };
  await cp(build, target, { recursive: true, filter: isServed });
}
