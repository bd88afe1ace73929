import { Button } from "@mantine/core";
import { useState } from "react";
import type { KeyPair } from "../../../lib/management/schemas/key-pairs.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "./key-pair-table.module.css";
import { activeOf, revokedOf } from "./key-pairs.ts";
import { LastUsed } from "./last-used.tsx";

/** More revoked ones than this are shown when somebody asks for them. */
const FEW = 3;

export interface KeyPairTableProps {
  readonly keyPairs: readonly KeyPair[];
  /** Undefined for those who may not. */
  readonly onRevoke: ((keyPair: KeyPair) => void) | undefined;
}

/** Active key pairs, then revoked ones, each the newest first. */
export function KeyPairTable({ keyPairs, onRevoke }: KeyPairTableProps) {
  const [isAll, setAll] = useState(false);
  const revoked = revokedOf(keyPairs);
  const isLong = revoked.length > FEW;
  const rows = [...activeOf(keyPairs), ...(isLong && !isAll ? [] : revoked)];
  return (
    <>
      <DataTable label="Key pairs" columns={columnsOf(onRevoke)} rows={rows} keyOf={({ keyPairId }) => keyPairId} />
      <div className={classes.foot}>
        <span>
          When a key pair was last used is known to the hour, and may show a little late. Its fingerprint is the{" "}
          <code>kid</code>.
        </span>
        {isLong && (
          <Button size="xs" variant="default" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? "Hide revoked key pairs" : `Show ${revoked.length} revoked key pairs`}
          </Button>
        )}
      </div>
    </>
  );
}

function columnsOf(onRevoke: KeyPairTableProps["onRevoke"]): readonly Column<KeyPair>[] {
  return onRevoke === undefined
    ? COLUMNS
    : [
        ...COLUMNS,
        {
          id: "actions",
          header: "Actions",
          isHeaderHidden: true,
          align: "end",
          width: "5.5rem",
          cell: (keyPair) =>
            keyPair.status === "active" && (
              <Button
                size="xs"
                variant="default"
                aria-label={`Revoke key pair ${keyPair.fingerprint}`}
                onClick={() => onRevoke(keyPair)}
              >
                Revoke
              </Button>
            ),
        },
      ];
}

function Status({ status, revokedAt }: KeyPair) {
  if (status === "active") return <StatusBadge tone="good">Active</StatusBadge>;
  return (
    <span className={classes.revoked}>
      <StatusBadge>Revoked</StatusBadge>
      <Time value={revokedAt} />
    </span>
  );
}

const COLUMNS: readonly Column<KeyPair>[] = [
  {
    id: "fingerprint",
    header: "Fingerprint",
    isName: true,
    cell: ({ fingerprint }) => (
      <span className={classes.fingerprint}>
        <code>{fingerprint}</code>
        <CopyButton value={fingerprint} label={`Copy fingerprint ${fingerprint.slice(0, 8)}`} />
      </span>
    ),
  },
  { id: "status", header: "Status", width: "11.5rem", cell: Status },
  { id: "created", header: "Created", width: "11.5rem", cell: ({ createdAt }) => <Time value={createdAt} /> },
  { id: "lastUsed", header: "Last used", width: "7.5rem", cell: ({ lastUsedAt }) => <LastUsed hour={lastUsedAt} /> },
];
