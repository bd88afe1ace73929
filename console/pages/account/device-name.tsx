import type { BrowserSession } from "../../../lib/management/schemas/browser-sessions.ts";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { deviceOf } from "./device.ts";

const LONGEST = 60;

/** The browser of a session; what it says of itself where that is nothing known. */
export function DeviceName({ session }: { readonly session: BrowserSession }) {
  return <ForeignText text={wordsOf(session)} />;
}

/** The same as plain text. */
export function deviceText(session: BrowserSession): string {
  return visibleText(wordsOf(session));
}

function wordsOf({ userAgent }: BrowserSession): string {
  if (userAgent === undefined) return "Unknown browser";
  return deviceOf(userAgent) ?? (userAgent.length > LONGEST ? `${userAgent.slice(0, LONGEST)}…` : userAgent);
}
