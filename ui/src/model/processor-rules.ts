/** What a processor of google-adk does, and by which rules. */
export interface ProcessorRules {
  readonly does: string;
  readonly reads: string;
  readonly writes: string;
  readonly rules: readonly string[];
  /** Where google-adk 2.13 says so: a file of its package, or a page of its documentation. */
  readonly source: string;
}

const FLOWS = 'google-adk 2.13, google/adk/flows/llm_flows';
const DOCS = 'https://google.github.io/adk-docs';

/** By the name of the processor, in the order in which google-adk runs them. */
export const PROCESSOR_RULES: Readonly<Record<string, ProcessorRules>> = {
  basic: {
    does: 'Begins the request: which model, with which settings.',
    reads: 'the agent’s model and generation settings, its output schema, the settings of the run',
    writes: 'model, config',
    rules: [
      'An agent without a model of its own takes that of the nearest agent above it.',
      'Headers and labels of the run win over those of the agent.',
      'A response schema is set here if the agent has no tools; otherwise output_schema takes care of it.',
    ],
    source: `${FLOWS}/basic.py`,
  },
  auth: {
    does: 'Takes up tool calls that waited for a credential.',
    reads: 'the last event with content on this branch',
    writes: 'an event with the result of the call, before contents are built',
    rules: [
      'The last message must be the user’s and answer a request for credentials.',
      'Only the calls that waited are run again.',
    ],
    source: 'google-adk 2.13, google/adk/auth/auth_preprocessor.py',
  },
  request_confirmation: {
    does: 'Takes up tool calls that waited for somebody’s approval.',
    reads: 'the last message of the user on this branch',
    writes: 'an event with the result of the call, before contents are built',
    rules: [
      'An approval that was used already counts no more.',
      'If nothing is left to run, the turn ends here and no model is called.',
    ],
    source: `${FLOWS}/request_confirmation.py`,
  },
  instructions: {
    does: 'Writes the agent’s instruction, with values of the state in place of {names}.',
    reads: 'global, static and dynamic instruction, state, artifacts',
    writes: 'the system instruction; with a static instruction the dynamic one goes into contents',
    rules: [
      'Order: global instruction, then the static one, then the instruction.',
      '{name} becomes the value of the state; {name?} may be missing; {artifact.file} becomes a file’s text. Other braces stay.',
      'A static instruction is never filled in, so that it stays the same for the cache. The dynamic one then stands before the latest messages of the user.',
      'Text from a function is taken as it is.',
    ],
    source: `${FLOWS}/instructions.py`,
  },
  identity: {
    does: 'Tells the agent its name and description.',
    reads: 'name, description and mode of the agent',
    writes: 'the system instruction',
    rules: ['Left out for agents that answer a single turn.'],
    source: `${FLOWS}/single_flow.py`,
  },
  compaction: {
    does: 'Asks whether the prompt is so large that a summary is due before this call.',
    reads: 'the session’s events, the token threshold and how many events to keep',
    writes: 'nothing in the request; a summary is an event of the session',
    rules: [
      'Due when the last prompt reached the token threshold.',
      'The newest events stay as they are; a call and its result are never torn apart.',
      'The sliding window (interval and overlap) is looked at after a turn, not here.',
    ],
    source: `${DOCS}/context/compaction/`,
  },
  interactions: {
    does: 'Goes on with a conversation that the provider keeps.',
    reads: 'the newest answer of this agent that has an interaction id',
    writes: 'previous_interaction_id',
    rules: ['Only with Gemini’s interactions. Then contents holds the present turn alone.'],
    source: `${FLOWS}/single_flow.py`,
  },
  contents: {
    does: 'Builds the history that the model sees, anew for every call, from the session’s events.',
    reads: 'all events of the session, the agent’s name and branch, include_contents',
    writes: 'contents, all of them',
    rules: [
      'Left out: turns that were taken back, empty events, other branches, requests for credentials and approvals.',
      'A summary takes the place of the events it covers, as a message of the model.',
      'Other agents’ words become a message of the user that begins with “For context:”. Their thoughts are left out.',
      'A result stands right behind its call. Results without a call, and calls without a result, are dropped.',
      'With include_contents “none”, only the present turn is sent.',
    ],
    source: `${FLOWS}/contents.py`,
  },
  context_cache: {
    does: 'Prepares an explicit cache of Gemini.',
    reads: 'the cache settings of the app, what was cached for the calls before',
    writes: 'cache_config and what it knows of the cache',
    rules: ['Does nothing unless the app configures a context cache.'],
    source: `${DOCS}/context/caching/`,
  },
  nl_planning: {
    does: 'Adds what a planner needs.',
    reads: 'the agent’s planner',
    writes: 'the system instruction, or the settings for thinking',
    rules: [
      'A built-in planner sets how much the model thinks.',
      'A plan-and-act planner adds its instruction, and marks no part as a thought any more.',
    ],
    source: `${FLOWS}/_nl_planning.py`,
  },
  code_execution: {
    does: 'Prepares the running of code.',
    reads: 'the agent’s code executor, files among the contents',
    writes: 'tools, the system instruction, contents',
    rules: [
      'The model’s own executor is a tool of its own.',
      'With another executor, code and its results among the contents become text.',
      'If files are optimised, each table (text/csv) gives way to a note with its name.',
    ],
    source: `${FLOWS}/_code_execution.py`,
  },
  output_schema: {
    does: 'Lets an agent with tools answer by a schema.',
    reads: 'the output schema, the agent’s tools, what the model can do',
    writes: 'the tool set_model_response, the system instruction',
    rules: ['Only if the agent has tools and the model cannot take a schema and tools at once.'],
    source: `${FLOWS}/_output_schema_processor.py`,
  },
  agent_transfer: {
    does: 'Lets the agent hand work to others.',
    reads: 'the tree of agents',
    writes: 'the tool transfer_to_agent, and who can be handed to, in the system instruction',
    rules: [
      'Targets: the agents below, then the one above, then those beside it, unless the agent forbids it.',
      'Without a target nothing is added.',
    ],
    source: `${FLOWS}/agent_transfer.py`,
  },
  toolset_auth: {
    does: 'Asks for credentials that a set of tools needs.',
    reads: 'toolsets with a login',
    writes: 'nothing in the request; a missing credential ends the turn with a question',
    rules: ['Does nothing unless a toolset needs a login.'],
    source: `${FLOWS}/tools/_toolset_auth.py`,
  },
  agent_tools: {
    does: 'Adds the definitions of the agent’s tools, and what tools add to a prompt.',
    reads: 'the agent’s tools and toolsets, in their order',
    writes: 'tools; for some also the system instruction or contents',
    rules: [
      'A tool’s definition is its name, its description and the schema of its parameters; they are sent with every call.',
      'Preloaded memory is put among the contents, before the latest message of the user.',
      'Loading tools for memory and artifacts add an instruction of their own.',
    ],
    source: `${FLOWS}/base_llm_flow.py`,
  },
  dynamic_instructions: {
    does: 'Adds what tools queued for the end of the instruction.',
    reads: 'what agent_tools left: lists of artifacts and of resources',
    writes: 'the end of the system instruction',
    rules: ['It stands last, and changes whenever an artifact does. That ends the prefix there.'],
    source: `${FLOWS}/base_llm_flow.py`,
  },
  model_call: {
    does: 'Sets what is still missing when the model is called.',
    reads: 'the agent’s name',
    writes: 'the label adk_agent_name',
    rules: ['A label that is there already stays.'],
    source: `${FLOWS}/base_llm_flow.py`,
  },
};
