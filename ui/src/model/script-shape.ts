/** What a script can reach, for completion while it is typed. */
export interface Member {
  readonly name: string;
  /** Shape of its value, if it has members of its own; `[]` behind it means a list of them. */
  readonly shape?: string;
  readonly detail: string;
}

const SHAPES: Readonly<Record<string, readonly Member[]>> = {
  request: [
    { name: 'contents', shape: 'content[]', detail: 'the history, oldest first' },
    { name: 'config', shape: 'config', detail: 'instruction, tools, generation settings' },
    { name: 'model', detail: 'name of the model' },
  ],
  content: [
    { name: 'role', detail: "'user' or 'model'" },
    { name: 'parts', shape: 'part[]', detail: 'text, calls, results' },
  ],
  part: [
    { name: 'text', detail: 'string, if it is a text' },
    { name: 'thought', detail: 'true for a thought of the model' },
    { name: 'functionCall', shape: 'functionCall', detail: 'a call of a tool' },
    { name: 'functionResponse', shape: 'functionResponse', detail: 'the result of a tool' },
    { name: 'inlineData', detail: '{mimeType, data}' },
    { name: 'fileData', detail: '{mimeType, fileUri}' },
  ],
  functionCall: [
    { name: 'name', detail: 'of the tool' },
    { name: 'args', detail: 'object' },
    { name: 'id', detail: 'joins call and result' },
  ],
  functionResponse: [
    { name: 'name', detail: 'of the tool' },
    { name: 'response', detail: 'object, as the tool gave it' },
    { name: 'id', detail: 'joins call and result' },
  ],
  config: [
    { name: 'systemInstruction', detail: 'string' },
    { name: 'tools', shape: 'tool[]', detail: 'declarations of functions, built-in tools' },
    { name: 'temperature', detail: 'number' },
    { name: 'maxOutputTokens', detail: 'number' },
    { name: 'responseSchema', detail: 'schema of the answer' },
  ],
  tool: [{ name: 'functionDeclarations', shape: 'declaration[]', detail: 'functions the model may call' }],
  declaration: [
    { name: 'name', detail: 'of the function' },
    { name: 'description', detail: 'what the model is told' },
    { name: 'parametersJsonSchema', detail: 'JSON Schema' },
  ],
  context: [
    { name: 'agent', shape: 'agent', detail: 'whose call it is' },
    { name: 'state', detail: 'the session’s state at this call' },
    { name: 'call', shape: 'call', detail: 'invocation, branch, events before it' },
    { name: 'session', shape: 'session', detail: 'id, app, user' },
  ],
  agent: [
    { name: 'name', detail: 'string' },
    { name: 'description', detail: 'string' },
    { name: 'model', detail: 'string' },
  ],
  call: [
    { name: 'invocationId', detail: 'string' },
    { name: 'branch', detail: 'string or null' },
    { name: 'events', detail: 'number of events before it' },
  ],
  session: [
    { name: 'id', detail: 'string' },
    { name: 'appName', detail: 'string' },
    { name: 'userId', detail: 'string' },
  ],
  console: ['log', 'info', 'warn', 'error', 'debug'].map((name) => ({
    name,
    detail: 'shown below the code',
  })),
};

const LIST: readonly Member[] = [
  'filter',
  'map',
  'flatMap',
  'find',
  'findIndex',
  'findLast',
  'slice',
  'some',
  'every',
  'reduce',
  'forEach',
  'push',
  'pop',
  'length',
  'at',
].map((name) => ({ name, detail: 'of a list' }));

