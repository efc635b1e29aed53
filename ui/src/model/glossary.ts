import { matchesWords } from '@/lib/match.ts';

/** A word that the window uses in a sense of its own. */
export interface GlossaryEntry {
  readonly term: string;
  /** One or two sentences, for whoever reads the word for the first time. */
  readonly definition: string;
  /** Other words people look for it by. */
  readonly also?: string;
  /** Terms to read on with. */
  readonly see?: readonly string[];
}

/** Every word of the window that is not plain English. `components/shared/Term.svelte` names them by their key. */
const ENTRIES: Readonly<Record<string, GlossaryEntry>> = {
  agent: {
    term: 'Agent',
    definition:
      'A model with an instruction and tools. A session may have several, which hand work to one another and see one another’s words differently.',
    see: ['handOff', 'lineage'],
  },
  avoidable: {
    term: 'Avoidable',
    definition:
      'A cache loss that a change of the app would prevent, such as a value in the instruction that differs from call to call. Red is used for these and for errors only.',
    see: ['cacheLoss'],
  },
  basis: {
    term: 'Basis',
    definition:
      'What a number rests on. Best first: reported by the provider, exact, calibrated, estimate. A sum is worth what the weakest number in it is worth.',
    also: 'grade accuracy approximate estimated ≈ about',
    see: ['reported', 'exact', 'calibrated', 'estimate'],
  },
  cacheLoss: {
    term: 'Cache loss',
    definition:
      'A call in which the provider’s cache held less than an earlier prompt could have left there. The prompt changed (a prefix break), or a rule of the provider said no: too short, expired, not marked.',
    also: 'cache miss break billed again',
    see: ['prefixBreak', 'avoidable', 'minimum', 'cacheLifetime'],
  },
  cached: {
    term: 'Cached',
    definition:
      'Tokens at the start of a prompt that the provider still had from an earlier one, so that it bills them at a fraction of the price. Drawn faint; what is billed in full is strong.',
    also: 'cache hit read found',
    see: ['prefix', 'inFull'],
  },
  calibrated: {
    term: 'Calibrated',
    definition:
      'Our own count, corrected by how it compared with what the provider reported for other calls of the same model. Shown with “about”.',
    see: ['basis', 'reported'],
  },
  call: {
    term: 'Call',
    definition:
      'One request to a model and its answer, numbered C1, C2 and so on. It is the unit of everything here: each call sends a whole prompt again.',
    also: 'request model call',
    see: ['prompt', 'turn'],
  },
  cacheLifetime: {
    term: 'Cache lifetime',
    definition:
      'How long a provider keeps a prefix after it was last used, often five minutes or an hour. A later call finds nothing of it.',
    also: 'ttl expired evicted',
    see: ['cacheLoss', 'prefix'],
  },
  compaction: {
    term: 'Compaction',
    definition:
      'Replacing older events by a summary, so that prompts get shorter. It saves tokens, costs a call that writes the summary, and loses what the summary leaves out.',
    also: 'summarise compress compact',
    see: ['interval', 'overlap', 'threshold', 'retention', 'summariser'],
  },
  contextMap: {
    term: 'Context map',
    definition:
      'One column a call, from the first token at the top to the last. The same part keeps its colour from column to column, so one sees what rides along, and for how long.',
    see: ['call', 'kind', 'lifetimeTokens'],
  },
  contextWindow: {
    term: 'Context window',
    definition: 'The most tokens that a model reads at once. A longer prompt is refused.',
    also: 'limit overflow full',
    see: ['prompt', 'compaction'],
  },
  edit: {
    term: 'Edit',
    definition:
      'One change of an experiment: a processor off or moved, a text rewritten, an event dropped, another compaction. Each can be undone.',
    see: ['experiment'],
  },
  estimate: {
    term: 'Estimate',
    definition:
      'A count with a vocabulary that is not the model’s own, because that one is not public. Shown with “≈”.',
    also: 'estimated approximate',
    see: ['basis'],
  },
  event: {
    term: 'Event',
    definition:
      'One thing that happened in a session, as it was recorded: a message, an answer, a tool’s result, a summary. Numbered E1, E2 and so on.',
    see: ['session', 'call'],
  },
  evidence: {
    term: 'Evidence',
    definition:
      'How a call’s prompt is known: recorded as it was sent, or compiled again from the events. What was recorded is shown as the stage that all numbers rest on.',
    also: 'recorded recompiled request',
    see: ['basis', 'inferred'],
  },
  exact: {
    term: 'Exact',
    definition: 'Counted with the model’s own vocabulary and message format. Shown without any mark.',
    see: ['basis'],
  },
  experiment: {
    term: 'Experiment',
    definition:
      'A what-if laid over a session: a list of edits, and all prompts compiled again with them. The recording itself never changes.',
    also: 'variant what if',
    see: ['edit', 'recording'],
  },
  finding: {
    term: 'Finding',
    definition:
      'A place where tokens are spent and probably need not be, found by a rule, with its price. Fixes of it were tried on all calls.',
    also: 'waste bloat fix remedy',
    see: ['lifetimeTokens', 'experiment'],
  },
  firstToken: {
    term: 'First token',
    definition:
      'How long one waits until an answer begins. Here an estimate: what is not cached must be read first, at a stated rate.',
    also: 'latency ttft',
    see: ['cached'],
  },
  handOff: {
    term: 'Hand-off',
    definition:
      'One agent passing the work to another. What the other one gets to see, and in whose words, is decided by a rule of the framework.',
    also: 'handoff transfer handover reframed casting',
    see: ['agent', 'reframed'],
  },
  hiddenContext: {
    term: 'Hidden context',
    definition:
      'Tokens that the provider counted beyond what is counted here of what is recorded: mostly the system prompt and tool definitions, which many files do not show; of a request that is recorded whole, what the provider adds by itself and by how much the count here is too low. Their number is known, their text is not. Drawn as a grey hatch.',
    also: 'residual unknown',
    see: ['reported', 'evidence'],
  },
  inFull: {
    term: 'Billed in full',
    definition:
      'Tokens that were not found in a cache and cost the full price of input: what is new, and what was lost. Drawn strong.',
    also: 'fresh paid uncached',
    see: ['cached', 'cacheLoss'],
  },
  inferred: {
    term: 'Inferred',
    definition:
      'A configuration that was not recorded but taken from the events: which agents there are, their tools, their instructions.',
    see: ['evidence'],
  },
  interval: {
    term: 'Compaction interval',
    definition: 'After how many turns the next summary is written.',
    see: ['compaction', 'overlap'],
  },
  kind: {
    term: 'Kind',
    definition:
      'Where tokens came from: tools, system, memory, summary, user, model, result. Colour means this and nothing else.',
    also: 'colour hue legend',
    see: ['origin'],
  },
  lifetimeTokens: {
    term: 'Lifetime tokens',
    definition:
      'The size of something times the calls that carried it. A small text that is sent two hundred times outweighs a large one that is sent once.',
    also: 'lifetime cost size carried by',
    see: ['call'],
  },
  lineage: {
    term: 'Lineage',
    definition:
      'Calls of one agent with one model on one branch. A prompt is compared with the one before it in its own lineage, never with that of another agent in between.',
    also: 'same agent',
    see: ['prefix', 'agent'],
  },
  minimum: {
    term: 'Below the minimum',
    definition:
      'A prompt shorter than the least that the provider caches, often 1,024 or 4,096 tokens. Nothing is wrong with it; it is billed in full.',
    also: 'too short',
    see: ['cacheLoss'],
  },
  origin: {
    term: 'Origin',
    definition:
      'Where a piece of a prompt was taken from: an event, the instruction, a value of the state, a tool’s definition, memory, an artifact, or a processor’s own words.',
    also: 'provenance source where it came from',
    see: ['processor', 'kind'],
  },
  overlap: {
    term: 'Overlap',
    definition:
      'How many turns of one summary are summarised again in the next, so that nothing falls between two.',
    see: ['compaction', 'interval'],
  },
  peak: {
    term: 'Peak prompt',
    definition: 'The largest prompt of all calls. It must fit into the context window.',
    see: ['contextWindow'],
  },
  prefix: {
    term: 'Prefix',
    definition:
      'The beginning of a prompt, as far as it equals the prompt before it in its lineage. Only this can be cached: one changed token ends it, and all behind it is billed in full.',
    also: 'prefix match stable',
    see: ['prefixBreak', 'lineage', 'cached'],
  },
  prefixBreak: {
    term: 'Prefix break',
    definition:
      'The first token at which a prompt differs from the one before it in its lineage, before that one ended. It is one of the causes of a cache loss.',
    also: 'break diverge',
    see: ['prefix', 'cacheLoss'],
  },
  processor: {
    term: 'Processor',
    definition:
      'One step that builds a prompt: it takes the request so far and adds, removes or rewrites parts. They run in a fixed order, which is the pipeline.',
    also: 'flow pipeline plugin step',
    see: ['stage'],
  },
  prompt: {
    term: 'Prompt',
    definition:
      'Everything that is sent to the model in one call: tool definitions, instruction and messages. Also called the working context.',
    also: 'request working context input',
    see: ['call', 'processor'],
  },
  recording: {
    term: 'Recorded',
    definition: 'The session as it was read from its file, without any edit.',
    also: 'recording original',
    see: ['experiment', 'session'],
  },
  reframed: {
    term: 'From another agent',
    definition:
      'What another agent said, told to this one as a message of the user (“For context: …”). Drawn as a hatch.',
    also: 'reframed casting narrative hatched',
    see: ['handOff'],
  },
  regret: {
    term: 'Regret',
    definition:
      'Values that were summarised away and that a later answer used, though its prompt no longer holds them. Only values count that nobody says by chance.',
    see: ['compaction'],
  },
  replayed: {
    term: 'Replayed',
    definition:
      'Worked out by compiling all prompts again with another setting. No model is asked; only the size of a summary that nobody has written is assumed.',
    see: ['sweep', 'compaction'],
  },
  reported: {
    term: 'Reported',
    definition:
      'Counted by the provider itself and recorded with its answer. It is the best number there is for that call.',
    see: ['basis'],
  },
  retention: {
    term: 'Kept raw events',
    definition: 'How many of the newest events a summary leaves as they are.',
    also: 'retention keep',
    see: ['compaction', 'threshold'],
  },
  session: {
    term: 'Session',
    definition: 'One conversation with one or more agents: all its events, in order.',
    see: ['event', 'turn'],
  },
  stage: {
    term: 'Stage',
    definition:
      'What one processor did in one call: the request before it, the request after it, and the difference in parts and tokens.',
    see: ['processor'],
  },
  state: {
    term: 'State',
    definition:
      'Named values that a session keeps besides its events, such as state.hits. An instruction can show them by {hits}, and then changes whenever they do.',
    also: 'scratchpad key template',
    see: ['prefixBreak'],
  },
  summariser: {
    term: 'Summariser',
    definition:
      'Who writes summaries: a model, or, offline, a program that takes sentences out of the events as they are.',
    also: 'extracts extractive',
    see: ['compaction'],
  },
  sweep: {
    term: 'Sweep',
    definition: 'Many settings of compaction, each replayed over the whole session, side by side.',
    see: ['replayed', 'compaction'],
  },
  threshold: {
    term: 'Token threshold',
    definition: 'The size of a prompt beyond which a summary is written, whatever the interval says.',
    see: ['compaction', 'retention'],
  },
  token: {
    term: 'Token',
    definition:
      'The piece of text that models read and providers bill: about four letters of English. Each model has its own vocabulary of them.',
    also: 'vocabulary tokenizer',
    see: ['basis'],
  },
  turn: {
    term: 'Turn',
    definition:
      'What a user says, and all calls until the agents are done with it. google-adk calls it an invocation.',
    also: 'invocation',
    see: ['call'],
  },
  written: {
    term: 'Written to the cache',
    definition:
      'Tokens that a provider stored for the calls after this one. Some bill that at more than the full price.',
    also: 'cache write creation',
    see: ['cached', 'cacheLifetime'],
  },
  zone: {
    term: 'Zone',
    definition:
      'A stretch of a prompt by what a cache made of it: stable (found), new, too short, expired, not reached.',
    also: 'variable suffix stable prefix',
    see: ['prefix', 'minimum', 'cacheLifetime'],
  },
};

/** The glossary, by its terms in the order of the alphabet. */
export const GLOSSARY: ReadonlyMap<string, GlossaryEntry> = new Map(
  Object.entries(ENTRIES).sort(([, a], [, b]) => a.term.localeCompare(b.term, 'en')),
);

/** The entries that have all words that were typed; those that are named so come first. */
export function findTerms(typed: string): readonly (readonly [id: string, entry: GlossaryEntry])[] {
  const words = typed.trim();
  const names = ({ term, also = '' }: GlossaryEntry): string => `${term} ${also}`;
  return [...GLOSSARY]
    .filter(([, entry]) => matchesWords(words, `${names(entry)} ${entry.definition}`))
    .sort(([, a], [, b]) => Number(matchesWords(words, names(b))) - Number(matchesWords(words, names(a))));
}
