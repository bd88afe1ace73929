import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import type { Member } from "../../../lib/management/schemas/members.ts";
import { useList } from "../../api/use-list.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "./last-change.module.css";

/** Who changed the settings last, and when. */
export function LastChange({ latest: { updatedAt, updatedBy } }: { readonly latest: GatewaySettings }) {
  if (updatedAt === undefined) {
    return (
      <p className={classes.words}>
        Nobody has changed anything in the Console. All values come from the configuration file.
      </p>
    );
  }
  return (
    <p className={classes.words}>
      Last changed <Time value={updatedAt} /> {updatedBy !== undefined && <By userId={updatedBy} />}
    </p>
  );
}

/** A person by their address; by their id, when they are no member any more. */
export function By({ userId }: { readonly userId: string }) {
  const members = useList<Member>("/members", { query: { limit: 200 } });
  const member = members.items?.find((one) => one.userId === userId);
  return (
    <>by {member === undefined ? <code>{userId}</code> : member.isYou ? "you" : <ForeignText text={member.email} />}</>
  );
}