/** What loops and callbacks give a name to: `for (const part of content.parts)`, `contents.filter((c) =>`. */
const NAMED = [
  /(?:const|let|var)\s+(\w+)\s+of\s+([\w.?]+)/g,
  /([\w.?]+)\s*\.\s*(?:filter|map|flatMap|find|findLast|some|every|forEach)\(\s*\(?\s*(\w+)/g,
  /(?:const|let|var)\s+(\w+)\s*=\s*([\w.?]+)\s*;?\s*$/gm,
];

function shapesOfNames(code: string): ReadonlyMap<string, string> {
  const shapes = new Map([
    ['request', 'request'],
    ['context', 'context'],
    ['console', 'console'],
  ]);
  // A name may be made of one that is named further down; twice is deep enough for what people write.
  for (let round = 0; round < 3; round += 1)
    NAMED.forEach((pattern, kind) => {
      for (const match of code.matchAll(pattern)) {
        const [name, path] = kind === 1 ? [match[2], match[1]] : [match[1], match[2]];
        const shape = path === undefined ? undefined : shapeOfPath(path, shapes);
        if (name === undefined || shape === undefined || shapes.has(name)) continue;
        const element = kind === 2 ? shape : shape.endsWith('[]') ? shape.slice(0, -2) : undefined;
        if (element !== undefined) shapes.set(name, element);
      }
    });
  return shapes;
}

function shapeOfPath(path: string, names: ReadonlyMap<string, string>): string | undefined {
  const [first = '', ...rest] = path.replaceAll('?', '').split('.');
  return rest.reduce<string | undefined>(
    (shape, name) => SHAPES[shape ?? '']?.find((member) => member.name === name)?.shape,
    names.get(first),
  );
}

/** What can stand behind `path.` at the end of a script that is being typed. */
export function membersOf(path: string, code: string): readonly Member[] {
  const shape = shapeOfPath(path, shapesOfNames(code));
  if (shape === undefined) return [];
  return shape.endsWith('[]') ? LIST : (SHAPES[shape] ?? []);
}

/** A script to start from. */
export interface ScriptTemplate {
  readonly title: string;
  readonly source: string;
}

export const SCRIPT_TEMPLATES: readonly ScriptTemplate[] = [
  {
    title: 'As it is',
    source: `// Gets the request as it stands here, returns the request that goes on.
export function process(request, context) {
  return request
}
`,
  },
  {
    title: 'Cut long tool results',
    source: `// Keeps tool results under a limit. The newest ones stay whole.
const LIMIT = 4000
const NEWEST = 1

export function process(request, context) {
  const results = request.contents
    .flatMap((content) => content.parts ?? [])
    .filter((part) => part.functionResponse)
  for (const part of results.slice(0, results.length - NEWEST)) {
    const text = JSON.stringify(part.functionResponse.response)
    if (text.length <= LIMIT) continue
    part.functionResponse.response = {
      result: text.slice(0, LIMIT),
      left_out: \`\${text.length - LIMIT} characters\`,
    }
    console.log(part.functionResponse.name, text.length, '→', LIMIT)
  }
  return request
}
`,
  },
  {
    title: 'Keep the last turns',
    source: `// Keeps the contents from the N-th last message of the user on.
const TURNS = 3

export function process(request, context) {
  const starts = request.contents.flatMap((content, at) =>
    content.role === 'user' && content.parts?.some((part) => part.text) ? [at] : [],
  )
  const from = starts.at(-TURNS) ?? 0
  console.log(\`left out \${from} of \${request.contents.length} contents\`)
  request.contents = request.contents.slice(from)
  return request
}
`,
  },
  {
    title: 'Declare fewer tools',
    source: `// Declares only the tools that this agent needs.
const NEEDED = ['search_logs', 'read_file']

export function process(request, context) {
  for (const tool of request.config.tools ?? []) {
    if (!tool.functionDeclarations) continue
    const before = tool.functionDeclarations.length
    tool.functionDeclarations = tool.functionDeclarations.filter(({ name }) => NEEDED.includes(name))
    console.log(\`\${context.agent.name}: \${before} → \${tool.functionDeclarations.length} functions\`)
  }
  return request
}
`,
  },
  {
    title: 'Replace text in the instruction',
    source: `// Takes what changes from call to call out of the instruction, so that its prefix stays the same.
export function process(request, context) {
  const instruction = request.config.systemInstruction ?? ''
  request.config.systemInstruction = instruction.replace(/Today is .*\\n/, '')
  return request
}
`,
  },
];
