import { stackOf } from "../../lib/logging/cause.ts";
import { redactText } from "../../lib/logging/redaction.ts";
import { expectedExit } from "./exit-codes.ts";
import { systemReason } from "./files/file-error.ts";

/** Expected reasons are told in their own words, also those of files; anything else is a mistake of ours and comes with its stack. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return expectedExit(error) === undefined ? (systemReason(error) ?? redactText(stackOf(error))) : error.message;
}
