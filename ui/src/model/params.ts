import type { JsonObject, Param, ProcessorKind } from '@/api/gen/api.ts';
import { formatInteger } from './format.ts';

/** What stands in the fields of a form, by parameter. */
export type Draft = Readonly<Record<string, string>>;

export type Read = { readonly value: unknown } | { readonly error: string };

/** What is typed for a value. */
function paramText({ input }: Param, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (input.kind === 'words' && Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value of what is typed, or why it has none. An empty field has the default. */
export function readParam(param: Param, text: string): Read {
  const { input, name } = param;
  const typed = text.trim();
  switch (input.kind) {
    case 'integer': {
      if (typed === '') return { value: param.default };
      const value = Number(typed.replaceAll(/[,\s]/g, ''));
      if (!/^-?[\d,\s]+$/.test(typed) || !Number.isSafeInteger(value))
        return { error: `${name} is a whole number` };
      if (value < input.min) return { error: `${name} is at least ${formatInteger(input.min)}` };
      if (input.max !== null && value > input.max)
        return { error: `${name} is at most ${formatInteger(input.max)}` };
      return { value };
    }
    case 'words':
      return { value: typed === '' ? [] : typed.split(/[,\s]+/).filter((word) => word !== '') };
    case 'choice':
      return input.words.includes(typed)
        ? { value: typed }
        : { error: `${name} is one of ${input.words.join(', ')}` };
    case 'text':
      return { value: typed };
    case 'code':
      return { value: text };
  }
}

/** The fields of a form for a processor with these parameters. */
export function draftOf(kind: ProcessorKind, params: JsonObject): Draft {
  return Object.fromEntries(
    kind.params.map((param) => [param.name, paramText(param, params[param.name] ?? param.default)]),
  );
}

/** What is wrong with fields, by parameter. */
export function draftErrors(kind: ProcessorKind, draft: Draft): Readonly<Record<string, string>> {
  return Object.fromEntries(
    kind.params.flatMap((param) => {
      const read = readParam(param, draft[param.name] ?? '');
      return 'error' in read ? [[param.name, read.error] as const] : [];
    }),
  );
}

/** The parameters that a form stands for: those that are not the default. Undefined while a field is wrong. */
export function paramsOf(kind: ProcessorKind, draft: Draft): JsonObject | undefined {
  const params: Record<string, unknown> = {};
  for (const param of kind.params) {
    const read = readParam(param, draft[param.name] ?? '');
    if ('error' in read) return undefined;
    if (JSON.stringify(read.value) !== JSON.stringify(param.default)) params[param.name] = read.value;
  }
  return params;
}

/** `0 to 1,000 rows`, `at least 1 character`: what a field takes. */
export function describeRange({ input, unit }: Param): string {
  if (input.kind === 'words') return 'names, with commas between';
  if (input.kind !== 'integer') return '';
  const of = unit === null ? '' : ` ${unit}`;
  return input.max === null
    ? `at least ${formatInteger(input.min)}${of}`
    : `${formatInteger(input.min)} to ${formatInteger(input.max)}${of}`;
}
