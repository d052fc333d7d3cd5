import { ConfigSchema, type SettingName } from './config.ts';
import { ACCOUNTS_SETTINGS } from './settings/accounts-settings.ts';
import { API_SETTINGS } from './settings/api-settings.ts';
import { CLIENT_SETTINGS } from './settings/client-settings.ts';
import { OUTBOUND_SETTINGS } from './settings/outbound-settings.ts';
import { PEOPLE_SETTINGS } from './settings/people-settings.ts';
import { WEBHOOKS_SETTINGS } from './settings/webhooks-settings.ts';

export interface SettingGroup {
  /** The title of its section in docs/configuration.md. */
  readonly title: string;
  readonly names: readonly SettingName[];
}

const GROUPED = [
  { title: 'Organizations, keys and limits', names: namesOf(ACCOUNTS_SETTINGS) },
  { title: 'Sync', names: namesOf(CLIENT_SETTINGS) },
  { title: 'Webhooks and mail', names: namesOf(WEBHOOKS_SETTINGS) },
  { title: 'People', names: namesOf(PEOPLE_SETTINGS) },
  { title: 'The API', names: namesOf(API_SETTINGS) },
  { title: "Requests to customers' addresses", names: namesOf(OUTBOUND_SETTINGS) },
] as const satisfies readonly SettingGroup[];

/** Every setting, in the sections of docs/configuration.md; a test holds the two together. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { title: 'Nights and the store', names: namesOf(ConfigSchema.shape).filter((name) => !isGrouped(name)) },
  ...GROUPED,
];

function isGrouped(name: SettingName): boolean {
  return GROUPED.some(({ names }: SettingGroup) => names.includes(name));
}

function namesOf(settings: Partial<Record<SettingName, unknown>>): readonly SettingName[] {
  return Object.keys(settings) as SettingName[]; // The keys of what the compiler knows to have no others.
}
