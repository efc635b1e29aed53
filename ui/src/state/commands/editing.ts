import type { Workbench } from '@/state/workbench.svelte.ts';
import { hasCalls, hasSession, type Command } from './command.ts';

const isExperiment = ({ experiments }: Workbench): boolean => experiments.current !== undefined;
const showsStage = ({ location, pipeline }: Workbench): boolean =>
  location.view.panel === 'stage' && pipeline.stage !== undefined;
const showsCode = ({ location, pipeline }: Workbench): boolean =>
  location.view.panel === 'stage' &&
  location.view.tab === 'code' &&
  pipeline.stage?.inserted?.kind === 'script';
const canFlip = ({ experiments }: Workbench): boolean =>
  experiments.current !== undefined || experiments.rows.length > 0;

/** Experiments as a whole, from every view. */
export const experimentCommands: readonly Command[] = [
  {
    id: 'experiment.flip',
    title: 'Recorded or experiment',
    keys: ['O'],
    when: canFlip,
    run: ({ experiments }) => experiments.flip(),
  },
  {
    id: 'edit.undo',
    title: 'Undo the last edit',
    keys: ['Mod+Z'],
    when: ({ experiments }) => (experiments.current?.edits ?? 0) > 0,
    run: ({ experiments }) => void experiments.undo(),
  },
  {
    id: 'edit.redo',
    title: 'Make the edit again',
    keys: ['Mod+Shift+Z'],
    when: ({ experiments }) => (experiments.current?.undone ?? 0) > 0,
    run: ({ experiments }) => void experiments.redo(),
  },
  {
    id: 'findings.show',
    title: 'Findings, with fixes that were tried',
    words: 'waste bloat expensive save money problems remedies',
    keys: ['L'],
    when: hasCalls,
    run: ({ location }) =>
      location.go(
        location.view.view === 'pipeline' && location.view.panel === 'findings'
          ? { panel: 'stage' }
          : { view: 'pipeline', panel: 'findings' },
      ),
  },
  {
    id: 'comparison.show',
    title: 'Compare experiments, call by call',
    keys: ['X'],
    when: canFlip,
    run: ({ comparison, location }) =>
      location.view.view === 'pipeline' && location.view.panel === 'compare'
        ? location.go({ panel: 'stage' })
        : comparison.show(),
  },
  {
    id: 'experiments.show',
    title: 'Choose an experiment',
    keys: ['M'],
    when: hasSession,
    run: ({ panels }) => panels.toggle('experiments'),
  },
  {
    id: 'experiment.new',
    title: 'New experiment',
    keys: [],
    when: hasSession,
    run: ({ experiments }) => void experiments.create(),
  },
  {
    id: 'experiment.duplicate',
    title: 'Duplicate the experiment',
    keys: [],
    when: isExperiment,
    run: ({ experiments }) => void experiments.duplicate(experiments.current?.experiment ?? ''),
  },
  {
    id: 'experiment.remove',
    title: 'Remove the experiment',
    keys: [],
    when: isExperiment,
    run: ({ experiments }) => void experiments.remove(experiments.current?.experiment ?? ''),
  },
  {
    id: 'experiment.report',
    title: 'Report: one page to send or print, or a picture…',
    words: 'export html svg summary share print pdf',
    keys: ['Mod+E'],
    when: hasSession,
    run: ({ panels }) => {
      panels.dialog = 'report';
    },
  },
  {
    id: 'experiment.export',
    title: 'Export as google-adk Python, JSON or YAML…',
    keys: [],
    when: hasSession,
    run: ({ panels }) => {
      panels.dialog = 'export';
    },
  },
];

const commands: readonly Omit<Command, 'view'>[] = [
  {
    id: 'stage.toggle',
    title: 'Processor on or off',
    keys: ['Space'],
    when: showsStage,
    run: ({ edits }) => void edits.toggle(),
  },
  {
    id: 'stage.up',
    title: 'Move the processor up',
    keys: ['Alt+ArrowUp'],
    when: showsStage,
    run: ({ edits }) => void edits.moveSelected(-1),
  },
  {
    id: 'stage.down',
    title: 'Move the processor down',
    keys: ['Alt+ArrowDown'],
    when: showsStage,
    run: ({ edits }) => void edits.moveSelected(1),
  },
  {
    id: 'stage.add',
    title: 'New processor…',
    keys: ['N'],
    when: hasCalls,
    run: ({ panels }) => {
      panels.dialog = 'addProcessor';
    },
  },
  {
    id: 'stage.remove',
    title: 'Remove the inserted processor',
    keys: ['Delete'],
    when: ({ pipeline }) => (pipeline.stage?.inserted ?? null) !== null,
    run: ({ edits }) => void edits.remove(),
  },
  {
    id: 'script.saved',
    title: 'Saved scripts and templates',
    keys: [],
    when: showsCode,
    run: ({ panels }) => {
      panels.dialog = 'scripts';
    },
  },
  {
    id: 'script.save',
    title: 'Save the script as…',
    keys: [],
    when: showsCode,
    run: ({ panels }) => {
      panels.dialog = 'saveScript';
    },
  },
  {
    id: 'finding.apply',
    title: 'Apply the best fix of the finding',
    keys: ['A'],
    when: ({ location, findings }) => location.view.panel === 'findings' && findings.fix !== undefined,
    run: ({ findings }) => void findings.apply(),
  },
  {
    id: 'comparison.swap',
    title: 'Compare the other way round',
    keys: [],
    when: ({ location, comparison }) => location.view.panel === 'compare' && comparison.hasTwo,
    run: ({ comparison }) => comparison.swap(),
  },
  {
    id: 'comparison.all',
    title: 'Compare all calls, or those that differ',
    keys: [],
    when: ({ location }) => location.view.panel === 'compare',
    run: ({ location }) => location.go({ showsEqualCalls: !location.view.showsEqualCalls }, 'replace'),
  },
];

/** What is edited in the Pipeline view. */
export const editingCommands: readonly Command[] = commands.map((command) => ({
  ...command,
  view: 'pipeline',
}));
