import { CloseButton } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { CheckIcon, DangerIcon } from "../icons.tsx";
import classes from "./announcer.module.css";

export interface AnnounceOptions {
  /** `good` unless stated. */
  readonly tone?: "good" | "bad";
  /** For screen readers alone. */
  readonly isSilent?: boolean;
}

/** Says briefly what has happened, to eyes and ears: "API client created". */
export type Announce = (message: string, options?: AnnounceOptions) => void;

interface Announcement {
  readonly id: number;
  readonly message: string;
  readonly tone: "good" | "bad";
  readonly isSilent: boolean;
}

const AnnounceContext = createContext<Announce>(() => undefined);

export function useAnnounce(): Announce {
  return useContext(AnnounceContext);
}

const KEPT = 3;

/** Where announcements appear: a live region that is there from the beginning. */
export function Announcer({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly Announcement[]>([]);
  const lastId = useRef(0);
  const announce = useCallback<Announce>((message, { tone = "good", isSilent = false } = {}) => {
    lastId.current += 1;
    const announcement = { id: lastId.current, message, tone, isSilent };
    setShown((former) => [...former.slice(1 - KEPT), announcement]);
  }, []);
  const remove = (id: number) => setShown((former) => former.filter((announcement) => announcement.id !== id));
  return (
    <AnnounceContext value={announce}>
      {children}
      <div className={classes.region} role="status" aria-live="polite">
        {shown.map((announcement) => (
          <Toast key={announcement.id} announcement={announcement} onClose={() => remove(announcement.id)} />
        ))}
      </div>
    </AnnounceContext>
  );
}

/** It leaves by itself when its animation ends, which stands still under the pointer and the focus. */
function Toast({ announcement, onClose }: { readonly announcement: Announcement; readonly onClose: () => void }) {
  const { message, tone, isSilent } = announcement;
  const Icon = tone === "good" ? CheckIcon : DangerIcon;
  return (
    <div className={isSilent ? classes.silent : classes.toast} data-tone={tone}>
      {!isSilent && <Icon className={classes.icon} />}
      <span className={classes.message}>{message}</span>
      {!isSilent && <CloseButton size="sm" onClick={onClose} />}
      <span className={classes.timer} onAnimationEnd={onClose} />
    </div>
  );
}
