import { cacheCommands } from './cache-view.ts';
import { callCommands } from './calls.ts';
import type { Command } from './command.ts';
import { editingCommands, experimentCommands } from './editing.ts';
import { labCommands } from './lab-view.ts';
import { pipelineCommands } from './pipeline-view.ts';
import { placeCommands } from './places.ts';
import { sessionCommands } from './session-view.ts';
import { settingsCommands } from './settings-view.ts';
import { lookCommands, windowCommands } from './window.ts';

export const COMMANDS: readonly Command[] = [
  ...placeCommands,
  ...callCommands,
  ...sessionCommands,
  ...experimentCommands,
  ...pipelineCommands,
  ...editingCommands,
  ...cacheCommands,
  ...labCommands,
  ...settingsCommands,
  ...windowCommands,
  ...lookCommands,
];
