import type { Administrator } from "../../../lib/api-clients/client-event.ts";
import type { Dependencies } from "../../../lib/dependencies.ts";
import { ensureOrganization } from "../../../lib/directory/first-owner.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { type StoreFlags, withEmbeddedStore } from "./embedded-store.ts";
import { operatorId } from "./operator.ts";

/** Work on API clients of the embedded store's first organization, as the operator of this machine. */
export function administer<T>(
  flags: StoreFlags,
  io: CommandIo,
  work: (dependencies: Dependencies, actor: Administrator) => Promise<T>,
): Promise<T> {
  return withEmbeddedStore(flags, io, async (dependencies) => {
    const id = operatorId();
    const { organizationId } = await ensureOrganization(dependencies, id);
    return work(dependencies, { id, organizationId });
  });
}

/** The value of a flag that has to be there; `flag` is its name and what it takes, for example `client ID`. */
export function required(value: string | undefined, flag: string): string {
  if (value === undefined || value === "") throw new UsageError(`-${flag} is required.`);
  return value;
}
