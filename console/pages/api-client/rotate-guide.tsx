import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { KeyPair } from "../../../lib/management/schemas/key-pairs.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { activeOf } from "./key-pairs.ts";
import { LastUsed } from "./last-used.tsx";
import classes from "./rotate-guide.module.css";

/** How often it looks whether the keys are used, milliseconds. */
const LOOK = 15_000;

export interface RotateGuideProps {
  readonly client: ApiClient;
  readonly onAdd: () => void;
  readonly onRevoke: (keyPair: KeyPair) => void;
}

/** Three steps from one key pair to the next without a gap; which of them is done, the key pairs themselves tell. */
export function RotateGuide({ client, onAdd, onRevoke }: RotateGuideProps) {
  useRead<ApiClient>(path`/api-clients/${client.clientId}`, { refetchInterval: LOOK });
  const [newest, ...older] = activeOf(client.keyPairs);
  const hasNew = newest !== undefined && older.length > 0;
  const isSwitched = hasNew && newest.lastUsedAt !== undefined;
  return (
    <ol className={classes.steps} aria-label="Rotate the key pair">
      <Step number={1} title="Add the new key pair" state={hasNew ? "done" : "current"}>
        {hasNew ? (
          <p>
            The newest is <Short keyPair={newest} />. Both work side by side.
          </p>
        ) : (
          <>
            <p>The one in use keeps working meanwhile.</p>
            <Button size="xs" variant="default" onClick={onAdd}>
              Add key pair
            </Button>
          </>
        )}
      </Step>
      <Step number={2} title="Switch the client" state={isSwitched ? "done" : hasNew ? "current" : "waiting"}>
        <p>Replace the old private key of the client with the new one.</p>
        {hasNew && (
          <p role="status">
            New key last used: <LastUsed hour={newest.lastUsedAt} />
          </p>
        )}
      </Step>
      <Step number={3} title="Revoke the old key pair" state={isSwitched ? "current" : "waiting"}>
        <p>Do this when it is no longer used. The time of the last use is exact to the hour.</p>
        {hasNew &&
          older.map((keyPair) => (
            <Old key={keyPair.keyPairId} keyPair={keyPair} newest={newest} onRevoke={() => onRevoke(keyPair)} />
          ))}
      </Step>
    </ol>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: "done" | "current" | "waiting";
  readonly children: ReactNode;
}

function Step({ number, title, state, children }: StepProps) {
  return (
    <li className={classes.step} data-state={state} aria-current={state === "current" ? "step" : undefined}>
      <p className={classes.title}>
        <span className={classes.number} aria-hidden="true">
          {state === "done" ? "✓" : number}
        </span>
        {title}
        {state === "done" && <span className={classes.done}>Done</span>}
      </p>
      {children}
    </li>
  );
}

interface OldProps {
  readonly keyPair: KeyPair;
  readonly newest: KeyPair;
  readonly onRevoke: () => void;
}

function Old({ keyPair, newest, onRevoke }: OldProps) {
  return (
    <div className={classes.old}>
      <p role="status">
        <Short keyPair={keyPair} /> last used: <LastUsed hour={keyPair.lastUsedAt} />
        {isStillUsed(keyPair, newest) && <strong> It may still be in use.</strong>}
      </p>
      <Button
        size="xs"
        variant="default"
        aria-label={`Revoke old key pair ${keyPair.fingerprint.slice(0, 8)}`}
        onClick={onRevoke}
      >
        Revoke
      </Button>
    </div>
  );
}

function Short({ keyPair }: { readonly keyPair: KeyPair }) {
  return <code>{keyPair.fingerprint.slice(0, 8)}…</code>;
}

/** An old key counts as given up when its last hour lies before the last one of the new key. */
function isStillUsed(old: KeyPair, newest: KeyPair): boolean {
  if (old.lastUsedAt === undefined) return false;
  return newest.lastUsedAt === undefined || old.lastUsedAt >= newest.lastUsedAt;
}
