import { ForeignText } from "../../parts/foreign-text.tsx";

/** A text of several lines that somebody else chose. */
export function ForeignLines({ text }: { readonly text: string }) {
  return text
    .split(/\r?\n/)
    .map((line, index) => ({ line, key: `${index}` }))
    .map(({ line, key }) => (
      <p key={key}>
        <ForeignText text={line} />
      </p>
    ));
}
