import type { BrowserContext } from "playwright-core";

declare global {
  interface Window {
    reportPolicyViolation(text: string): void;
  }
}

/**
 * Collects what must never happen on a page: errors in its console, exceptions, violations of its content security policy,
 * dialogs of the browser. That an answer had an error status is no fault of the page.
 */
export async function collectFaults(context: BrowserContext): Promise<readonly string[]> {
  const faults: string[] = [];
  context.on("console", (message) => {
    if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
    faults.push(`console: ${message.text()}`);
  });
  context.on("weberror", (error) => faults.push(`exception: ${error.error().stack ?? error.error().message}`));
  context.on("dialog", async (dialog) => {
    // The page asks before it is left, as it should; who is told to leave does.
    if (dialog.type() === "beforeunload") return dialog.accept();
    faults.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  await context.exposeFunction("reportPolicyViolation", (text: string) => faults.push(text));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      window.reportPolicyViolation(`policy: ${violatedDirective} forbids ${blockedURI}`),
    );
  });
  return faults;
}
