import type { Workbench } from '@/state/workbench.svelte.ts';
import { type Command } from './command.ts';

/** What the arrows move in depends on what is shown beside the processors. */
function move({ location, pipeline, findings, comparison }: Workbench, delta: 1 | -1): void {
  const { panel } = location.view;
  if (panel === 'findings') findings.move(delta);
  else if (panel === 'compare') comparison.move(delta);
  else pipeline.moveStage(delta);
}

function moveToChange({ location, pipeline, comparison, messages }: Workbench, direction: 1 | -1): void {
  if (location.view.panel === 'compare') comparison.step(direction).catch(messages.report);
  else pipeline.nextChanged(direction);
}

const commands: readonly Omit<Command, 'view'>[] = [
  {
    id: 'stage.next',
    title: 'Next stage, finding or compared call',
    keys: ['J', 'ArrowDown'],
    run: (workbench) => move(workbench, 1),
  },
  {
    id: 'stage.previous',
    title: 'Previous stage, finding or compared call',
    keys: ['K', 'ArrowUp'],
    run: (workbench) => move(workbench, -1),
  },
  {
    id: 'stage.previousChanged',
    title: 'Previous changed stage or compared difference',
    keys: ['['],
    run: (workbench) => moveToChange(workbench, -1),
  },
  {
    id: 'stage.nextChanged',
    title: 'Next changed stage or compared difference',
    keys: [']'],
    run: (workbench) => moveToChange(workbench, 1),
  },
  {
    id: 'stages.changedOnly',
    title: 'Changed stages only, or all',
    keys: ['G'],
    run: ({ location }) => location.go({ isChangedOnly: !location.view.isChangedOnly }),
  },
  {
    id: 'tab.parts',
    title: 'Parts',
    keys: [],
    run: ({ location }) => location.go({ panel: 'stage', tab: 'parts' }),
  },
  {
    id: 'tab.text',
    title: 'Text',
    keys: [],
    run: ({ location }) => location.go({ panel: 'stage', tab: 'text' }),
  },
  {
    id: 'tab.json',
    title: 'JSON',
    keys: [],
    run: ({ location }) => location.go({ panel: 'stage', tab: 'json' }),
  },
  {
    id: 'tab.code',
    title: 'Code of the script',
    keys: [],
    when: ({ pipeline }) => pipeline.stage?.inserted?.kind === 'script',
    run: ({ location }) => location.go({ panel: 'stage', tab: 'code' }),
  },
  {
    id: 'request.look',
    title: 'The request as it was sent, as it is compiled, or their difference',
    keys: ['Shift+R'],
    when: ({ pipeline }) => pipeline.hasRecorded,
    run: ({ pipeline }) => pipeline.nextLook(),
  },
  {
    id: 'tokens.shade',
    title: 'Token shading on text',
    keys: ['T'],
    run: ({ location }) =>
      location.go({ panel: 'stage', tab: 'text', isShaded: !location.view.isShaded }, 'replace'),
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
