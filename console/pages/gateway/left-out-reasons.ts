import type { LeftOutOperation } from "../../../lib/management/schemas/tools.ts";

/** Why an operation is no tool, in words. */
export const LEFT_OUT_REASONS: Readonly<Record<LeftOutOperation["reason"], string>> = {
  "unsupported method": "Its HTTP method cannot be called as a tool.",
  "unsupported parameter location": "It has a parameter in a place that calls cannot fill.",
  "unsupported request body": "It takes its body in no media type that calls can send.",
  "duplicate operation": "Another operation has its name already.",
  "invalid operation": "The OpenAPI document is wrong here.",
};
