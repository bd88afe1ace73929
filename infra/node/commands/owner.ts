import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { createFirstOwner, DEFAULT_ORGANIZATION } from "../../../lib/directory/organizations.ts";
import { knownToOperator } from "../../../lib/directory/person.ts";
import { createSignInLink } from "../../../lib/directory/sign-in.ts";
import { parseEmail } from "../../../lib/kernel/email-address.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { STORE_FLAGS, withEmbeddedStore } from "./embedded-store.ts";
import { operatorId } from "./operator.ts";

const FLAGS = { ...STORE_FLAGS, email: "string" } as const;

/**
 * `countersign owner -config FILE -email EMAIL`: prints a one-time sign-in link for a person of this instance. While
 * there is no owner, the person becomes the owner of the first organization.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, FLAGS);
  const email = flags.email === undefined ? undefined : parseEmail(flags.email);
  if (email === undefined) throw new UsageError("No owner: name an e-mail address with -email EMAIL.");
  const link = await withEmbeddedStore(flags, io, async (dependencies) => {
    const { console } = dependencies.configuration().configuration;
    if (!console.enabled) {
      throw new UsageError("Nobody could use a sign-in link: console.enabled is false in this configuration.");
    }
    const userId = await personOrFirstOwner(dependencies, email);
    return createSignInLink(dependencies, userId, operatorId());
  });
  io.stdout(`${link.url}\n`);
  io.stderr(
    `Open the link in a browser: it signs ${email} in once, until ${new Date(link.expiresAt).toISOString()}.\n`,
  );
  return 0;
}

async function personOrFirstOwner(dependencies: Dependencies, email: string): Promise<string> {
  const { directory } = dependencies.stores;
  const known = await knownToOperator(dependencies, email);
  if (known !== undefined) return known;
  const organization = (await directory.firstOrganization())?.name ?? DEFAULT_ORGANIZATION;
  const first = await createFirstOwner(dependencies, { organization, email, actor: operatorId() });
  if (first === undefined) throw new UsageError(`This instance has an owner, and ${email} is nobody it knows.`);
  return first.person.userId;
}
