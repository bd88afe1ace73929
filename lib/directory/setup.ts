import type { Dependencies } from "../dependencies.ts";
import { ProblemError } from "../problem.ts";
import { equalSecrets } from "./equal-secrets.ts";
import { parseSetup } from "./fields.ts";
import { createFirstOwner } from "./first-owner.ts";

/**
 * Creates the first organization and its owner for whoever holds the setup token, once. Resolves to the owner's id.
 * @throws ProblemError `not_found` without a configured token, `forbidden` for a wrong one or when an owner exists,
 * `invalid_field`
 */
export async function setUp(
  dependencies: Dependencies,
  input: Readonly<Record<string, unknown>>,
  requestId: string,
): Promise<string> {
  const { setupToken } = dependencies.configuration().configuration.console;
  if (setupToken === undefined) throw new ProblemError("not_found", "This instance has no setup token.");
  const { token } = input;
  if (typeof token !== "string" || !(await equalSecrets(token, setupToken))) {
    throw new ProblemError("forbidden", "The setup token is wrong.");
  }
  const { organization, email } = parseSetup(input);
  const userId = await createFirstOwner(dependencies, { organization, email, requestId });
  if (userId === undefined) throw new ProblemError("forbidden", "This instance has an owner already.");
  return userId;
}
