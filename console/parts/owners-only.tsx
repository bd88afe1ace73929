import type { ReactNode } from "react";
import { useSession } from "../session/context.ts";

/** What only owners see: the controls that change something. Members see `instead`, or nothing. */
export function OwnersOnly({ children, instead }: { readonly children: ReactNode; readonly instead?: ReactNode }) {
  const { isOwner } = useSession();
  return isOwner ? children : instead;
}
