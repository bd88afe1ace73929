import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { Answer } from "../../api/request.ts";
import type { PageFrameProps } from "../../parts/page-frame.tsx";

export interface ClientDetailsProps {
  readonly client: Answer<ApiClient>;
  readonly back: NonNullable<PageFrameProps["back"]>;
  /** Reads the client again, and answers with what it is now. */
  readonly refetch: () => Promise<{ readonly data: Answer<ApiClient> | undefined }>;
}
