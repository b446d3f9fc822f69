// Who asks for redaction. Anyone may add it, nobody may take it away.
import { NO_REDACTION, type Redactor } from './redactor.ts';

/** What an endpoint's file says. */
export interface RedactionPolicy {
  /** Whether every answer is redacted. */
  readonly always: boolean;
  /** What is done where somebody asks. */
  readonly redactor: Redactor;
}

/** Who asks beside the endpoint's file: the caller's key, a header of the request. */
export interface RedactionDemands {
  readonly key: boolean;
  readonly header: boolean;
}

/** The endpoint's redactor where at least one asks for it; else the one that takes nothing out. */
export function demandedRedactor(policy: RedactionPolicy, { key, header }: RedactionDemands): Redactor {
  return policy.always || key || header ? policy.redactor : NO_REDACTION;
}
