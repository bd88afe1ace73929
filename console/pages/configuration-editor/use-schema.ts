import { useEffect, useState } from "react";
import type { Checker } from "../../configuration-check/checker.ts";
import type { Schema } from "./schema-at.ts";

/** The configuration's schema, which the worker makes; undefined until it is there, and where it cannot be made. */
export function useSchema(checker: Checker): Schema | undefined {
  const [schema, setSchema] = useState<Schema>();
  useEffect(() => {
    let isHere = true;
    checker.ask({ kind: "schema" }).then(
      (found) => isHere && setSchema(found as Schema),
      () => undefined, // Without help, the text can be written all the same.
    );
    return () => {
      isHere = false;
    };
  }, [checker]);
  return schema;
}
