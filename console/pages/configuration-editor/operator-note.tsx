import { FILE } from "../../configuration-check/protocol.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Note } from "../../parts/note.tsx";
import classes from "./editor.module.css";

/** @param deployment its name */
export function OperatorNote({ deployment }: { readonly deployment: string }) {
  const command = `countersign publish -config ${FILE} -deployment ${deployment} -key FILE -to ${location.origin}/api/v1/deployment -reason TEXT`;
  return (
    <Note title="Publish with the command">
      <div className={classes.parts}>
        <p>
          Publications of this deployment are signed with a key that is not with the instance. Download the file, and
          publish it where the key is:
        </p>
        <CodeBlock code={command} label="Command" isWrapped />
      </div>
    </Note>
  );
}
