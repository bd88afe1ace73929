import { ForeignText } from "./foreign-text.tsx";
import classes from "./named.module.css";
import type { Names } from "./use-names.ts";

export interface NamedProps {
  readonly id: string;
  readonly names: Names;
  /** On one line each, where the whole is elsewhere. */
  readonly isCut?: boolean;
}

/** An id, below the name that it has now, where that is known: records hold ids alone, since names change. */
export function Named({ id, names, isCut = false }: NamedProps) {
  const name = names.get(id);
  if (name === undefined) return <ForeignText text={id} isCut={isCut} />;
  return (
    <span className={classes.named}>
      <ForeignText text={name} isCut={isCut} />
      <span className={classes.id}>
        <ForeignText text={id} isCut={isCut} />
      </span>
    </span>
  );
}
