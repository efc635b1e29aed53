import type { Edit, JsonObject } from '@/api/gen/api.ts';

/** What of an agent's configuration can be edited. */
export interface AgentConfig {
  readonly name: string;
  readonly instruction: string;
  readonly staticInstruction: string;
  readonly includeContents: string;
  /** Declarations of its functions, by name. */
  readonly tools: ReadonlyMap<string, JsonObject>;
  readonly outputSchema: JsonObject | undefined;
}

export interface AppConfig {
  readonly agents: readonly AgentConfig[];
  readonly globalInstruction: string;
  readonly compaction: JsonObject | undefined;
  readonly cache: JsonObject | undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field in either spelling: `includeContents`, `include_contents`. */
function field(object: JsonObject, name: string): unknown {
  return object[name] ?? object[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function objectField(object: JsonObject, name: string): JsonObject | undefined {
  const value = field(object, name);
  return isObject(value) ? value : undefined;
}

/** An instruction is its text, or an object around it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return '';
  if (typeof value['text'] === 'string') return value['text'];
  const parts = value['parts'];
  return Array.isArray(parts)
    ? parts.map((part: unknown) => textOf(part)).join('')
    : textOf(value['content'] ?? '');
}

function toolsOf(agent: JsonObject): ReadonlyMap<string, JsonObject> {
  const tools = field(agent, 'tools');
  const declarations = (Array.isArray(tools) ? tools : []).flatMap((tool: unknown) => {
    const declaration = isObject(tool) ? objectField(tool, 'declaration') : undefined;
    const name = declaration?.['name'];
    return declaration !== undefined && typeof name === 'string' ? [[name, declaration] as const] : [];
  });
  return new Map(declarations);
}

function agentsUnder(agent: JsonObject): readonly AgentConfig[] {
  const schema = field(agent, 'outputSchema');
  const config: AgentConfig = {
    name: String(agent['name'] ?? ''),
    instruction: textOf(field(agent, 'instruction')),
    staticInstruction: textOf(field(agent, 'staticInstruction')),
    includeContents: String(field(agent, 'includeContents') ?? 'default'),
    tools: toolsOf(agent),
    outputSchema: isObject(schema) ? (objectField(schema, 'jsonSchema') ?? schema) : undefined,
  };
  const below = field(agent, 'subAgents');
  return [config, ...(Array.isArray(below) ? below.filter(isObject).flatMap(agentsUnder) : [])];
}

/** Reads an app configuration as `experiment/export` writes it. */
export function readAppConfig(text: string): AppConfig {
  const app: unknown = JSON.parse(text);
  if (!isObject(app)) return { agents: [], globalInstruction: '', compaction: undefined, cache: undefined };
  const root = objectField(app, 'rootAgent');
  return {
    agents: root === undefined ? [] : agentsUnder(root),
    globalInstruction: root === undefined ? '' : textOf(field(root, 'globalInstruction')),
    compaction: objectField(app, 'eventsCompactionConfig'),
    cache: objectField(app, 'contextCacheConfig'),
  };
}

/** Something that is edited as text or as JSON in a dialog. */
export interface EditableValue {
  /** "Instruction of log_analyst". */
  readonly title: string;
  readonly language: 'text' | 'json';
  readonly text: string;
  /** What it is called where there is none. */
  readonly emptyMeans: string;
  /** `value` is the text, or what its JSON says; null where the text is empty. */
  readonly edit: (value: unknown) => Edit;
}

/** The edit that what is typed makes, or why it makes none. */
export function readValue(
  value: EditableValue,
  typed: string,
): { readonly edit: Edit } | { readonly error: string } {
  if (typed.trim() === '') return { edit: value.edit(null) };
  if (value.language === 'text') return { edit: value.edit(typed) };
  try {
    const read: unknown = JSON.parse(typed);
    if (!isObject(read)) return { error: 'This has to be a JSON object.' };
    return { edit: value.edit(read) };
  } catch (thrown) {
    return { error: `This is no JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}.` };
  }
}

const json = (value: JsonObject | undefined): string =>
  value === undefined ? '' : JSON.stringify(value, null, 2);
const orNull = (value: unknown): JsonObject | null => (isObject(value) ? value : null);
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What can be edited at a stage, for the agent whose call it is. */
export function valuesOfStage(
  processor: string,
  app: AppConfig,
  agent: AgentConfig,
): readonly EditableValue[] {
  const { name } = agent;
  switch (processor) {
    case 'instructions':
      return [
        {
          title: `Instruction of ${name}`,
          language: 'text',
          text: agent.instruction,
          emptyMeans: 'no instruction',
          edit: (value) => ({ edit: 'set_instruction', agent: name, text: textOrNull(value) }),
        },
        {
          title: `Static instruction of ${name}`,
          language: 'text',
          text: agent.staticInstruction,
          emptyMeans: 'no static instruction',
          edit: (value) => ({ edit: 'set_static_instruction', agent: name, text: textOrNull(value) }),
        },
        {
          title: 'Global instruction',
          language: 'text',
          text: app.globalInstruction,
          emptyMeans: 'no global instruction',
          edit: (value) => ({ edit: 'set_global_instruction', text: textOrNull(value) }),
        },
      ];
    case 'output_schema':
      return [
        {
          title: `Output schema of ${name}`,
          language: 'json',
          text: json(agent.outputSchema),
          emptyMeans: 'no output schema',
          edit: (value) => ({ edit: 'set_output_schema', agent: name, schema: orNull(value) }),
        },
      ];
    case 'compaction':
      return [
        {
          title: 'Compaction',
          language: 'json',
          text: json(app.compaction),
          emptyMeans: 'no compaction',
          edit: (value) => ({ edit: 'set_compaction', config: orNull(value) }),
        },
      ];
    case 'context_cache':
      return [
        {
          title: 'Context cache',
          language: 'json',
          text: json(app.cache),
          emptyMeans: 'no explicit cache',
          edit: (value) => ({ edit: 'set_cache', config: orNull(value) }),
        },
      ];
    default:
      return [];
  }
}

/** A declaration as something to edit. */
export function valueOfTool(agent: string, tool: string, declaration: JsonObject): EditableValue {
  return {
    title: `Declaration of ${tool} for ${agent}`,
    language: 'json',
    text: json(declaration),
    emptyMeans: 'the agent does not have the tool',
    edit: (value) => ({ edit: 'set_tool', agent, tool, declaration: orNull(value) }),
  };
}
