import { beforeRepeating } from "./before-repeating.ts";
import { failed, type Invocation } from "./invocation.ts";
import type { Reading } from "./reading.ts";
import { ERROR_LIMIT } from "./refused.ts";

/** The API says that it did what it was asked, but its answer is not one that can be passed on as a success. */
export function unexpected({ tool }: Reading, problem: string, text?: string): Invocation {
  const { method } = tool.request;
  const note = `The API accepted the ${method} request, but its answer is not as documented: ${problem}.`;
  return failed("unexpected_response", [note + beforeRepeating(method), text].filter((part) => part).join("\n\n"));
}

/** Whatever came in place of the answer, as far as it helps. */
export function cut(text: string): string {
  return text.length <= ERROR_LIMIT
    ? text
    : `${text.slice(0, ERROR_LIMIT).toWellFormed()}\n[Only the first ${ERROR_LIMIT} characters are shown.]`;
}
