import { CopyButton } from "./copy-button.tsx";
import classes from "./copyable-id.module.css";

/** An id, whole, with a button that copies it. */
export function CopyableId({ id, label }: { readonly id: string; readonly label: string }) {
  return (
    <span className={classes.copyable}>
      <code className={classes.id}>{id}</code>
      <CopyButton value={id} label={label} />
    </span>
  );
}
