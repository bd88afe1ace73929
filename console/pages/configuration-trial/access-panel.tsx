import { Button, Loader } from "@mantine/core";
import { useRef, useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { useConnection } from "../../api/context.ts";
import type { ListPage } from "../../api/request.ts";
import type { AccessComparison } from "../../configuration-trial/protocol.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { useSession } from "../../session/context.ts";
import { AccessView } from "./access-view.tsx";
import type { CallPanelProps } from "./call-panel.tsx";
import classes from "./trial.module.css";

/** API clients that are compared. */
const MOST = 200;

/** What came of it, and whether there are more clients than were compared. */
interface Compared {
  readonly found: AccessComparison;
  readonly clients: number;
  readonly hasMore: boolean;
}

/** Asks which API clients gain or lose which tools. */
export function AccessPanel({ started: { trial, inUse }, variables }: CallPanelProps) {
  const { api } = useConnection();
  const { organization } = useSession();
  const [progress, setProgress] = useState<string>();
  const [compared, setCompared] = useState<Compared>();
  const [failed, setFailed] = useState<unknown>();
  const asking = useRef(new AbortController());
  const stop = () => {
    asking.current.abort();
    trial.stop();
  };
  const compare = async () => {
    asking.current = new AbortController();
    const { signal } = asking.current;
    setProgress("Reading API clients …");
    setFailed(undefined);
    setCompared(undefined);
    try {
      const { body } = await api.send<ListPage<ApiClient>>({ path: "/api-clients", query: { limit: MOST }, signal });
      signal.throwIfAborted();
      const clients = body.items.map(({ clientId, name, scopes, resources }) => ({
        clientId,
        name,
        scopes,
        resources,
      }));
      const { organizationId } = organization;
      setProgress(`Comparing ${clients.length} API clients …`);
      const found = await trial.ask({ kind: "compare", clients, organizationId, variables }, (done) =>
        setProgress(`Compared ${done} of ${clients.length} API clients`),
      );
      setCompared({ found, clients: clients.length, hasMore: body.nextCursor !== undefined });
    } catch (error) {
      setFailed(signal.aborted ? undefined : error);
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <div className={classes.parts}>
      <p>
        Which tools the API clients of your organization gain or lose with the draft: what lists would show them, and
        what their scopes allow.
      </p>
      {progress === undefined ? (
        <div>
          <Button disabled={inUse !== "there"} onClick={() => void compare()}>
            Compare
          </Button>
        </div>
      ) : (
        <div className={classes.progress}>
          <Loader size={14} aria-hidden="true" />
          <span role="status">{progress}</span>
          <Button variant="default" size="xs" onClick={stop}>
            Stop
          </Button>
        </div>
      )}
      <ProblemNote error={failed} title="It could not be compared" />
      {compared !== undefined && <AccessView {...compared} most={MOST} />}
    </div>
  );
}
