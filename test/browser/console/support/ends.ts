import type { Page } from "playwright-core";
import { type Opening, press, show } from "./openings.ts";
import { loaded } from "./pages.ts";

/** What is gone in the end, with the button that asked for it. */
export interface End extends Opening {
  /** The dialog's button. */
  readonly confirm: string;
  /** Name of what has the focus then. */
  readonly focus: RegExp;
}

/** By way of the identity provider, which asks who one is the first time. */
const connect = async (page: Page) => {
  await press(page, "Connect corp");
  const connected = page.getByText("The account is connected");
  const name = page.getByLabel("Name");
  await connected.or(name).waitFor();
  if (await name.isVisible()) {
    await name.fill("ada");
    await press(page, "Sign in");
  }
  await connected.waitFor();
  await loaded(page);
};

/** Everything that somebody can end by a dialog, in an order in which each can. */
export const ENDS: readonly End[] = [
  {
    name: "a key pair is revoked",
    path: "client",
    open: (page) => press(page, /^Revoke key pair/),
    confirm: "Revoke key pair",
    focus: /^Copy fingerprint/,
  },
  {
    name: "an agent's session is ended",
    path: "gateway",
    open: async (page) => {
      await show(page, /Sessions/);
      await press(page, /^End the session of/);
    },
    confirm: "End session",
    focus: /^Live sessions$/,
  },
  {
    name: "a member is removed",
    path: "organization",
    open: async (page) => {
      await press(page, "Actions for bob@library.example");
      await page.getByRole("menuitem", { name: "Remove from organization" }).click();
    },
    confirm: "Remove member",
    focus: /^Members$/,
  },
  {
    name: "an invitation is revoked",
    path: "organization",
    open: (page) => press(page, /^Revoke invitation/),
    confirm: "Revoke invitation",
    focus: /^Open invitations$/,
  },
  {
    name: "a session of another browser is ended",
    path: "account",
    open: (page) => press(page, /^End session of/),
    confirm: "End session",
    focus: /^Sessions$/,
  },
  {
    name: "an account is disconnected",
    path: "account",
    open: async (page) => {
      await connect(page);
      await press(page, /^Disconnect/);
    },
    confirm: "Disconnect account",
    focus: /^Connected accounts$/,
  },
  {
    name: "a passkey is removed",
    path: "account",
    open: async (page) => {
      await connect(page);
      await press(page, /^Remove passkey/);
    },
    confirm: "Remove passkey",
    focus: /^Passkeys$/,
  },
  {
    name: "an API client is deleted",
    path: "client",
    open: async (page) => {
      await press(page, "Delete API client");
      await page.getByRole("textbox", { name: /^Type/ }).fill("Reading room assistant");
    },
    confirm: "Delete API client",
    focus: /^API clients$/,
  },
];

/** The name of what has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: active } = document;
    if (active === null || active === document.body) return "";
    return active.getAttribute("aria-label") ?? active.textContent ?? "";
  });
}
