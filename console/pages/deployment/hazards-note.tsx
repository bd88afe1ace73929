import type { Proposal } from "../../../lib/management/schemas/deployment.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";

/** What a publication takes away; nothing where it takes nothing. */
export function HazardsNote({ hazards }: { readonly hazards: NonNullable<Proposal["hazards"]> }) {
  if (hazards.length === 0) return null;
  return (
    <Note tone="warn" title="It takes protection away">
      <ul>
        {hazards.map(({ word, what }) => (
          <li key={word}>
            It <ForeignText text={what} />.
          </li>
        ))}
      </ul>
    </Note>
  );
}
