import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { createFirstOwner, DEFAULT_ORGANIZATION } from "../../../lib/directory/organizations.ts";
import { knownToOperator } from "../../../lib/directory/person.ts";
import { createSignInLink } from "../../../lib/directory/sign-in.ts";
import { parseEmail } from "../../../lib/kernel/email-address.ts";
import { RefusedError } from "../exit-codes.ts";
import { type Flags, parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { STORE_FLAGS, withEmbeddedStore } from "./embedded-store.ts";
import { operatorId } from "./operator.ts";

const FLAGS = { ...STORE_FLAGS, email: "string", user: "string" } as const;

/** Whom the link is for: an address is a name that several people can have. */
type Wanted = { readonly email: string } | { readonly userId: string };

/**
 * `countersign owner -config FILE -email EMAIL|-user ID`: prints a one-time sign-in link for a person of this instance. While
 * there is no owner, the person with the address becomes the owner of the first organization.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, FLAGS);
  const wanted = wantedBy(flags);
  const link = await withEmbeddedStore(flags, io, async (dependencies) => {
    const { console } = dependencies.configuration().configuration;
    if (!console.enabled) {
      throw new RefusedError("Nobody could use a sign-in link: console.enabled is false in this configuration.");
    }
    const userId = await ("userId" in wanted
      ? personWithId(dependencies, wanted.userId)
      : personOrFirstOwner(dependencies, wanted.email));
    return createSignInLink(dependencies, userId, operatorId());
  });
  const who = "userId" in wanted ? wanted.userId : wanted.email;
  io.stdout(`${link.url}\n`);
  io.stderr(`Open the link in a browser: it signs ${who} in once, until ${new Date(link.expiresAt).toISOString()}.\n`);
  return 0;
}

function wantedBy({ email, user }: Flags<typeof FLAGS>): Wanted {
  if (user !== undefined && email === undefined) return { userId: user };
  const address = user === undefined && email !== undefined ? parseEmail(email) : undefined;
  if (address !== undefined) return { email: address };
  throw new UsageError("No owner: name an e-mail address with -email EMAIL, or a person with -user ID.");
}

async function personWithId({ stores }: Dependencies, userId: string): Promise<string> {
  if ((await stores.directory.getPerson(userId)) !== undefined) return userId;
  throw new RefusedError(`There is no person ${userId}: the organization's list of members has their ids.`);
}

async function personOrFirstOwner(dependencies: Dependencies, email: string): Promise<string> {
  const { directory } = dependencies.stores;
  const [known, ...others] = await knownToOperator(dependencies, email);
  if (known !== undefined && others.length > 0) {
    const ids = [known, ...others].join(", ");
    throw new UsageError(`Several people go by ${email}: ${ids}. Name one with -user ID.`);
  }
  if (known !== undefined) return known;
  const organization = (await directory.firstOrganization())?.name ?? DEFAULT_ORGANIZATION;
  const first = await createFirstOwner(dependencies, { organization, email, actor: operatorId() });
  if (first === undefined) throw new RefusedError(`This instance has an owner, and ${email} is nobody it knows.`);
  return first.person.userId;
}
