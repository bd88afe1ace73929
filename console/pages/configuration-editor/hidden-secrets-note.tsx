import { Note } from "../../parts/note.tsx";
import { HIDDEN_SECRET } from "./page-texts.ts";

/** What stands in the place of secrets of the document. @property isKept whether publishing keeps those that are in use */
export function HiddenSecretsNote({ isKept }: { readonly isKept: boolean }) {
  return (
    <Note tone={isKept ? "info" : "warn"} title="Secrets that stand in the document are not shown">
      Each stands as {HIDDEN_SECRET}
      {isKept ? ", and stays as it is in use. To change one, write " : ". Write "}a reference such as {"<vault.name>"}{" "}
      in its place, or the secret itself.
    </Note>
  );
}
