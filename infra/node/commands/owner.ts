import type { Dependencies } from "../../../lib/dependencies.ts";
import { parseEmail } from "../../../lib/directory/fields.ts";
import { createFirstOwner, DEFAULT_ORGANIZATION } from "../../../lib/directory/first-owner.ts";
import { createSignInLink } from "../../../lib/directory/sign-in-links.ts";
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
  const { link, publicURL } = await withEmbeddedStore(flags, io, async (dependencies) => {
    const { console, publicURL } = dependencies.configuration().configuration;
    if (!console.enabled) {
      throw new UsageError("Nobody could use a sign-in link: console.enabled is false in this configuration.");
    }
    const userId = await personOrFirstOwner(dependencies, email);
    return { link: await createSignInLink(dependencies, userId, operatorId()), publicURL };
  });
  io.stdout(`${link.url}\n`);
  io.stderr(
    `The link signs ${email} in once, until ${new Date(link.expiresAt).toISOString()}.\n${withoutConsole(publicURL)}`,
  );
  return 0;
}

/** No page answers at the link yet. The secret itself stays out of stderr, which may end up in a log. */
function withoutConsole(publicURL: string): string {
  const body = `'{"token":"…"}'`;
  return `There is no console yet; sign in with what stands after #token= in the link:
  curl -c data/cookies.txt ${publicURL}/api/v1/sign-in/link -H 'Content-Type: application/json' -d ${body}
`;
}

async function personOrFirstOwner(dependencies: Dependencies, email: string): Promise<string> {
  const { directory } = dependencies.stores;
  const person = await directory.findPersonByEmail(email);
  if (person !== undefined) return person.userId;
  const organization = (await directory.firstOrganization())?.name ?? DEFAULT_ORGANIZATION;
  const first = await createFirstOwner(dependencies, { organization, email, actor: operatorId() });
  if (first === undefined) throw new UsageError(`This instance has an owner, and ${email} is nobody it knows.`);
  return first.person.userId;
}
