import { cacheCommands } from './cache-view.ts';
import { callCommands } from './calls.ts';
import { captureCommands } from './capture-view.ts';
import type { Command } from './command.ts';
import { editingCommands, experimentCommands } from './editing.ts';
import { homeCommands } from './home-view.ts';
import { labCommands } from './lab-view.ts';
import { learnCommands } from './learn-view.ts';
import { pipelineCommands } from './pipeline-view.ts';
import { placeCommands } from './places.ts';
import { runCommands } from './run-view.ts';
import { sessionTableCommands } from './session-table.ts';
import { sessionCommands } from './session-view.ts';
import { settingsCommands } from './settings-view.ts';
import { storesCommands } from './stores-view.ts';
import { lookCommands, windowCommands } from './window.ts';

export const COMMANDS: readonly Command[] = [
  // First: they are of no session, whatever is selected in the one that is open.
  ...homeCommands,
  ...sessionTableCommands,
  ...captureCommands,
  ...learnCommands,
  ...placeCommands,
  ...callCommands,
  ...sessionCommands,
  ...experimentCommands,
  ...pipelineCommands,
  ...editingCommands,
  ...cacheCommands,
  ...labCommands,
  ...runCommands,
  ...storesCommands,
  ...settingsCommands,
  ...windowCommands,
  ...lookCommands,
];
