import { createPrivateKey } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { pemLines } from "../../../support/secret-looks.ts";

/** Whether bytes or a text have anything of a private key in them: lines of its PEM, or the number itself in any notation. */
export function traceFinder(pem: string): (where: string | Buffer) => boolean {
  const secret = Buffer.from(createPrivateKey(pem).export({ format: "jwk" }).d ?? "", "base64url");
  const notations = [
    secret,
    ...(["base64url", "base64", "hex"] as const).map((one) => Buffer.from(secret.toString(one))),
  ];
  const traces = [...pemLines(pem).map((line) => Buffer.from(line)), ...notations];
  return (where) => {
    const bytes = typeof where === "string" ? Buffer.from(where) : where;
    return traces.some((trace) => bytes.includes(trace));
  };
}

/** Every file below a folder with its bytes. */
export async function filesBelow(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)));
}

/** What a page keeps and shows, as texts: its document with all values, and whatever the browser stores for it. */
export function keptByPage(page: Page): Promise<Readonly<Record<string, string>>> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const values = [...document.querySelectorAll("input, textarea")].map((field) => (field as HTMLInputElement).value);
    return {
      document: document.documentElement.outerHTML,
      values: values.join("\n"),
      address: location.href + JSON.stringify(history.state),
      localStorage: JSON.stringify(localStorage),
      sessionStorage: JSON.stringify(sessionStorage),
      databases: databases.map(({ name }) => name).join("\n"),
      caches: (await caches.keys()).join("\n"),
      name: window.name,
    };
  });
}
