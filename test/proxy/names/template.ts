import fc from "fast-check";

/** Operators of RFC 6570 §3.2 with what comes first and between the values; `named` puts `name=` before each. */
const OPERATORS = {
  "": { first: "", between: ",", named: false, reserved: false },
  "+": { first: "", between: ",", named: false, reserved: true },
  "#": { first: "#", between: ",", named: false, reserved: true },
  ".": { first: ".", between: ".", named: false, reserved: false },
  "/": { first: "/", between: "/", named: false, reserved: false },
  ";": { first: ";", between: ";", named: true, reserved: false },
  "?": { first: "?", between: "&", named: true, reserved: false },
  "&": { first: "&", between: "&", named: true, reserved: false },
};

/** RFC 6570 for values that are texts. Literals are copied; those outside of URIs are percent-encoded (§3.1). */
export function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(
    /\{([+#./;?&]?)([^}]*)\}|[^{]+/g,
    (all, operator: keyof typeof OPERATORS, names: string) => {
      if (names === undefined) return encodeURI(all).replaceAll("%25", "%");
      const { first, between, named, reserved } = OPERATORS[operator];
      const encode = (value: string) => (reserved ? encodeURI(value) : encodeURIComponent(value));
      const given = names.split(",").filter((name) => values[name] !== undefined);
      const parts = given.map((name) => `${named ? `${name}=` : ""}${encode(values[name] ?? "")}`);
      return parts.length > 0 ? first + parts.join(between) : "";
    },
  );
}

const expression = fc
  .tuple(fc.constantFrom("", "+", "#", ".", "/", ";", "?", "&"), fc.subarray(["a", "b", "c"], { minLength: 1 }))
  .map(([operator, names]) => `{${operator}${names.join(",")}}`);

const literal = fc.constantFrom("x", "/", "docs", "?q=", "..", "@", ":8080", "%20", "ledger+", "ui://", "-");

/** Templates with a scheme, as a literal or as an expression. */
export const templates = fc
  .tuple(
    fc.constantFrom("ui://", "demo://", "UI://", "ui:", "file:///", "https://", "ledger+demo://", "{a}://", "{+b}", ""),
    fc.array(fc.oneof(literal, expression), { maxLength: 6 }),
  )
  .map(([scheme, rest]) => scheme + rest.join(""));

export const values = fc.record(
  {
    a: fc.constantFrom("ui", "demo", "x y", "ledger+ui"),
    b: fc.constantFrom("ui://s/x", "https://a.b/c?d#e", "é"),
    c: fc.string(),
  },
  { requiredKeys: [] },
);
