import type { Dependencies } from "../dependencies.ts";
import { causeOf } from "../logging/cause.ts";
import { ProblemError } from "../problem.ts";
import type { FirstOwner } from "../stores/directory.ts";
import { endBrowserSession, startBrowserSession } from "./browser-sessions.ts";
import { parseSetup } from "./fields.ts";
import { createFirstOwner, newUserId } from "./first-owner.ts";
import { requireSetupToken, takeSetupToken } from "./setup-token.ts";
import type { SignInRequest } from "./sign-in-audit.ts";

/** The first owner, and the value of the session that signs the owner in. */
export interface SetUp extends FirstOwner {
  readonly session: string;
}

/**
 * Creates the first organization and its owner for whoever holds the setup token, once. The session comes first: until
 * its person exists it opens nothing, and once there is an owner nothing that fails takes it away.
 * @throws ProblemError `not_found` without a configured token, `forbidden` for a wrong one or when an owner exists,
 * `invalid_field`
 */
export async function setUp(
  dependencies: Dependencies,
  input: Readonly<Record<string, unknown>>,
  { requestId, userAgent }: Pick<SignInRequest, "requestId" | "userAgent">,
): Promise<SetUp> {
  const token = await requireSetupToken(dependencies, input);
  const fields = parseSetup(input);
  const userId = newUserId(dependencies);
  const session = await startBrowserSession(dependencies, userId, { method: "setup", userAgent });
  const first = await createFirstOwner(dependencies, { ...fields, userId, requestId });
  if (first === undefined) {
    await endBrowserSession(dependencies, session);
    throw new ProblemError("forbidden", "This instance has an owner already.");
  }
  // Only now, so that a setup that failed can be repeated; it keeps the token from recovering the owner later.
  await takeSetupToken(dependencies, token).catch((cause: unknown) =>
    dependencies.logger.error("the setup token could not be marked as used", { cause: causeOf(cause) }),
  );
  return { ...first, session };
}
