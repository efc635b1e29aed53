import { mount } from 'svelte';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import { chooseHost } from '@/host/choose.ts';
import { ensureExists } from '@/lib/assert.ts';
import App from '@/views/App.svelte';
import NoHost from '@/views/NoHost.svelte';

const target = ensureExists(document.getElementById('window'), 'the element index.html holds');
const host = await chooseHost();

if (host === undefined) mount(NoHost, { target });
else mount(App, { target, props: { host } });
