// STUB
import type { Caller } from './caller.ts';
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: { type: 'object'; [key: string]: unknown };
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}
export interface ToolResult {
  readonly content: { type: 'text'; text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}
export interface Tool {
  readonly run: (args: Readonly<Record<string, unknown>>, caller: Caller) => Promise<ToolResult>;
}
export interface ToolSource {
  readonly list: (caller: Caller) => Promise<readonly ToolDefinition[]>;
  readonly find: (caller: Caller, name: string) => Promise<Tool | undefined>;
}
