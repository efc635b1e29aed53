import { type Command } from './command.ts';

const commands: readonly Omit<Command, 'view'>[] = [
  {
    id: 'stage.next',
    title: 'Next stage',
    keys: ['J', 'ArrowDown'],
    run: ({ pipeline }) => pipeline.moveStage(1),
  },
  {
    id: 'stage.previous',
    title: 'Previous stage',
    keys: ['K', 'ArrowUp'],
    run: ({ pipeline }) => pipeline.moveStage(-1),
  },
  {
    id: 'stage.previousChanged',
    title: 'Previous changed stage',
    keys: ['['],
    run: ({ pipeline }) => pipeline.nextChanged(-1),
  },
  {
    id: 'stage.nextChanged',
    title: 'Next changed stage',
    keys: [']'],
    run: ({ pipeline }) => pipeline.nextChanged(1),
  },
  {
    id: 'stages.changedOnly',
    title: 'Changed stages only, or all',
    keys: ['G'],
    run: ({ location }) => location.go({ isChangedOnly: !location.view.isChangedOnly }),
  },
  { id: 'tab.parts', title: 'Parts', keys: [], run: ({ location }) => location.go({ tab: 'parts' }) },
  { id: 'tab.text', title: 'Text', keys: [], run: ({ location }) => location.go({ tab: 'text' }) },
  { id: 'tab.json', title: 'JSON', keys: [], run: ({ location }) => location.go({ tab: 'json' }) },
  {
    id: 'tokens.shade',
    title: 'Token shading on text',
    keys: ['T'],
    run: ({ location }) => location.go({ tab: 'text', isShaded: !location.view.isShaded }, 'replace'),
  },
  {
    id: 'diff.mode',
    title: 'Split or unified difference',
    keys: ['U'],
    run: ({ location }) =>
      location.go({ diff: location.view.diff === 'split' ? 'unified' : 'split' }, 'replace'),
  },
  {
    id: 'compare.with',
    title: 'Compare with the stage before or the previous call',
    keys: [],
    run: ({ location }) =>
      location.go(
        { compare: location.view.compare === 'stageBefore' ? 'previousCall' : 'stageBefore' },
        'replace',
      ),
  },
];

export const pipelineCommands: readonly Command[] = commands.map((command) => ({
  ...command,
  view: 'pipeline',
}));
