import { Button } from "@mantine/core";
import { useState } from "react";
import type { Member } from "../../../lib/management/schemas/members.ts";
import type { List } from "../../api/use-list.ts";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { LeaveDialog } from "./leave-dialog.tsx";
import { isOnlyOwner } from "./roles.tsx";

/** The way out for oneself. Who is the only owner reads why there is none. */
export function LeavePanel({ members }: { readonly members: List<Member> }) {
  const { me, isOwner } = useSession();
  const [isAsking, setAsking] = useState(false);
  const isLast = isOwner && isOnlyOwner(members, me.userId);
  return (
    <>
      <Panel
        title="Leave this organization"
        description={isLast ? adviceFor(members) : "You lose access at once. An owner can invite you again."}
        actions={
          <Button variant="default" disabled={isLast} onClick={() => setAsking(true)}>
            Leave organization
          </Button>
        }
      />
      <LeaveDialog opened={isAsking} onClose={() => setAsking(false)} onRefused={members.refetch} />
    </>
  );
}

function adviceFor({ items = [] }: List<Member>): string {
  const advice = items.length > 1 ? "Make somebody else an owner first." : "Invite another owner first.";
  return `You are its only owner, and an organization needs one. ${advice}`;
}
