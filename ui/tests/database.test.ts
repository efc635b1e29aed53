import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ensureExists } from '@/lib/assert.ts';
import { fill, inspector, openWindow } from './window.ts';

test('a database on a server is imported by its address, whose password is said nowhere', async () => {
  const { user, press, host } = openWindow();
  await inspector(/Call C17/);
  await press('{Control>}k{/Control}');
  const palette = screen.getByRole('combobox', { name: 'Find, ask or run a command' });
  await fill(user, palette, '>database on a server');
  await user.click(await screen.findByRole('option', { name: /Import a database on a server/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Import a database on a server' });
  const field = within(dialog).getByRole('textbox');
  await fill(user, field, 'postgresql://ann:s3cret-word@127.0.0.1:1');
  await user.click(within(dialog).getByRole('button', { name: 'Import its sessions' }));
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('it names no database');
  await fill(user, field, 'postgresql+asyncpg://ann:s3cret-word@127.0.0.1:1/adk');
  await user.click(within(dialog).getByRole('button', { name: 'Import its sessions' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const ended = (await host.invoke('job/list', {})).jobs.at(-1);
  expect(ended?.outcome).toContain('postgresql://127.0.0.1:1/adk: No server answers there');
  expect(await screen.findByText(ensureExists(ended?.outcome, 'what came of it'))).toBeVisible();
  expect(document.body.textContent).not.toContain('s3cret-word');
  expect(JSON.stringify(ended)).not.toContain('s3cret-word');
});
