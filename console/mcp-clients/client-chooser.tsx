import { NativeSelect, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { SignInWays } from "../../lib/management/schemas/sign-in.ts";
import { useRead } from "../api/use-read.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import classes from "./client-chooser.module.css";
import { clientSnippets, type SignIn } from "./client-snippets.ts";

export interface ClientChooserProps {
  /** Of the gateway. */
  readonly url: string;
  /** Of its heading, one below that of what it stands in. */
  readonly level: 2 | 3;
}

/** What to give an MCP client so that it connects. Signing in is offered where the instance signs people in. */
export function ClientChooser({ url, level }: ClientChooserProps) {
  const Heading = level === 2 ? "h2" : "h3";
  const people = useRead<SignInWays>("/sign-in", { isPublic: true }).data?.body.gateway?.people ?? true;
  const [chosen, setSignIn] = useState<SignIn>();
  const [client, setClient] = useState<string>();
  const signIn = people ? (chosen ?? "person") : "token";
  const snippets = clientSnippets(url, signIn);
  const shown = snippets.find((one) => one.client === client) ?? snippets[0];
  return (
    <div className={classes.chooser}>
      <div className={classes.row}>
        <Heading className={classes.heading}>Configuration of an MCP client</Heading>
        {people && (
          <SegmentedControl
            aria-label="How the agent comes by its token"
            value={signIn}
            onChange={setSignIn}
            data={[
              { value: "person", label: "Signs people in" },
              { value: "token", label: "Has a token" },
            ]}
          />
        )}
      </div>
      <NativeSelect
        label="Client"
        className={classes.client}
        value={shown?.client}
        onChange={({ currentTarget }) => setClient(currentTarget.value)}
        data={snippets.map((one) => one.client)}
      />
      {shown !== undefined && (
        <>
          <p className={classes.words}>{shown.place}:</p>
          <CodeBlock code={shown.code} label="MCP client configuration" isWrapped={!shown.code.includes("\n")} />
          {shown.note !== undefined && <p className={classes.words}>{shown.note}</p>}
        </>
      )}
    </div>
  );
}
