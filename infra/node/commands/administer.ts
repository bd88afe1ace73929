import type { Administrator } from "../../../lib/api-clients/client-event.ts";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { ensureOrganization } from "../../../lib/directory/organizations.ts";
import { RefusedError } from "../exit-codes.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { refuseAbsentStore, type StoreFlags, withEmbeddedStore } from "./embedded-store.ts";
import { operatorId } from "./operator.ts";

type Work<T> = (dependencies: Dependencies, actor: Administrator) => Promise<T>;

/**
 * Work on a new API client of the embedded store's first organization, as the operator of this machine. A store that is not
 * there is made.
 */
export function administer<T>(flags: StoreFlags, io: CommandIo, work: Work<T>): Promise<T> {
  return withEmbeddedStore(flags, io, async (dependencies) => {
    refuseWithoutTokens(dependencies);
    return asOperator(dependencies, work);
  });
}

/** A client that no instance of this configuration gives a token to would only be found out at its first request. */
function refuseWithoutTokens({ configuration }: Dependencies): void {
  const { oidcProvider } = configuration().configuration;
  if (oidcProvider?.apiClients.enabled === true) return;
  const why = oidcProvider === undefined ? "it has no oidcProvider" : "oidcProvider.apiClients.enabled is false";
  throw new RefusedError(
    `This instance issues no tokens to API clients: ${why}. Create the client where they get their tokens.`,
  );
}

/**
 * The same for work on what is in the store already: one that is not there is a path that was not meant.
 * @throws StartupError when there is no store
 */
export function administerExisting<T>(flags: StoreFlags, io: CommandIo, work: Work<T>): Promise<T> {
  return withEmbeddedStore(flags, io, (dependencies) => asOperator(dependencies, work), refuseAbsentStore);
}

async function asOperator<T>(dependencies: Dependencies, work: Work<T>): Promise<T> {
  const id = operatorId();
  const { organizationId } = await ensureOrganization(dependencies, id);
  return work(dependencies, { id, organizationId });
}

/** The value of a flag that has to be there; `flag` is its name and what it takes, for example `client ID`. */
export function required(value: string | undefined, flag: string): string {
  if (value === undefined || value === "") throw new UsageError(`-${flag} is required.`);
  return value;
}
