import { Button, Radio } from "@mantine/core";
import { useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import classes from "./add-key-pair.module.css";
import { RegisterPublicKey } from "./register-public-key.tsx";
import type { Generation } from "./use-generated-key-pair.ts";

export interface AddKeyPairFormProps {
  readonly client: ApiClient;
  readonly generated: Generation;
  readonly onHold: (isHeld: boolean) => void;
  readonly onClose: () => void;
}

/** Where the private key comes from: here, or from the person's own tools. */
export function AddKeyPairForm({ client, generated, onHold, onClose }: AddKeyPairFormProps) {
  const [origin, setOrigin] = useState("generate");
  return (
    <div className={classes.content}>
      <Radio.Group label="Where does the private key come from?" value={origin} onChange={setOrigin}>
        <div className={classes.choices}>
          <Radio
            value="generate"
            label="Generate it here"
            description="You download it once. Countersign does not keep it."
            disabled={generated.isPending}
          />
          <Radio
            value="register"
            label="I have one"
            description="You register its public key. The private key never leaves your side."
            disabled={generated.isPending}
          />
        </div>
      </Radio.Group>
      {origin === "register" ? (
        <RegisterPublicKey clientId={client.clientId} onHold={onHold} onClose={onClose} />
      ) : (
        <>
          <ProblemNote error={generated.error} title="No key pair was added" />
          <div className={classes.actions}>
            <Button variant="default" onClick={onClose} disabled={generated.isPending}>
              Cancel
            </Button>
            <Button onClick={generated.generate} loading={generated.isPending}>
              Generate key pair
            </Button>
          </div>
        </>
      )}
    </div>
  );
}
