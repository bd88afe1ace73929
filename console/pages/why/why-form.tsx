import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useId, useState } from "react";
import type { ToolList } from "../../../lib/management/schemas/tools.ts";
import { useRead } from "../../api/use-read.ts";
import type { Caller } from "../../configuration-trial/protocol.ts";
import { useSession } from "../../session/context.ts";
import { ClaimsField, ClientFields } from "../configuration-trial/caller-fields.tsx";
import classes from "../configuration-trial/trial.module.css";
import { type Choice, callOf } from "./choice.ts";

/** What is to be explained. */
export interface Asked {
  /** As far as the address holds it. */
  readonly choice: Choice;
  readonly body: object;
}

export interface WhyFormProps {
  /** What the form begins with. */
  readonly choice: Choice;
  readonly isAsking: boolean;
  readonly onAsk: (asked: Asked) => void;
}

type Kind = "client" | "agent" | "claims";

/** What is wrong, by field. */
type Mistakes = Readonly<Partial<Record<"caller" | "client" | "tool" | "arguments", string>>>;

/** Who calls which tool with what. */
export function WhyForm({ choice, isAsking, onAsk }: WhyFormProps) {
  const { instance } = useSession();
  const [kind, setKind] = useState<Kind>(() => kindOf(choice));
  const [caller, setCaller] = useState<Caller>();
  const [agent, setAgent] = useState(choice);
  const [tool, setTool] = useState(choice.tool);
  const [given, setGiven] = useState("{}");
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const ask = () => {
    const chosen = { kind, caller, agent: { ...agent, tool: tool.trim() } };
    const read = askedOf(chosen, given);
    setMistakes("mistakes" in read ? read.mistakes : {});
    if ("asked" in read) onAsk(read.asked);
  };
  return (
    <form
      className={classes.parts}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <NativeSelect
        label="Caller"
        data={KINDS}
        value={kind}
        onChange={(event) => {
          setKind(event.currentTarget.value as Kind);
          setCaller(undefined);
        }}
      />
      {kind === "client" && (
        <ClientFields
          onChange={setCaller}
          error={mistakes.caller}
          {...(choice.client !== "" && { search: choice.client })}
        />
      )}
      {kind === "agent" && <AgentFields agent={agent} onChange={setAgent} error={mistakes.client} />}
      {kind === "claims" && <ClaimsField instance={instance} onChange={setCaller} error={mistakes.caller} />}
      <ToolField value={tool} onChange={setTool} error={mistakes.tool} />
      <Textarea
        label="Arguments"
        description="One JSON object, as the agent writes it. Records do not have them."
        value={given}
        onChange={(event) => setGiven(event.currentTarget.value)}
        rows={3}
        spellCheck={false}
        error={mistakes.arguments}
        classNames={{ input: classes.code }}
      />
      <div>
        <Button type="submit" loading={isAsking}>
          Explain
        </Button>
      </div>
    </form>
  );
}

const KINDS: readonly { value: Kind; label: string }[] = [
  { value: "client", label: "An API client, with all of its scopes" },
  { value: "agent", label: "An agent, with or without a person" },
  { value: "claims", label: "Whoever a token names" },
];

/** A list shows API clients; what else is known of the caller takes fields. */
function kindOf({ client, person, scopes }: Choice): Kind {
  const isWhole = person === "" && scopes === undefined;
  return client === "" || (isWhole && client.startsWith("client_")) ? "client" : "agent";
}

interface AgentFieldsProps {
  readonly agent: Choice;
  readonly onChange: (agent: Choice) => void;
  readonly error: string | undefined;
}

function AgentFields({ agent, onChange, error }: AgentFieldsProps) {
  return (
    <>
      <TextInput
        label="Client ID"
        description="Of an API client, of an app of the type oidc, or of an agent that came by itself."
        value={agent.client}
        onChange={(event) => onChange({ ...agent, client: event.currentTarget.value })}
        error={error}
        {...PLAIN}
      />
      <div className={classes.fields}>
        <TextInput
          label="Person"
          description="As records name them. Empty: the agent acts for itself."
          value={agent.person}
          onChange={(event) => onChange({ ...agent, person: event.currentTarget.value })}
          {...PLAIN}
        />
        <TextInput
          label="Scopes of the token"
          description="With spaces between. Empty: all that it may ask for."
          value={agent.scopes ?? ""}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...agent, scopes: value.trim() === "" ? undefined : value })
          }
          {...PLAIN}
        />
      </div>
    </>
  );
}

const PLAIN = { autoComplete: "off", spellCheck: false } as const;

interface ToolFieldProps {
  readonly value: string;
  readonly onChange: (tool: string) => void;
  readonly error: string | undefined;
}

function ToolField({ value, onChange, error }: ToolFieldProps) {
  const id = useId();
  const { items = [], servers = [] } = useRead<ToolList>("/tools").data?.body ?? {};
  return (
    <>
      <TextInput
        label="Tool"
        description={`As agents see it.${servers.length === 0 ? "" : " Tools of MCP servers can be typed."}`}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        list={id}
        error={error}
        {...PLAIN}
      />
      <datalist id={id}>
        {items.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

interface Chosen {
  readonly kind: Kind;
  readonly caller: Caller | undefined;
  readonly agent: Choice;
}

function askedOf(
  { kind, caller, agent }: Chosen,
  given: string,
): { readonly asked: Asked } | { readonly mistakes: Mistakes } {
  const { tool } = agent;
  const args = objectOf(given);
  const nobody: Choice = { tool, client: "", person: "", scopes: undefined };
  const others = {
    ...(tool === "" && { tool: "Name a tool." }),
    ...(args === undefined && { arguments: "This is not one JSON object." }),
  };
  const asked = (choice: Choice, body: object): { readonly asked: Asked } | { readonly mistakes: Mistakes } =>
    Object.keys(others).length > 0 ? { mistakes: others } : { asked: { choice, body: { ...body, arguments: args } } };
  if (kind === "agent") {
    const choice = { ...agent, client: agent.client.trim(), person: agent.person.trim() };
    if (choice.client === "") return { mistakes: { ...others, client: "Name the client." } };
    return asked(choice, callOf(choice));
  }
  if (kind === "client") {
    if (caller?.kind !== "client") return { mistakes: { ...others, caller: "Choose who calls." } };
    const choice = { ...nobody, client: caller.client.clientId };
    return asked(choice, callOf(choice));
  }
  const claims = caller?.kind === "claims" ? objectOf(caller.claims) : undefined;
  if (claims === undefined) return { mistakes: { ...others, caller: "This is not one JSON object." } };
  return asked(nobody, { tool, claims });
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
