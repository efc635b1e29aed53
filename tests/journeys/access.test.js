import assert from 'node:assert/strict';
import { journey } from './support/journey.js';

journey('a wrong token is refused, and the page says what to do', async (window, strata) => {
  window.expectedTroubles.push(/401 \(Unauthorized\)/);
  await window.page.goto(`${strata.origin}/#token=${'x'.repeat(43)}`);
  await window.reads(window.page.getByRole('main'), 'Open the address that `strata serve` printed');
  await window.picture('refused');
  assert.equal(await window.page.getByText('invoice-triage').count(), 0);

  for (const headers of [
    {},
    { 'X-Strata-Token': 'x' },
    { 'X-Strata-Token': strata.token, Origin: 'http://evil.example' },
  ]) {
    const { status } = await fetch(`${strata.origin}/api/app/start`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{}',
    });
    assert.ok(status === 401 || status === 403, `refused with ${String(status)}`);
  }
});

journey('a page without a token says where to find one', async (window, strata) => {
  await window.page.goto(strata.origin);
  await window.page.getByText('strata serve').first().waitFor();
  await window.picture('no-token');
});
