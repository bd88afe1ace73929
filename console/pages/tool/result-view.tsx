import type { ContentBlock } from "@modelcontextprotocol/client";
import { Link } from "wouter";
import { CodeBlock } from "../../parts/code-block.tsx";
import { visibleText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import type { Called } from "./gateway-client.ts";
import classes from "./try.module.css";

/** What the tool answered, as an agent gets it. */
export function ResultView({ called, tool }: { readonly called: Called; readonly tool: string }) {
  return (
    <section className={classes.parts} aria-label="Result">
      {called.outcome === "refused" ? (
        <Note tone="bad" isAlert title="The call was not answered">
          <p className={classes.words}>{visibleText(called.words)}</p>
        </Note>
      ) : (
        <Answer called={called} />
      )}
      <p className={classes.quiet}>
        It is recorded as a trial under your name.{" "}
        <Link href={`/audit?${new URLSearchParams({ tool })}`}>See the records</Link>
      </p>
    </section>
  );
}

function Answer({ called: { result, milliseconds } }: { readonly called: Extract<Called, { outcome: "answered" }> }) {
  const { content, structuredContent, isError } = result;
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent, null, 2);
  return (
    <>
      <p role="status" className={classes.verdict}>
        <StatusBadge tone={isError ? "bad" : "good"}>{isError ? "Error" : "Answered"}</StatusBadge>
        {`in ${Math.round(milliseconds).toLocaleString("en-US")} ms`}
      </p>
      {structured !== undefined && (
        <CodeBlock label="Structured content" code={structured} shown={shownLines(structured)} />
      )}
      {content.flatMap((block, index) => {
        const text = textOf(block);
        // Servers repeat what is structured as text, for agents that know no other.
        if (structured !== undefined && isSame(text, structuredContent)) return [];
        const label = content.length === 1 ? "Content" : `Content ${index + 1}`;
        return [
          <CodeBlock
            key={label}
            label={label}
            code={text}
            shown={shownLines(text)}
            isWrapped={block.type === "text"}
          />,
        ];
      })}
    </>
  );
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `${block.type === "image" ? "A picture" : "A sound"} (${block.mimeType}, ${block.data.length} characters of base64)`;
    default:
      return JSON.stringify(block, null, 2);
  }
}

function isSame(text: string, structured: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

/** Characters that nobody sees are shown, but for the ends of lines. */
function shownLines(text: string): string {
  return text.split(/\r?\n/).map(visibleText).join("\n");
}
