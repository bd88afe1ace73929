import { sha256base64url } from "#sha256";
import { parseEmail } from "../kernel/email-address.ts";
import { equalSecrets } from "../kernel/equal-secrets.ts";
import { readFields, textField } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import { causeOf } from "../logging/cause.ts";
import type { FirstOwner } from "../stores/directory.ts";
import { endBrowserSession, startBrowserSession } from "./browser-sessions.ts";
import { emailField } from "./fields.ts";
import { createFirstOwner } from "./organizations.ts";
import { knownToOperator, newUserId, type Profile, readProfile } from "./person.ts";
import type { DirectoryPorts } from "./ports.ts";
import type { SignedIn } from "./sign-in.ts";
import { attemptOf, recordRefusedSignIn, recordSignIn, type SignInRequest } from "./sign-in-audit.ts";
import { letIn } from "./stopped-person.ts";

interface SignedInBySetup extends SignedIn {
  /** The owner existed and was signed in again (`console.recoverOwner`). */
  readonly recovered: boolean;
}

/**
 * Creates the first organization and its owner from `{token, organization, email}` and signs the owner in. If the
 * configuration names an owner to recover, signs that owner in instead.
 * @throws ProblemError as `setUp` and `recoverOwner`
 */
export function signInBySetup(
  dependencies: DirectoryPorts,
): (input: Readonly<Record<string, unknown>>, request: SignInRequest) => Promise<SignedInBySetup> {
  return async (input, request) => {
    try {
      const recovered = await recoverOwner(dependencies, input, request);
      const signedIn = recovered ?? (await firstSignIn(dependencies, input, request));
      await endFormer(dependencies, request);
      return { ...signedIn, recovered: recovered !== undefined };
    } catch (error) {
      if (error instanceof ProblemError && error.code === "forbidden")
        await recordRefusedSignIn(dependencies, attemptOf("setup", request));
      throw error;
    }
  };
}

async function firstSignIn(
  dependencies: DirectoryPorts,
  input: Readonly<Record<string, unknown>>,
  request: SignInRequest,
): Promise<SignedIn> {
  const { person, organization, session } = await setUp(dependencies, input, request);
  const { userId, email } = person;
  const { organizationId, name } = organization;
  // The owner exists, and `member.added` is recorded. A failure from here on must not end the session.
  await recordSignIn(dependencies, attemptOf("setup", request), userId).catch((cause: unknown) =>
    dependencies.logger.error("a sign-in could not be recorded", {
      requestId: request.requestId,
      cause: causeOf(cause),
    }),
  );
  return { profile: { userId, email, organizations: [{ organizationId, name, role: "owner" }] }, session };
}

/** The token is used up already. A failure here must not end the new session. */
async function endFormer(dependencies: DirectoryPorts, { formerSession, requestId }: SignInRequest): Promise<void> {
  if (formerSession === undefined) return;
  await endBrowserSession(dependencies, formerSession).catch((cause: unknown) =>
    dependencies.logger.error("the browser's former session could not be ended", {
      requestId,
      cause: causeOf(cause),
    }),
  );
}

/** The first owner, and the value of the session that signs the owner in. */
export interface SetUp extends FirstOwner {
  readonly session: string;
}

/**
 * Creates the first organization and its owner, once, for someone with the setup token. The session is created first: it
 * opens nothing until its person exists, and no failure ends it after the owner exists.
 * @throws ProblemError `not_found` without a configured token, `forbidden` for a wrong one or when an owner exists,
 * `invalid_field`
 */
export async function setUp(
  dependencies: DirectoryPorts,
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
  // Only now, because a setup that failed can be repeated. A used token cannot recover the owner later.
  await takeSetupToken(dependencies, token).catch((cause: unknown) =>
    dependencies.logger.error("the setup token could not be marked as used", { cause: causeOf(cause) }),
  );
  return { ...first, session };
}

/** An owner who came back, and the value of the session that signs the owner in. */
interface Recovered {
  readonly profile: Profile;
  readonly session: string;
}

