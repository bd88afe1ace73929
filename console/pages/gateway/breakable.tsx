import { Fragment } from "react";

/** A long name or path, which a narrow column breaks after `_` and `/` rather than within a word. */
export function Breakable({ text }: { readonly text: string }) {
  const parts = text.split(/(?<=[_/])/).map((part, index) => ({ part, key: `${index}` }));
  return parts.map(({ part, key }) => (
    <Fragment key={key}>
      {part}
      <wbr />
    </Fragment>
  ));
}
