import { Tabs } from "@mantine/core";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Note } from "../../parts/note.tsx";
import classes from "./get-token.module.css";
import { pythonSnippet } from "./snippets/python.ts";
import { shellSnippet } from "./snippets/shell.ts";
import type { Snippet, SnippetFacts } from "./snippets/snippet.ts";
import { typescriptSnippet } from "./snippets/typescript.ts";
import { type TokenUse, tokenUse } from "./snippets/use-token.ts";

export interface SnippetTabsProps {
  readonly instance: Instance;
  readonly scopes: readonly string[];
  readonly facts: SnippetFacts;
}

/** The same in each language, and then the token at work. */
export function SnippetTabs({ instance, scopes, facts }: SnippetTabsProps) {
  const use = tokenUse(instance, scopes, facts.resource);
  return (
    <Tabs defaultValue="shell">
      <Tabs.List aria-label="Language">
        {LANGUAGES.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {LANGUAGES.map(({ id, label, write }) => (
        <Tabs.Panel key={id} value={id} className={classes.panel}>
          <Steps label={label} snippet={write(facts)} use={use} keyFile={facts.keyFile} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

interface StepsProps {
  readonly label: string;
  readonly snippet: Snippet;
  readonly use: TokenUse | undefined;
  readonly keyFile: string;
}

function Steps({ label, snippet: { code, file, run }, use, keyFile }: StepsProps) {
  return (
    <>
      <p className={classes.hint}>
        {file === undefined ? (
          <>
            <code>countersign</code> is the command line that comes with the server: in its folder, type{" "}
            <code>npm run -s countersign --</code> for it.
          </>
        ) : (
          <>
            Save it as <code>{file}</code>.
          </>
        )}{" "}
        <code>{keyFile}</code> is the private key as it was downloaded here: put your own path in its place.
      </p>
      <CodeBlock label={label} code={code} />
      {use === undefined ? (
        <Note>
          The client has no permission to read anything at the management API. It gets a token, but there is nothing to
          show with it.
        </Note>
      ) : (
        <>
          <h3 className={classes.then}>Then: {lowerFirst(use.title)}</h3>
          <CodeBlock label={use.title} code={[run, use.code].filter((line) => line !== undefined).join("\n")} />
        </>
      )}
    </>
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const LANGUAGES = [
  { id: "shell", label: "Shell", write: shellSnippet },
  { id: "typescript", label: "TypeScript", write: typescriptSnippet },
  { id: "python", label: "Python", write: pythonSnippet },
] as const;
