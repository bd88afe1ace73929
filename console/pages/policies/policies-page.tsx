import { Note } from "../../parts/note.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Testing } from "./testing.tsx";

/** Policies are edited and tried here, before anything is published: nothing of what is in use changes. */
export function PoliciesPage() {
  return (
    <PageFrame
      title="Test policies"
      description="Edit a policy, and see what it says of an input and of recorded calls beside the one in use. Your browser evaluates both: nothing is published or recorded."
    >
      <OwnersOnly instead={<Note title="Policies are tested by owners">They show the rules that decide.</Note>}>
        <Testing />
      </OwnersOnly>
    </PageFrame>
  );
}
