import { Button, PasswordInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useSend } from "../../api/use-send.ts";
import type { ServerTool, Transport } from "../../configuration-check/protocol.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import classes from "./forms.module.css";

/** What an MCP server says of itself, or that it asks for credentials. */
export type ServerAnswer =
  | { readonly outcome: "unauthorized" }
  | {
      readonly outcome: "answered";
      readonly name: string;
      readonly version: string;
      readonly title?: string;
      readonly protocolVersion: string;
      readonly tools: readonly ServerTool[];
      readonly prompts: number;
      readonly resources: number;
    };

interface ServerQuestion {
  readonly url: string;
  readonly transport: Transport;
  /** For this question alone; nobody keeps them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds: the instance asks another host. */
const TIMEOUT = 60_000;

/** Asks an MCP server through the instance, which can reach what the browser cannot. */
function useLook(onAnswer: (answer: ServerAnswer) => void) {
  return useSend<ServerAnswer, ServerQuestion>(
    (body) => ({ method: "POST", path: "/deployment/mcp-servers", body, timeout: TIMEOUT }),
    { onDone: ({ body }) => onAnswer(body) },
  );
}

export interface LookAtServerProps {
  readonly url: string;
  readonly transport: Transport;
  readonly onAnswer: (answer: ServerAnswer) => void;
  readonly onUrlError?: (words: string) => void;
}

/** Asks the server which tools it has. Nothing of it is kept, and the app can be written without. */
export function LookAtServer({ url, transport, onAnswer, onUrlError }: LookAtServerProps) {
  const [token, setToken] = useState("");
  const look = useLook(onAnswer);
  const answer = look.data?.body;
  const button = useRef<HTMLButtonElement>(null);
  const wasPending = useRef(false);
  // It is disabled meanwhile, and the focus lost.
  useEffect(() => {
    if (wasPending.current && !look.isPending && document.activeElement === document.body) button.current?.focus();
    wasPending.current = look.isPending;
  }, [look.isPending]);
  const field = look.error?.fields.find(({ pointer }) => pointer === "/url");
  const isUnauthorized = answer?.outcome === "unauthorized";
  return (
    <>
      {isUnauthorized && (
        <>
          <Note tone="warn" isAlert title="The server asks for credentials">
            Enter a token to look at its tools, or go on without.
          </Note>
          <PasswordInput
            label="Token for this look"
            description="It is sent to the server once, and kept nowhere."
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            autoComplete="off"
          />
        </>
      )}
      <div className={classes.buttons}>
        <Button
          ref={button}
          variant="default"
          size="xs"
          loading={look.isPending}
          disabled={url.trim() === ""}
          onClick={() =>
            look.mutate(
              {
                ...{ url: url.trim(), transport },
                ...(token !== "" && { headers: { Authorization: `Bearer ${token}` } }),
              },
              {
                onError: ({ fields }) => {
                  const found = fields.find(({ pointer }) => pointer === "/url");
                  if (found !== undefined) onUrlError?.(found.detail);
                },
              },
            )
          }
        >
          Look at its tools
        </Button>
      </div>
      <span role="status">
        {answer?.outcome === "answered" && (
          <ForeignText
            text={`${answer.title ?? answer.name} ${answer.version}: ${answer.tools.length} tools, ${answer.prompts} prompts, ${answer.resources} resources.`}
          />
        )}
      </span>
      {(field === undefined || onUrlError === undefined) && (
        <ProblemNote error={look.error} title="The server could not be asked" />
      )}
    </>
  );
}
