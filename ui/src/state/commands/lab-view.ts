import { METRICS } from '@/model/lab-bill.ts';
import { SWEEP_AXES } from '@/model/lab-sweeps.ts';
import type { Command } from './command.ts';

const after = <T>(values: readonly T[], value: T): T =>
  values[(values.indexOf(value) + 1) % values.length] ?? value;

const commands: readonly Omit<Command, 'view'>[] = [
  {
    id: 'lab.next',
    title: 'Next configuration',
    keys: ['J', 'ArrowDown'],
    run: ({ lab }) => lab.choice.move(1),
  },
  {
    id: 'lab.previous',
    title: 'Previous configuration',
    keys: ['K', 'ArrowUp'],
    run: ({ lab }) => lab.choice.move(-1),
  },
  {
    id: 'lab.recommended',
    title: 'The recommended configuration',
    keys: ['F'],
    run: ({ lab }) => lab.choice.chooseRecommended(),
  },
  { id: 'lab.summaryNext', title: 'Next summary', keys: [']'], run: ({ lab }) => lab.moveSummary(1) },
  {
    id: 'lab.summaryPrevious',
    title: 'Previous summary',
    keys: ['['],
    run: ({ lab }) => lab.moveSummary(-1),
  },
  {
    id: 'lab.run',
    title: 'Run the configuration, or stop the run',
    keys: ['S'],
    when: ({ lab }) => lab.runs.canRun || lab.runs.isRunning,
    run: ({ lab }) => (lab.runs.isRunning ? lab.runs.stop() : lab.runs.start()),
  },
  {
    id: 'lab.apply',
    title: 'Apply the run as an experiment',
    keys: ['Shift+S'],
    when: ({ lab }) => lab.runs.canApply,
    run: ({ lab }) => lab.runs.apply(),
  },
  {
    id: 'lab.probes',
    title: 'Ask a model about the summary…',
    keys: ['Shift+N'],
    when: ({ lab }) => lab.probes.canAsk,
    run: ({ panels }) => {
      panels.dialog = 'probes';
    },
  },
  {
    id: 'lab.batch',
    title: 'Compare configurations and models…',
    keys: ['Shift+M'],
    run: ({ panels }) => {
      panels.dialog = 'batch';
    },
  },
  {
    id: 'lab.copy',
    title: 'Copy the configuration for the tool of this session',
    keys: ['Y'],
    when: ({ lab }) => lab.ownSetting !== undefined,
    run: ({ lab }) => lab.copy(),
  },
  {
    id: 'lab.replay',
    title: 'Send the call under the cursor again…',
    keys: ['N'],
    when: ({ session }) => session.cursor > 0,
    run: ({ panels }) => {
      panels.dialog = 'replay';
    },
  },
  {
    id: 'lab.axes',
    title: 'Sweep other numbers',
    keys: ['A'],
    run: ({ location }) =>
      location.go({ axes: after(SWEEP_AXES, location.view.axes), grid: '', config: '' }, 'replace'),
  },
  {
    id: 'lab.metric',
    title: 'Compare by the next number',
    keys: ['V'],
    run: ({ location }) => location.go({ metric: after(METRICS, location.view.metric) }, 'replace'),
  },
  {
    id: 'lab.look',
    title: 'Sweep as map or table',
    keys: ['T'],
    run: ({ location }) => location.go({ look: location.view.look === 'map' ? 'table' : 'map' }, 'replace'),
  },
  {
    id: 'lab.curve',
    title: 'Tokens of each prompt, or of all so far',
    keys: ['G'],
    run: ({ location }) =>
      location.go({ curve: location.view.curve === 'prompt' ? 'sum' : 'prompt' }, 'replace'),
  },
];

export const labCommands: readonly Command[] = commands.map((command) => ({ ...command, view: 'lab' }));
