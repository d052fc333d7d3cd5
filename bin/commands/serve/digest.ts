import { resolve } from 'node:path';
import { addDays } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import { commandGroup, defineCommand, option } from '../../cli/command.ts';
import { numberValue } from '../../cli/option-values.ts';
import { publicUrlOf } from '../../config/configured-accounts.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

const preview = defineCommand({
  name: 'preview',
  description: 'Show the digest by email that ends with the newest day, without sending it',
  options: { days: option('<n>', 'days that it covers, 1 to 366 (default: 1)', numberValue(1, 366)) },
  examples: ['modelstats digest preview --days 7'],
  async run({ config, clock, printResult }, { days = 1 }) {
    const [{ loadCatalog }, { periodOf, readPeriod }, { digestMail }, { hasNews }] = await Promise.all([
      import('../../../storage/catalog.ts'),
      import('../../../api/digests/digest-service.ts'),
      import('../../../api/digests/digest-mail.ts'),
      import('../../../api/digests/digest-news.ts'),
    ]);
    const store = await openConfiguredStore(config, 'read');
    const { catalog } = await loadCatalog(store);
    const newest = catalog?.releases.at(-1)?.day;
    const period = newest === undefined ? undefined : periodOf(catalog, addDays(newest, -days));
    if (period === undefined)
      throw new AppError('not_found', `${shownAddress(config.places.store)} has no two days to compare yet`);
    const deps = { store, duckdb: config.duckdb, workFolder: resolve(config.places.work), clock };
    const news = await readPeriod(period, deps);
    const publicUrl = publicUrlOf(config);
    const { subject, text } = digestMail(
      news,
      { personId: '', email: '', frequency: days === 1 ? 'daily' : 'weekly', organizationId: 'ORGANIZATION' },
      { publicUrl, stop: `${publicUrl}/console/digest/stop?token=TOKEN` },
    );
    const { from, to } = news;
    const mail = hasNews(news) ? { subject, text } : { subject: null, text: null };
    const shown = mail.text === null ? `nothing changed from ${from} to ${to}: no digest` : `${subject}\n\n${text}`;
    printResult({ from, to, ...mail }, shown.trimEnd());
    return 0;
  },
});

export const digest = commandGroup('digest', 'Show digests by email', [preview]);
