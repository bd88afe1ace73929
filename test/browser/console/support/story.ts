import { execFile } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { calculateJwkThumbprint, type JWK } from "jose";
import { expect } from "vitest";
import { requestToken } from "./agent.ts";
import type { Hands } from "./hands.ts";
import type { ConsoleServer } from "./server.ts";
import { heading, OWNER } from "./stage.ts";
import type { Visitor } from "./visitor.ts";

/** What the owner's story leaves. */
export interface Told {
  readonly clientId: string;
  /** Of the key pair that was revoked in the end, PEM. */
  readonly privateKey: string;
}

const CLIENT = "Reading room assistant";

/**
 * How somebody who never saw the Console comes from the setup link to a first token, and ends the key again: an organization
 * and a passkey, an API client, a key pair, the snippet, the revocation, and all of it in the audit log.
 */
export async function ownersStory(server: ConsoleServer, visitor: Visitor, hands: Hands): Promise<Told> {
  await setUp(server, visitor, hands);
  const clientId = await createClient(visitor, hands);
  const key = await addKeyPair(visitor, hands);
  try {
    await runSnippet(visitor, hands, key);
    const credentials = { clientId, privateKey: key.privateKey };
    const token = await requestToken(server.url, credentials, `${server.url}/mcp`);
    expect(token).toMatch(/^cst_us_/);
    await revoke(visitor, hands);
    const refused = requestToken(server.url, credentials, `${server.url}/mcp`);
    await expect(refused).rejects.toMatchObject({
      error: "invalid_client",
      error_description: "invalid JWT signature",
    });
    await findInAuditLog(visitor, hands, clientId);
    return credentials;
  } finally {
    await rm(key.folder, { recursive: true });
  }
}

async function setUp({ setupLink }: ConsoleServer, { page }: Visitor, hands: Hands): Promise<void> {
  await page.goto(setupLink);
  await hands.write(page.getByLabel("Organization"), OWNER.organization);
  await hands.write(page.getByLabel("Your e-mail address"), OWNER.email);
  await hands.press(page.getByRole("button", { name: "Set up" }));
  await hands.press(page.getByRole("button", { name: "Create passkey" }));
  await heading(page, "Overview").waitFor();
}

/** The overview leads there. */
async function createClient({ page }: Visitor, hands: Hands): Promise<string> {
  await hands.press(page.getByRole("link", { name: "Create an API client" }));
  const form = page.getByRole("dialog", { name: "New API client" });
  await hands.write(form.getByRole("textbox", { name: /^Name/ }), CLIENT);
  await hands.tick(form.getByRole("checkbox", { name: "library:read" }));
  const gateway = form.getByRole("checkbox", { name: /\/mcp$/ });
  expect(await gateway.isChecked()).toBe(true);
  await hands.press(form.getByRole("button", { name: "Create API client" }));
  await heading(page, CLIENT).waitFor();
  return decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
}

interface DownloadedKey {
  /** Where the file is, alone. */
  readonly folder: string;
  readonly privateKey: string;
}

/** The private key goes into a file, once; the dialog does not close by accident before. */
async function addKeyPair({ page }: Visitor, hands: Hands): Promise<DownloadedKey> {
  await hands.press(page.getByRole("button", { name: "Add key pair" }));
  const dialog = page.getByRole("dialog", { name: "Add a key pair" });
  await hands.press(dialog.getByRole("button", { name: "Generate key pair" }));
  const save = dialog.getByRole("button", { name: "Download private key" });
  await save.waitFor();
  await page.keyboard.press("Escape");
  await page.goBack();
  await hands.press(dialog.getByRole("button", { name: "Back to the download" }));
  expect(await page.locator("body").textContent()).not.toContain("PRIVATE KEY");
  const [download] = await Promise.all([page.waitForEvent("download"), hands.press(save)]);
  await hands.press(dialog.getByRole("button", { name: "Done" }));
  await dialog.waitFor({ state: "hidden" });
  const folder = await mkdtemp(join(tmpdir(), "countersign-key-"));
  const file = join(folder, download.suggestedFilename());
  await copyFile(await download.path(), file);
  const privateKey = await readFile(file, "utf8");
  const fingerprint = await calculateJwkThumbprint(createPublicKey(privateKey).export({ format: "jwk" }) as JWK);
  await page.getByRole("table", { name: "Key pairs" }).getByText(fingerprint).waitFor();
  return { folder, privateKey };
}

const CLI = join(import.meta.dirname, "../../../../infra/node/countersign.js");

/** What the page says to paste works as it stands, where the file is and `countersign` is installed. */
async function runSnippet({ page }: Visitor, hands: Hands, { folder }: DownloadedKey): Promise<void> {
  await hands.press(page.getByRole("button", { name: "Copy Shell", exact: true }));
  await page.getByText("Copied").first().waitFor({ state: "attached" });
  const snippet = await page.evaluate(() => navigator.clipboard.readText());
  const bin = join(folder, "bin");
  await mkdir(bin);
  await symlink(CLI, join(bin, "countersign"));
  await chmod(CLI, 0o755);
  const { stdout } = await promisify(execFile)("bash", ["-c", `${snippet}\necho "$TOKEN"`], {
    cwd: folder,
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
  });
  expect(stdout).toMatch(/^cst_us_\S+\n$/);
}

async function revoke({ page }: Visitor, hands: Hands): Promise<void> {
  await hands.press(page.getByRole("button", { name: /^Revoke key pair/ }));
  const question = page.getByRole("dialog", { name: "Revoke this key pair?" });
  await question.getByText("nobody gets a token with this key").waitFor();
  await hands.press(question.getByRole("button", { name: "Revoke key pair" }));
  await page.getByRole("table", { name: "Key pairs" }).getByText("Revoked").waitFor();
}

async function findInAuditLog({ page }: Visitor, hands: Hands, clientId: string): Promise<void> {
  await hands.press(page.getByRole("navigation").getByRole("link", { name: "Audit log" }));
  await heading(page, "Audit log").waitFor();
  const log = page.getByRole("table", { name: "Audit log" });
  for (const type of ["api_client.created", "key_pair.added", "token.issued", "key_pair.revoked"]) {
    await log.getByRole("button", { name: type }).first().waitFor();
  }
  await hands.press(log.getByRole("button", { name: "key_pair.revoked" }));
  const record = page.getByRole("dialog", { name: "key_pair.revoked" });
  await record.getByText(clientId).first().waitFor();
  await hands.press(record.getByRole("button").first());
  await record.waitFor({ state: "hidden" });
}
