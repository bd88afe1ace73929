import { Button } from "@mantine/core";
import { Link } from "wouter";
import type { McpServer } from "../../../lib/management/schemas/tools.ts";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Time } from "../../parts/time.tsx";
import { CallerChoice, type CallerChoosing, CallerName } from "./caller-choice.tsx";
import classes from "./try.module.css";
import type { ReadList, ToolList } from "./use-tool-list.ts";

export interface ListReadingProps {
  readonly choosing: CallerChoosing;
  readonly reading: ToolList;
  /** Servers with the credential that they are asked with. */
  readonly servers: readonly Pick<McpServer, "app" | "credential">[];
  /** What was looked for is there: other servers do not matter. */
  readonly isFound?: boolean;
}

/** Reads the list of tools as whoever is chosen, and says as whom and with whose credential it was read. */
export function ListReading({ choosing, reading, servers, isFound = false }: ListReadingProps) {
  const { list, error, isReading, read } = reading;
  return (
    <div className={classes.parts}>
      <form
        className={classes.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (choosing.caller !== undefined) read();
        }}
      >
        <CallerChoice choosing={choosing} />
        <div className={classes.row}>
          <Button
            type="submit"
            variant={list === undefined ? "filled" : "default"}
            loading={isReading}
            disabled={choosing.caller === undefined}
          >
            {list === undefined ? "Read the list" : "Read it again"}
          </Button>
        </div>
      </form>
      {!isReading && <ProblemNote error={error} title="The list could not be read" />}
      {list !== undefined && <ReadAs list={list} servers={servers} isFound={isFound} />}
    </div>
  );
}

interface ReadAsProps extends Required<Pick<ListReadingProps, "servers" | "isFound">> {
  readonly list: ReadList;
}

function ReadAs({ list, servers, isFound }: ReadAsProps) {
  const { caller, at, answer } = list;
  if (answer.outcome === "refused") {
    return (
      <Note tone="bad" isAlert title="The gateway did not list its tools">
        <p className={classes.words}>{visibleText(answer.words)}</p>
      </Note>
    );
  }
  return (
    <>
      <p role="status" className={classes.readAs}>
        Read as <CallerName caller={caller} />, <Time value={at} format="relative" />.
      </p>
      <ul className={classes.credentials} aria-label="Credentials that the list was read with">
        {servers.map(({ app, credential }) => (
          <li key={app}>
            <strong>
              <ForeignText text={app} />
            </strong>{" "}
            was asked {credentialWords(credential)}.
          </li>
        ))}
      </ul>
      {answer.unlisted.length > 0 && !isFound && (
        <Note tone="warn" title="Not all servers have listed their tools">
          {answer.unlisted.map((words) => (
            <p key={words} className={classes.words}>
              {visibleText(words)}
            </p>
          ))}
          <p>
            <Link href="/gateway#upstreams">Upstreams</Link> says which servers answer; the log of the instance has the
            cause.
          </p>
        </Note>
      )}
    </>
  );
}

/** With what a server is asked, of kinds and names alone. */
function credentialWords({ kind, issuer, headers }: McpServer["credential"]): string {
  const own = headers.length > 0 ? `headers of the configuration (${headers.join(", ")})` : undefined;
  const token = TOKENS[kind]?.(issuer ?? "its issuer");
  if (token === undefined)
    return own === undefined ? "without a credential" : `with ${own}, and nothing of the caller's`;
  return own === undefined ? `with ${token}` : `with ${token}, and ${own}`;
}

const TOKENS = {
  unprotected: undefined,
  tokenExchange: (issuer: string) =>
    `a token in exchange for the caller's, issued by ${issuer === "oidcProvider" ? "this instance" : issuer}`,
  userToken: (issuer: string) => `the token of the account that the person has connected at ${issuer}`,
} as const;
