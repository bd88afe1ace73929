import { Input, NativeSelect, Radio, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { type ReactNode, useId, useState } from "react";
import type { StopChange } from "../../../lib/management/schemas/stops.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { Facts } from "../../parts/facts.tsx";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import { Named } from "../../parts/named.tsx";
import { idOf, type Names } from "../../parts/use-names.ts";
import { KIND_ORDER, KINDS, type StopKind } from "./stop-kinds.ts";
import { completionText } from "./stop-texts.ts";
import { useChoices } from "./use-choices.ts";

/** What a page is about: the switch asks no more for it. */
export interface StopTarget {
  readonly kind: StopKind;
  readonly id: string;
  /** What it is called, where that is known. */
  readonly name?: string;
  /** Of a person or agent of another authorization server. */
  readonly issuer?: string;
}

interface StopDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly target?: StopTarget;
}

/** Asks what to stop, and why. */
export function StopDialog({ opened, onClose, target }: StopDialogProps) {
  return (
    <FormDialog
      opened={opened}
      title={target ? `Stop this ${KINDS[target.kind].noun}?` : "Stop something"}
      onClose={onClose}
    >
      <StopForm onClose={onClose} {...(target && { target })} />
    </FormDialog>
  );
}

interface NewStop {
  readonly kind: StopKind;
  readonly id: string;
  readonly issuer: string;
  readonly state: "suspended" | "ended";
  readonly reason: string;
}

function StopForm({ onClose, target }: Omit<StopDialogProps, "opened">) {
  const announce = useAnnounce();
  const [problem, setProblem] = useState<unknown>();
  /** What was entered again after the form had said that it knows none. */
  const [doubted, setDoubted] = useState<string>();
  const stop = useSend<StopChange, object>((body) => ({ method: "POST", path: "/stops", body }), {
    refreshes: ["/stops", "/overview", "/mcp-sessions", "/tools"],
    onDone: ({ body }) => {
      announce(completionText(body));
      onClose();
    },
  });
  const form = useForm<NewStop>({
    initialValues: {
      ...{ kind: target?.kind ?? "agent", id: target?.id ?? "", issuer: target?.issuer ?? "" },
      ...{ state: "suspended", reason: "" },
    },
    validate: {
      id: (id) => (id.trim() === "" ? "Enter what to stop." : null),
      reason: (reason) => (reason.trim() === "" ? "Enter why: it goes to the audit log." : null),
    },
  });
  const { kind } = form.values;
  const words = KINDS[kind];
  const choices = useChoices(target === undefined ? kind : undefined);
  const submit = form.onSubmit(({ id: entered, issuer: given, state, reason }) => {
    setProblem(undefined);
    const issuer = canHaveIssuer(kind) && given.trim() !== "" ? given.trim() : undefined;
    const id = idOf(choices, entered.trim());
    const doubt = target === undefined && issuer === undefined ? doubtOf(kind, id, choices) : undefined;
    if (doubt !== undefined && (doubt.isFinal || doubted !== id)) {
      setDoubted(id);
      form.setFieldError("id", doubt.text);
      return;
    }
    // An API client is one of the agents to people, and a kind of its own to the server.
    const isClient = kind === "agent" && issuer === undefined && id.startsWith("client_") && choices.has(id);
    const body = {
      ...{ kind: isClient ? "api_client" : kind, id, reason, state: words.hasTokens ? state : "suspended" },
      ...(issuer !== undefined && { issuer }),
    };
    stop.mutate(body, { onError: (error) => setProblem(showFieldErrors(form, error)) });
  });
  return (
    <DialogForm
      onSubmit={submit}
      submitLabel={words.hasTokens && form.values.state === "ended" ? "End tokens and sessions" : "Suspend"}
      isPending={stop.isPending}
      problem={problem}
      problemTitle="Nothing was stopped"
      onCancel={onClose}
    >
      {target === undefined ? (
        <Which form={form} choices={choices} />
      ) : (
        <Known target={target} problem={form.errors.id} />
      )}
      {words.hasTokens && (
        <Radio.Group label="How" {...form.getInputProps("state")}>
          <Radio
            value="suspended"
            label="Suspend"
            description="It stays out until an owner resumes it. What it has now is over for good."
          />
          <Radio
            value="ended"
            label="End tokens and sessions"
            description="What it has now is over, but it may come back at once. For a token that leaked."
          />
        </Radio.Group>
      )}
      <TextInput
        label="Why"
        description="For the audit log and for other owners. Those who are stopped do not see it."
        maxLength={200}
        required
        data-autofocus={target !== undefined || undefined}
        {...form.getInputProps("reason")}
      />
    </DialogForm>
  );
}

