import { Button, FileButton, Textarea } from "@mantine/core";
import { useMemo, useState } from "react";
import { DownloadIcon } from "../../icons.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { saveFile } from "../../parts/save-file.ts";
import type { PolicyInUse, PolicySource } from "../../policy-test/protocol.ts";
import classes from "../configuration-trial/trial.module.css";
import own from "./policies.module.css";

/** What a policy in Rego is evaluated with: OPA's plan of it, and the documents that it reads. */
export interface RegoState {
  readonly source: PolicySource | undefined;
  /** Of the file that was chosen; absent: the plan is the one in use. */
  readonly file: string | undefined;
  readonly data: string;
  readonly problem: string | undefined;
  readonly setData: (text: string) => void;
  readonly choose: (file: File) => Promise<void>;
}

/** Bytes: the largest plan that a configuration may have is far smaller. */
const MAX_BYTES = 16 * 1024 * 1024;
const NEW = { language: "rego", data: {}, list: false, forwardToken: false } as const;

export function useRegoParts(inUse: PolicyInUse | undefined): RegoState {
  const begun = inUse?.source?.language === "rego" ? inUse.source : undefined;
  const [given, setGiven] = useState<{ readonly name: string; readonly plan: unknown }>();
  const [refused, setRefused] = useState<string>();
  const [data, setData] = useState(() => JSON.stringify(begun?.data ?? {}, null, 2));
  const documents = useMemo(() => objectOf(data), [data]);
  const plan = given === undefined ? begun?.plan : given.plan;
  const isThere = plan !== undefined && documents !== undefined;
  const source: PolicySource | undefined = isThere ? { ...NEW, ...begun, plan, data: documents } : undefined;
  return {
    source,
    file: given?.name,
    data,
    problem: refused,
    setData,
    choose: async (file) => {
      const plan = file.size > MAX_BYTES ? undefined : objectOf(await file.text());
      setRefused(
        plan === undefined ? `${file.name} is no JSON object; choose the plan.json of the bundle.` : undefined,
      );
      if (plan !== undefined) setGiven({ name: file.name, plan });
    },
  };
}

export interface RegoPartsProps {
  readonly parts: RegoState;
  readonly text: string;
  readonly inUse: PolicyInUse | undefined;
  readonly isChanged: boolean;
}

/** OPA compiles Rego, and a browser has no OPA: the person brings the plan, and the page says which one is evaluated. */
export function RegoParts({ parts, text, inUse, isChanged }: RegoPartsProps) {
  const { file, data, problem, setData, choose } = parts;
  const entrypoint =
    (inUse?.source?.language === "rego" ? inUse.source.entrypoint : undefined) ?? "orchestrator/result";
  return (
    <div className={own.rego}>
      {inUse !== undefined && inUse.text === undefined && (
        <Note title="Its modules are not here">
          The configuration names a file, of which the instance has what was compiled. Paste the modules, or choose a
          plan.
        </Note>
      )}
      <p>
        OPA compiles Rego, and a browser has no OPA. Save the text, compile it, and choose the <code>plan.json</code>:
        it stays in this page. The command tells mistakes with their lines.
      </p>
      <CodeBlock
        label="command"
        code={`opa build -t plan -e ${entrypoint} policy.rego && tar -xzf bundle.tar.gz /plan.json`}
      />
      <div className={classes.progress}>
        <Button
          variant="default"
          size="xs"
          leftSection={<DownloadIcon size={14} />}
          disabled={text === ""}
          onClick={() => saveFile("policy.rego", new Blob([text], { type: "text/plain" }))}
        >
          Save policy.rego
        </Button>
        <FileButton accept=".json,application/json" onChange={(chosen) => chosen && void choose(chosen)}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              Choose plan.json
            </Button>
          )}
        </FileButton>
        <span role="status">
          {file !== undefined ? (
            <>
              Evaluated: <ForeignText text={file} />
            </>
          ) : inUse?.source !== undefined ? (
            `Evaluated: the plan in use${isChanged ? ", without your changes of the text" : ""}`
          ) : (
            "There is no plan yet."
          )}
        </span>
      </div>
      {problem !== undefined && (
        <Note tone="bad" isAlert>
          <ForeignText text={problem} />
        </Note>
      )}
      <Textarea
        label="Data"
        description="One JSON object: what the policy reads below data."
        value={data}
        onChange={(event) => setData(event.currentTarget.value)}
        rows={4}
        spellCheck={false}
        error={objectOf(data) === undefined ? "This is not one JSON object." : undefined}
        classNames={{ input: classes.code }}
      />
    </div>
  );
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
