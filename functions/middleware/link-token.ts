import { readFields, textField } from "../../lib/fields.ts";
import type { JsonObject } from "../../lib/json.ts";

/**
 * The secret of a one-time link, from `{token}`.
 * @throws ProblemError `invalid_field`
 */
export function readLinkToken(body: JsonObject): string {
  const fields = readFields(body, ["token"]);
  const token = textField(fields, "token", { min: 1, max: 200 });
  fields.finish();
  return token as string;
}