function canHaveIssuer(kind: StopKind): boolean {
  return kind === "person" || kind === "agent";
}

/** Ids that this instance gives, and those of agents that publish a document about themselves. */
const ID = /^(agent_|client_|user_|https:\/\/)\S+$/;

/**
 * Why a text may stop nobody: the server believes any id of a person or agent, and a name is none. Undefined: it is known, or
 * an id. What is not final can be entered again: clients of the configuration have ids of any form.
 */
function doubtOf(kind: StopKind, id: string, choices: Names): { readonly text: string; isFinal?: true } | undefined {
  if (!canHaveIssuer(kind) || choices.has(id) || ID.test(id)) return undefined;
  const { noun } = KINDS[kind];
  const called = [...choices.values()].filter((name) => name.toLowerCase() === id.toLowerCase());
  if (called.length > 1) return { text: "Several are called so. Choose one from the list.", isFinal: true };
  return { text: `No ${noun} in the list is called so. If it is an ID from the audit log, press the button again.` };
}

/** What the page has said already. */
function Known({
  target: { kind, id, name, issuer },
  problem,
}: {
  readonly target: StopTarget;
  readonly problem: ReactNode;
}) {
  const { label, effect } = KINDS[kind];
  const names = new Map(name === undefined || name === id ? [] : [[id, name]]);
  return (
    <>
      <Facts
        facts={[
          { term: label, value: <Named id={id} names={names} /> },
          { term: "Issuer", value: issuer && <ForeignText text={issuer} /> },
        ]}
      />
      <p>{effect}</p>
      {problem && <Input.Error role="alert">{problem}</Input.Error>}
    </>
  );
}

interface WhichProps {
  readonly form: UseFormReturnType<NewStop>;
  readonly choices: Names;
}

/** Asks for it: what is in the lists of the Console is offered by its name, and any id may be typed. */
function Which({ form, choices }: WhichProps) {
  const { kind, id } = form.values;
  const listId = useId();
  const name = choices.get(id);
  const { effect, id: words } = KINDS[kind];
  const field = form.getInputProps("id");
  return (
    <>
      <NativeSelect
        label="What"
        description={effect}
        data={KIND_ORDER.map((value) => ({ value, label: KINDS[value].label }))}
        data-autofocus
        {...form.getInputProps("kind")}
        onChange={(event) => form.setValues({ kind: event.currentTarget.value as StopKind, id: "", issuer: "" })}
      />
      <TextInput
        label="Which"
        description={name === undefined || name === id ? words : <ForeignText text={name} />}
        placeholder={choices.size > 0 ? "Choose, or type a name or ID" : ""}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        required
        {...field}
        onBlur={() => form.setFieldValue("id", idOf(choices, id.trim()))}
      />
      <datalist id={listId}>
        {[...choices].map(([value, called]) => (
          <option key={value} value={value} label={visibleText(called)} />
        ))}
      </datalist>
      {canHaveIssuer(kind) && (
        <TextInput
          label="Issuer"
          description="Only if they come with tokens of another authorization server: its URL. Else leave it empty."
          autoComplete="off"
          {...form.getInputProps("issuer")}
        />
      )}
    </>
  );
}
