import type {
  AgentSummary,
  Basis,
  DiagnosticRow,
  EventEdit,
  Kind,
  PriceInfo,
  StateChange,
} from '@/api/gen/api.ts';
import type { FakePlace } from './flow.ts';

/** An event of a made-up session. */
export interface FakeEvent {
  readonly event: number;
  readonly kind: Kind;
  readonly agent: string;
  readonly call: number | null;
  readonly turn: number;
  readonly tokens: number;
  readonly tool: string;
  readonly what: string;
  readonly timeMs: number;
  readonly label: 'text' | 'call' | 'result';
  readonly error: string | null;
  readonly state: readonly StateChange[];
  readonly transferTo: string | null;
  /** What it holds, made when somebody looks. */
  readonly text: () => string;
}

/** A part of a prompt. */
export interface FakePart {
  readonly kind: Kind;
  /** Parts of one identity and version are the same bytes. */
  readonly identity: string;
  readonly version: number | string;
  readonly at: number;
  readonly tokens: number;
  readonly path: string;
  readonly event: number;
  readonly isReframed: boolean;
  readonly from: string;
  readonly label: string;
  readonly text: () => string;
}

export interface FakeBreak {
  readonly isAvoidable: boolean;
  readonly atToken: number;
  readonly rebilledTokens: number;
  readonly cause: string;
  readonly path: string;
  readonly previousCall: number;
}

export interface FakeCall {
  readonly call: number;
  readonly agent: number;
  readonly turn: number;
  readonly eventsBefore: number;
  readonly tokens: number;
  readonly cached: number;
  readonly byKind: readonly number[];
  readonly flags: number;
  readonly break: FakeBreak | null;
}

/** What an event cost over the session. */
export interface FakeUse {
  readonly firstCall: number;
  readonly lastCall: number;
  readonly sentIn: number;
  readonly lifetimeTokens: number;
  readonly freshTokens: number;
}

export interface FakeSession {
  /** What an experiment made of events, by their numbers. */
  readonly eventEdits?: ReadonlyMap<number, readonly EventEdit[]>;
  readonly id: string;
  readonly title: string;
  readonly format: string;
  readonly source: string;
  readonly isSample: boolean;
  readonly agents: readonly AgentSummary[];
  readonly events: readonly FakeEvent[];
  readonly calls: readonly FakeCall[];
  readonly compactions: number;
  readonly basis: Basis;
  readonly cachedBasis: Basis;
  readonly price: PriceInfo | null;
  readonly summariserUsd: number;
  readonly isInferred: boolean;
  readonly diagnostics: readonly DiagnosticRow[];
  readonly partsOf: (call: number) => readonly FakePart[];
  readonly useOf: (event: number) => FakeUse;
  /** Of an experiment: what edits made of the flow, and the parts before it took any away. */
  readonly flow?: readonly FakePlace[];
  readonly wholeOf?: (call: number) => readonly FakePart[];
}

export const NO_USE: FakeUse = { firstCall: 0, lastCall: 0, sentIn: 0, lifetimeTokens: 0, freshTokens: 0 };