/**
 * Signs in the owner whom the configuration names as `console.recoverOwner`, for someone with a setup token that was never
 * used. Undefined, and the token stays valid, if the request is not about that owner.
 * @throws ProblemError `forbidden` for a wrong or used token and where several owners have the address, `invalid_field`
 */
async function recoverOwner(
  dependencies: DirectoryPorts,
  input: Readonly<Record<string, unknown>>,
  request: SignInRequest,
): Promise<Recovered | undefined> {
  const wanted = dependencies.configuration().configuration.console.recoverOwner;
  const email = typeof input.email === "string" ? parseEmail(input.email) : undefined;
  if (wanted === undefined || email !== wanted) return undefined;
  const token = await requireSetupToken(dependencies, input);
  readFields(input, SETUP_FIELDS).finish();
  const profile = await ownerWithAddress(dependencies, email);
  if (profile === undefined) return undefined;
  const { userId } = profile;
  // Steps that can fail come before the token is used up, but for its record and what keeps the owner out.
  const begun = { method: "setup", userAgent: request.userAgent } as const;
  const session = await startBrowserSession(dependencies, userId, begun);
  try {
    if (!(await takeSetupToken(dependencies, token))) {
      throw new ProblemError("forbidden", "The setup token was used already: configure a new one.");
    }
    await recordSignIn(dependencies, attemptOf("setup", request), userId, "recovered");
    // Whoever runs the instance comes in, whoever stopped the owner.
    const [membership] = profile.organizations;
    const wasStopped =
      membership !== undefined && (await letIn(dependencies, userId, { ...membership, requestId: request.requestId }));
    if (!wasStopped) return { profile, session };
  } catch (error) {
    await endBrowserSession(dependencies, session);
    throw error;
  }
  // What began while the owner was stopped is over.
  return { profile, session: await startBrowserSession(dependencies, userId, begun) };
}

/**
 * The one owner who goes by an address. Members who are none do not count.
 * @throws ProblemError `forbidden` where there are several: an address does not say whom the operator means
 */
async function ownerWithAddress(dependencies: DirectoryPorts, email: string): Promise<Profile | undefined> {
  const known = await knownToOperator(dependencies, email);
  const profiles = await Promise.all(known.map((userId) => readProfile(dependencies, userId)));
  const owners = profiles.filter(({ organizations }) => organizations.some(({ role }) => role === "owner"));
  if (owners.length > 1) {
    const userIds = owners.map(({ userId }) => userId).join(" ");
    dependencies.logger.error("console.recoverOwner names several owners", { userIds });
    throw new ProblemError("forbidden", "Several owners go by this address: name the address of one in recoverOwner.");
  }
  return owners[0];
}

/**
 * The setup token that the input carries, which is the configured one.
 * @throws ProblemError `not_found` when none is configured, `forbidden` for any other
 */
async function requireSetupToken(
  dependencies: Pick<DirectoryPorts, "configuration">,
  { token }: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { setupToken } = dependencies.configuration().configuration.console;
  if (setupToken === undefined) throw new ProblemError("not_found", "This instance has no setup token.");
  if (typeof token === "string" && equalSecrets(token, setupToken)) return token;
  throw new ProblemError("forbidden", "The setup token is wrong.");
}

/** Uses up a token: true once. */
async function takeSetupToken({ stores, clock }: DirectoryPorts, token: string): Promise<boolean> {
  return stores.singleUse.consume("setup-token", sha256base64url(token), clock.now() + CENTURY);
}

/** Practically forever, in milliseconds. Stores need an expiry. */
const CENTURY = 100 * 365 * 86_400_000;
const SETUP_FIELDS = ["token", "organization", "email"] as const;

interface SetupFields {
  readonly organization: string;
  /** Lower-cased. */
  readonly email: string;
}

/**
 * Checks who and what the first owner is: `{token, organization, email}`.
 * @throws ProblemError `invalid_field`
 */
function parseSetup(input: unknown): SetupFields {
  const fields = readFields(input, SETUP_FIELDS);
  const organization = textField(fields, "organization", { min: 1, max: 200 });
  const email = emailField(fields);
  fields.finish();
  return { organization: organization as string, email: email as string };
}
