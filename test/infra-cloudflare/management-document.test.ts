import { expect, test } from "vitest";
import { managementDocument } from "../../infra/cloudflare/management-document.ts";
import type { ConsoleAssets } from "../../lib/console/assets.ts";
import { documentOfAll, managementDocument as made } from "../../lib/management/document.ts";
import { MANAGEMENT_DOCUMENT } from "../../lib/management/document-file.ts";

const INSTANCE = { publicURL: "https://us.example", cookieName: "__Host-countersign-console" };

function files(content: Readonly<Record<string, string>>): ConsoleAssets {
  return {
    read: async (path) => {
      const text = content[path];
      return text === undefined ? undefined : { body: new TextEncoder().encode(text), varies: false };
    },
  };
}

test("a Worker answers with the document that other runtimes make", async () => {
  const built = files({ [MANAGEMENT_DOCUMENT]: JSON.stringify(documentOfAll()) });
  expect(JSON.stringify(await managementDocument(INSTANCE, built))).toBe(JSON.stringify(made(INSTANCE)));
});

test.each([
  ["no files", undefined],
  ["files of an older build", files({ "index.html": "" })],
])("a Worker with %s says what is missing", async (_, assets) => {
  await expect(managementDocument(INSTANCE, assets)).rejects.toMatchObject({
    code: "unavailable",
    status: 503,
    message: expect.stringContaining("npm run build:console"),
  });
});
