import type { Lineage } from "../../../lib/stores/lineage.ts";
import { tombstoneId } from "../../../lib/stores/tombstone.ts";
import type { Database } from "./database.ts";
import { unlessEnded } from "./tombstones.ts";
import type { NamedWrites } from "./transact.ts";

/** Let a transaction commit only while the chain, and the consent that it rests on, go on. */
export function chainChecks(
  database: Database,
  { chainId, consentId }: Pick<Lineage, "chainId" | "consentId">,
): NamedWrites<"chainGoesOn" | "consentGoesOn"> {
  return {
    chainGoesOn: unlessEnded(database, tombstoneId.chain(chainId)),
    consentGoesOn: consentId === undefined ? undefined : unlessEnded(database, tombstoneId.consent(consentId)),
  };
}

/** Whether one of `chainChecks` failed. */
export function isChainOver(failed: ReadonlySet<string>): boolean {
  return failed.has("chainGoesOn") || failed.has("consentGoesOn");
}
