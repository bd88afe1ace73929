import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { Note } from "../../parts/note.tsx";
import { connectorProblem } from "../../sign-in/connector-problems.ts";

/** Where a connector sends the person back to; with `problem=` behind it when nothing came of it. */
export const ARRIVAL = "/console/account?connected";

/** What came of connecting an account, said once: the address forgets it, so that nothing repeats it. */
export function ConnectorArrival() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const [arrival, setArrival] = useState(search);
  const isNew = search !== "";
  useEffect(() => {
    if (isNew) navigate("/account", { replace: true });
  }, [isNew, navigate]);
  const problem = connectorProblem(arrival);
  if (problem === undefined && !new URLSearchParams(arrival).has("connected")) return null;
  const dismiss = (
    <Button size="xs" variant="default" onClick={() => setArrival("")}>
      Dismiss
    </Button>
  );
  return problem === undefined ? (
    <Note tone="good" isAlert title="The account is connected" actions={dismiss}>
      You can sign in with it from now on.
    </Note>
  ) : (
    <Note tone="bad" isAlert title="No account was connected" actions={dismiss}>
      {problem.title}. {problem.detail}
    </Note>
  );
}
