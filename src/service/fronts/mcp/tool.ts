// Tools, and the sources that they come from.
import type { ResourceLink, TextContent, Tool as SdkTool } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';

/** As `tools/list` has it. */
export type ToolDefinition = SdkTool;

export type ToolArguments = Readonly<Record<string, unknown>>;

export interface ToolResult {
  readonly content: (TextContent | ResourceLink)[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

export interface Tool {
  /**
   * Throws Problem, which becomes a result with `isError`. The arguments are not validated. The result depends on nothing but
   * the arguments, the caller and what it answers: the result of one cached answer is repeated.
   */
  readonly run: (args: ToolArguments, caller: Caller) => Promise<ToolResult>;
}

/** Names of different sources must not be the same: the first source with a tool of the name runs it. */
export interface ToolSource {
  /** Cheap: cached by catalog and principal. */
  readonly list: (caller: Caller) => Promise<readonly ToolDefinition[]>;
  /** Undefined: there is no such tool for this caller. */
  readonly find: (caller: Caller, name: string) => Promise<Tool | undefined>;
}
