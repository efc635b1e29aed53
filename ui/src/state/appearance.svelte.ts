import { MediaQuery } from 'svelte/reactivity';
import type { Settings, Theme } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';

const DEFAULTS: Settings = {
  theme: 'system',
  zoomPercent: 100,
  isComfortable: false,
  hasPatterns: false,
  isSampleBarDismissed: false,
  learnedKeys: [],
  masksSecrets: false,
  budget: { usd: null, tokens: null },
};

const ZOOM_STEPS = [90, 100, 110, 125, 150] as const;
const ROW_PX = { compact: 22, comfortable: 28 } as const;
const STAGE_ROW_PX = { compact: 37, comfortable: 44 } as const;

/** What a person chose about the look of the window. Changes show at once and are stored behind. */
export class Appearance {
  readonly #host: Host;
  readonly #report: (thrown: unknown) => void;
  readonly #prefersLight = new MediaQuery('(prefers-color-scheme: light)');
  #settings: Settings = $state.raw(DEFAULTS);

  constructor(host: Host, report: (thrown: unknown) => void) {
    this.#host = host;
    this.#report = report;
    $effect(() => {
      const root = document.documentElement;
      root.dataset['theme'] = this.resolved;
      root.dataset['density'] = this.#settings.isComfortable ? 'comfortable' : 'compact';
      root.dataset['patterns'] = this.#settings.hasPatterns ? 'on' : 'off';
    });
    $effect(() => void this.#host.setZoom?.(this.#settings.zoomPercent).catch(report));
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** The theme that is shown, with `system` resolved. */
  get resolved(): Exclude<Theme, 'system'> {
    const { theme } = this.#settings;
    if (theme !== 'system') return theme;
    return this.#prefersLight.current ? 'light' : 'dark';
  }

  get rowHeight(): number {
    return this.#settings.isComfortable ? ROW_PX.comfortable : ROW_PX.compact;
  }

  get stageRowHeight(): number {
    return this.#settings.isComfortable ? STAGE_ROW_PX.comfortable : STAGE_ROW_PX.compact;
  }

  get canZoom(): boolean {
    return this.#host.setZoom !== undefined;
  }

  /** Takes the stored settings without storing them again. */
  restore(settings: Settings): void {
    this.#settings = settings;
  }

  change(change: Partial<Settings>): void {
    this.store(change).catch(this.#report);
  }

  /** As `change`, for what is asked again once it is stored. */
  async store(change: Partial<Settings>): Promise<void> {
    this.#settings = { ...this.#settings, ...change };
    await this.#host.invoke('app/setSettings', { settings: this.#settings });
  }

  /** Masks secrets in everything that is shown, or shows them. What is on screen is asked for again. */
  async maskSecrets(masksSecrets: boolean): Promise<void> {
    await this.store({ masksSecrets });
    window.location.reload();
  }

  toggleSecrets(): void {
    this.maskSecrets(!this.#settings.masksSecrets).catch(this.#report);
  }

  nextTheme(): void {
    const order = ['dark', 'light', 'system'] as const;
    const at = order.indexOf(this.#settings.theme);
    this.change({ theme: order[(at + 1) % order.length] ?? 'system' });
  }

  zoom(direction: 1 | -1): void {
    const { zoomPercent } = this.#settings;
    const larger = ZOOM_STEPS.find((step) => step > zoomPercent);
    const smaller = ZOOM_STEPS.findLast((step) => step < zoomPercent);
    this.change({ zoomPercent: (direction === 1 ? larger : smaller) ?? zoomPercent });
  }
}
