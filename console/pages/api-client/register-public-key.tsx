import { Button, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { AddedKeyPair } from "../../../lib/management/schemas/key-pairs.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import classes from "./add-key-pair.module.css";
import { publicKeyFault } from "./public-key-fault.ts";

export interface RegisterPublicKeyProps {
  readonly clientId: string;
  /** Something is typed, which a stray key must not throw away. */
  readonly onHold: (isHeld: boolean) => void;
  readonly onClose: () => void;
}

/** Registers the public half of a pair that was made elsewhere. */
export function RegisterPublicKey({ clientId, onHold, onClose }: RegisterPublicKeyProps) {
  const announce = useAnnounce();
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { publicKey: "" },
    validate: { publicKey: publicKeyFault },
    onValuesChange: ({ publicKey }) => onHold(publicKey !== ""),
  });
  const register = useSend<AddedKeyPair, { readonly publicKey: string }>(
    (body) => ({ method: "POST", path: path`/api-clients/${clientId}/key-pairs`, body }),
    {
      refreshes: ["/api-clients", "/overview"],
      onDone: () => {
        announce("Public key registered");
        onClose();
      },
    },
  );
  const submit = form.onSubmit((values) => {
    if (register.isPending) return;
    setProblem(undefined);
    register.mutate(values, { onError: (error) => setProblem(showFieldErrors(form, error)) });
  });
  return (
    <form onSubmit={submit} noValidate className={classes.content}>
      <Textarea
        label="Public key"
        description="PEM (BEGIN PUBLIC KEY) or a JWK, for ES256 on the curve P-256."
        rows={5}
        spellCheck={false}
        autoComplete="off"
        maxLength={4096}
        classNames={{ input: classes.key }}
        {...form.getInputProps("publicKey")}
      />
      <div>
        <p className={classes.hint}>To make a pair with OpenSSL, and print its public key:</p>
        <CodeBlock label="OpenSSL commands" code={OPENSSL} />
      </div>
      <ProblemNote error={problem} title="The public key was not registered" />
      <div className={classes.actions}>
        <Button variant="default" onClick={onClose} disabled={register.isPending}>
          Cancel
        </Button>
        <Button type="submit" loading={register.isPending}>
          Register public key
        </Button>
      </div>
    </form>
  );
}

const OPENSSL = `openssl genpkey -algorithm EC \\
  -pkeyopt ec_paramgen_curve:P-256 -out key.pem
openssl pkey -in key.pem -pubout`;
